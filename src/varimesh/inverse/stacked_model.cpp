#include "varimesh/inverse/stacked_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/noise/grouped_noise.h"
#include "varimesh/noise/normal_noise.h"

namespace varimesh::inverse {
namespace {

/// A part's rows of values for all unknowns.
Matrix own_rows(const StackedModel::Part& part, const Eigen::Ref<const Matrix>& of_all) {
  return part.unknowns.empty() ? Matrix(of_all) : Matrix(of_all(part.unknowns, Eigen::all));
}

/// of_all += what a part has for its unknowns
void add_own(const StackedModel::Part& part, const Matrix& of_part, Matrix& of_all) {
  if (part.unknowns.empty())
    of_all += of_part;
  else
    of_all(part.unknowns, Eigen::all) += of_part;
}

}  // namespace

class StackedModel::StackedLinearization final : public Linearization {
 public:
  StackedLinearization(std::shared_ptr<const Setup> setup, const Vector& kappa)
      : setup_(std::move(setup)), prediction_(setup_->start.back()) {
    for_each_part([&](const Part& part, Index first, Index count) {
      parts_.push_back(part.model->linearize(own_rows(part, kappa)));
      prediction_.segment(first, count) = parts_.back()->prediction();
    });
    // All or nothing, as the contract of a linearization has it.
    if (!prediction_.allFinite()) prediction_.setConstant(nan);
  }

  const Vector& prediction() const override { return prediction_; }

  Vector jacobian_transposed(const Vector& w) const override {
    Matrix result = Matrix::Zero(setup_->num_parameters, 1);
    for_each_part([&](const Part& part, Index first, Index count) {
      add_own(part, at(part).jacobian_transposed(w.segment(first, count)), result);
    });
    return result;
  }

  Matrix jacobian_transposed_block(const Matrix& w) const override {
    Matrix result = Matrix::Zero(setup_->num_parameters, w.cols());
    for_each_part([&](const Part& part, Index first, Index count) {
      add_own(part, at(part).jacobian_transposed_block(w.middleRows(first, count)), result);
    });
    return result;
  }

  Matrix jacobian_block(const Matrix& v) const override {
    Matrix result(prediction_.size(), v.cols());
    for_each_part([&](const Part& part, Index first, Index count) {
      result.middleRows(first, count) = at(part).jacobian_block(own_rows(part, v));
    });
    return result;
  }

  Matrix jacobian() const override {
    Matrix result = Matrix::Zero(prediction_.size(), setup_->num_parameters);
    for_each_part([&](const Part& part, Index first, Index count) {
      if (part.unknowns.empty())
        result.middleRows(first, count) = at(part).jacobian();
      else
        result.middleRows(first, count)(Eigen::all, part.unknowns) = at(part).jacobian();
    });
    return result;
  }

 private:
  template <class Visit>
  void for_each_part(const Visit& visit) const {
    for (std::size_t p = 0; p < setup_->parts.size(); ++p)
      visit(setup_->parts[p], setup_->start[p], setup_->start[p + 1] - setup_->start[p]);
  }
  const Linearization& at(const Part& part) const {
    return *parts_[static_cast<std::size_t>(&part - setup_->parts.data())];
  }

  std::shared_ptr<const Setup> setup_;
  std::vector<std::unique_ptr<Linearization>> parts_;
  Vector prediction_;
};

StackedModel::StackedModel(Index num_parameters, std::vector<Part> parts) {
  if (parts.empty()) throw InputError("expected at least one experiment, found none");
  auto setup = std::make_shared<Setup>();
  setup->num_parameters = num_parameters;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Part& part = parts[p];
    const auto given = part.unknowns.empty() ? num_parameters : static_cast<Index>(part.unknowns.size());
    if (part.model->num_parameters() != given)
      throw InputError(fmt::format("experiment {}: expected {} unknowns, as its model has, found {}", p,
                                   part.model->num_parameters(), given));
    std::set<Index> seen;
    for (const Index unknown : part.unknowns) {
      if (unknown < 0 || unknown >= num_parameters || !seen.insert(unknown).second)
        throw InputError(fmt::format("experiment {}: expected unknowns from 0 to {}, each once, found {}", p,
                                     num_parameters - 1, unknown));
    }
    setup->start.push_back(setup->start.back() + part.model->num_predictions());
  }
  setup->parts = std::move(parts);
  setup_ = std::move(setup);
}

Vector StackedModel::predict(const Vector& kappa) const {
  Vector result(num_predictions());
  for (std::size_t p = 0; p < num_parts(); ++p) {
    const Part& part = setup_->parts[p];
    result.segment(setup_->start[p], part.model->num_predictions()) = part.model->predict(own_rows(part, kappa));
  }
  if (!result.allFinite()) result.setConstant(nan);
  return result;
}

std::unique_ptr<Linearization> StackedModel::linearize(const Vector& kappa) const {
  return std::make_unique<StackedLinearization>(setup_, kappa);
}

Observations stack(const std::vector<Observations>& experiments) {
  Index size = 0;
  for (const Observations& experiment : experiments) size += experiment.size();
  Observations result{Vector(size), Vector(size), Vector(size), Vector(size)};
  const bool other_noise = std::ranges::any_of(experiments, [](const Observations& e) { return e.noise != nullptr; });
  std::vector<std::shared_ptr<const noise::Noise>> groups;
  Index first = 0;
  for (const Observations& experiment : experiments) {
    const Index count = experiment.size();
    result.mean.segment(first, count) = experiment.mean;
    result.sigma.segment(first, count) = experiment.sigma;
    result.count.segment(first, count) = experiment.count;
    result.weight.segment(first, count) = experiment.weight;
    result.constant += experiment.constant;
    if (other_noise)
      groups.push_back(experiment.noise ? experiment.noise
                                        : std::make_shared<noise::NormalNoise>(experiment.mean, experiment.weight,
                                                                               experiment.constant));
    first += count;
  }
  if (other_noise) result.noise = std::make_shared<noise::GroupedNoise>(std::move(groups));
  return result;
}

}  // namespace varimesh::inverse
