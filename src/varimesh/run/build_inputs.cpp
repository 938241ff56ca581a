#include "varimesh/run/build_inputs.h"

#include <array>
#include <map>
#include <utility>

namespace varimesh::run {

/// The amplitudes: fields, scalars as the equation sees them, then formulas of these at points.
class InputBuilder::Scalars final : public fem::Amplitudes {
 public:
  Scalars(const std::vector<UnknownConfig>& unknowns, Index fields) : fields_(fields) {
    for (const UnknownConfig& unknown : unknowns) transforms_.push_back(unknown.prior.transform);
  }

  Index num_scalars() const { return static_cast<Index>(transforms_.size()); }
  Index num_unknowns() const override { return fields_ + num_scalars(); }
  Index size() const override { return num_unknowns() + static_cast<Index>(formulas_.size()); }
  /// The amplitude of a scalar.
  Index of_scalar(Index k) const { return fields_ + k; }

  Index add(const Formula& formula, const Point& x) {
    formulas_.push_back({formula, x});
    return size() - 1;
  }

  std::vector<double> values(const Eigen::Ref<const Vector>& variables) const {
    std::vector<double> result;
    for (std::size_t k = 0; k < transforms_.size(); ++k)
      result.push_back(transforms_[k].value(variables[static_cast<Index>(k)]));
    return result;
  }

  void evaluate(const Eigen::Ref<const Vector>& z, Vector& a, fem::SparseRows& slope) const override {
    const auto variables = z.tail(num_scalars());
    const std::vector<double> scalars = values(variables);
    if (slope.rows() != size()) create_pattern(slope);
    a.resize(size());
    a.head(fields_) = z.head(fields_);
    double* entry = slope.valuePtr();
    for (Index k = 0; k < fields_; ++k) *entry++ = 1;
    for (Index k = 0; k < num_scalars(); ++k) {
      a[of_scalar(k)] = scalars[static_cast<std::size_t>(k)];
      *entry++ = transforms_[static_cast<std::size_t>(k)].slope(variables[k]);
    }
    Index row = num_unknowns();
    for (const auto& [formula, x] : formulas_) {
      a[row++] = formula.value(x, scalars);
      // d f / d z_k = df/ds_k ds_k/dz_k
      for (const Index k : formula.unknowns())
        *entry++ = formula.derivative(x, scalars, k) * transforms_[static_cast<std::size_t>(k)].slope(variables[k]);
    }
  }

 private:
  struct AtPoint {
    Formula formula;
    Point x;
  };

  void create_pattern(fem::SparseRows& slope) const {
    slope.resize(size(), num_unknowns());
    for (Index row = 0; row < num_unknowns(); ++row) {
      slope.startVec(row);
      slope.insertBack(row, row) = 1;
    }
    Index row = num_unknowns();
    for (const AtPoint& at_point : formulas_) {
      slope.startVec(row);
      for (const Index k : at_point.formula.unknowns()) slope.insertBack(row, of_scalar(k)) = 1;
      ++row;
    }
    slope.finalize();
  }

  Index fields_;
  std::vector<Transform> transforms_;
  std::vector<AtPoint> formulas_;
};

namespace {

Index count_unknowns(const std::vector<fem::CoefficientMap>& fields) {
  Index count = 0;
  for (const fem::CoefficientMap& map : fields) count += map.num_coefficients;
  return count;
}

}  // namespace

InputBuilder::InputBuilder(const std::vector<UnknownConfig>& unknowns, const std::vector<fem::CoefficientMap>& fields)
    : scalars_(std::make_shared<Scalars>(unknowns, count_unknowns(fields))) {
  if (unknowns.empty() && fields.empty()) return;
  inputs_.amplitudes = scalars_;
  Index first = 0;
  for (const fem::CoefficientMap& map : fields) {
    inputs_.fields.push_back({map, first});
    first += map.num_coefficients;
  }
}

ScalarFunction InputBuilder::add(fem::InputTerm::Kind kind, const std::string& part, const Formula& formula) {
  const auto count = static_cast<std::size_t>(scalars_->num_scalars());
  if (formula.is_affine()) {
    // f = f_0 + sum_k s_k df/ds_k, where neither depends on s
    for (const Index k : formula.unknowns()) {
      const ScalarFunction shape = [formula, k, count](const Point& x) {
        return formula.derivative(x, std::vector<double>(count, 0.0), k);
      };
      inputs_.terms.push_back({kind, part, shape, scalars_->of_scalar(k), nullptr});
    }
    return [formula, count](const Point& x) { return formula.value(x, std::vector<double>(count, 0.0)); };
  }
  using Key = std::array<double, 3>;
  const auto pointwise = [formula, scalars = scalars_,
                          seen = std::make_shared<std::map<Key, Index>>()](const Point& x) {
    const auto [place, is_new] = seen->try_emplace(Key{x[0], x[1], x[2]}, 0);
    if (is_new) place->second = scalars->add(formula, x);
    return place->second;
  };
  inputs_.terms.push_back({kind, part, nullptr, 0, pointwise});
  return [](const Point&) { return 0.0; };
}

void InputBuilder::add_total(const Point& point, const Formula& total) {
  inputs_.points.push_back({point, scalars_->add(total, point)});
}

double InputBuilder::value_at(const Formula& formula, const Point& x, double variable) const {
  return formula.value(x, scalars_->values(Vector::Constant(scalars_->num_scalars(), variable)));
}

}  // namespace varimesh::run
