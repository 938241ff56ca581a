#include "varimesh/inverse/elliptic_model.h"

#include <fmt/format.h>

#include <optional>

#include "varimesh/error.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::inverse {
std::string default_sensor_name(std::size_t sensor) { return fmt::format("sensor {}", sensor); }

fem::Functionals sensors_at_points(const mesh::Mesh& mesh, const std::vector<Point>& points,
                                   const fem::EllipticProblem& problem, const SensorName& name) {
  const mesh::PointLocator locator(mesh);
  fem::Functionals sensors;
  for (std::size_t s = 0; s < points.size(); ++s) {
    const auto location = locator.find(points[s]);
    if (!location)
      throw InputError(fmt::format("{} at ({}) is outside the mesh", name(s),
                                   fmt::join(points[s].data(), points[s].data() + mesh.dimension(), ", ")));
    const auto nodes = mesh.cell(location->cell);
    const auto values = mesh::shape_values(mesh.cell_type, location->reference);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      // At a node of the cell the other shape functions vanish up to rounding: leave them out.
      if (std::abs(values[static_cast<Eigen::Index>(a)]) < 1e-14) continue;
      sensors.column.push_back(problem.position()[nodes[a]]);
      sensors.value.push_back(values[static_cast<Eigen::Index>(a)]);
    }
    sensors.start.push_back(static_cast<Index>(sensors.column.size()));
  }
  return sensors;
}

fem::Functionals sensors_at_nodes(const std::vector<Index>& nodes, const fem::EllipticProblem& problem) {
  fem::Functionals sensors;
  for (const Index node : nodes) {
    if (node < 0 || node >= problem.num_nodes())
      throw InputError(fmt::format("expected a node from 0 to {}, found {}", problem.num_nodes() - 1, node));
    sensors.column.push_back(problem.position()[node]);
    sensors.value.push_back(1);
    sensors.start.push_back(static_cast<Index>(sensors.column.size()));
  }
  return sensors;
}

namespace {

/// What rows read of a vector.
Vector read(const fem::Functionals& rows, const Eigen::Ref<const Vector>& v) {
  Vector result(rows.size());
  for (Index s = 0; s < rows.size(); ++s) {
    double sum = 0;
    for (Index k = rows.start[s]; k < rows.start[s + 1]; ++k) sum += rows.value[k] * v[rows.column[k]];
    result[s] = sum;
  }
  return result;
}

/// v += rows' w
void add_transposed(const fem::Functionals& rows, const Eigen::Ref<const Vector>& w, Eigen::Ref<Vector> v) {
  for (Index s = 0; s < rows.size(); ++s) {
    for (Index k = rows.start[s]; k < rows.start[s + 1]; ++k) v[rows.column[k]] += rows.value[k] * w[s];
  }
}

void end_row(fem::Functionals& rows) { rows.start.push_back(static_cast<Index>(rows.column.size())); }

}  // namespace

/// With further observables, at one x: J = P du/dx + B T, with rows P by u and B by the network's kappa and amplitudes,
/// whose derivative by x is T.
struct EllipticModel::Derivatives {
  fem::Functionals by_u, direct;

  Derivatives(const Setup& setup, const fem::EllipticSolution& solution) : by_u(setup.sensors) {
    direct.start.assign(by_u.start.size(), 0);
    for (const fem::Observable& observable : setup.further) {
      const fem::Observable::Derivative derivative = observable.derivative(solution);
      for (const auto& [node, value] : derivative.state) {
        by_u.column.push_back(node);
        by_u.value.push_back(value);
      }
      for (const auto& [coefficient, value] : derivative.direct) {
        direct.column.push_back(coefficient);
        direct.value.push_back(value);
      }
      end_row(by_u);
      end_row(direct);
    }
  }
};

class EllipticModel::EllipticLinearization final : public Linearization {
 public:
  EllipticLinearization(std::shared_ptr<const Setup> setup, fem::EllipticSolution solution, Vector prediction)
      : setup_(std::move(setup)), solution_(std::move(solution)), prediction_(std::move(prediction)) {
    if (!setup_->further.empty()) derivatives_.emplace(*setup_, solution_);
  }

  const Vector& prediction() const override { return prediction_; }

  Vector jacobian_transposed(const Vector& w) const override {
    // J' w is the gradient of (P' w)' u, and T' B' w.
    thread_local Vector functional;
    functional.setZero(setup_->problem->num_nodes());
    add_transposed(by_u(), w, functional);
    Vector gradient;
    solution_.gradient(functional, gradient);
    if (derivatives_) gradient += direct_transposed(w);
    return gradient;
  }

  Matrix jacobian_transposed_block(const Matrix& w) const override {
    Matrix functionals = Matrix::Zero(setup_->problem->num_nodes(), w.cols());
    for (Eigen::Index c = 0; c < w.cols(); ++c) add_transposed(by_u(), w.col(c), functionals.col(c));
    Matrix result = solution_.gradients(functionals);
    if (derivatives_) {
      for (Eigen::Index c = 0; c < w.cols(); ++c) result.col(c) += direct_transposed(w.col(c));
    }
    return result;
  }

  Matrix jacobian_block(const Matrix& v) const override {
    // J v = P (du/dkappa v) + B T v
    const Matrix du = solution_.derivatives(v);
    Matrix result(by_u().size(), v.cols());
    for (Eigen::Index c = 0; c < v.cols(); ++c) {
      result.col(c) = read(by_u(), du.col(c));
      if (derivatives_) result.col(c) += read(derivatives_->direct, solution_.push_forward(v.col(c)));
    }
    return result;
  }

  Matrix jacobian() const override {
    Matrix result = solution_.jacobian(by_u());
    if (!derivatives_) return result;
    const fem::Functionals& direct = derivatives_->direct;
    const auto& means = setup_->problem->exponents();
    const bool plain = setup_->problem->num_amplitudes() == 0;
    for (Index s = setup_->sensors.size(); s < result.rows(); ++s) {
      if (!plain) result.row(s) += direct_transposed(Vector::Unit(result.rows(), s)).transpose();
      for (Index k = direct.start[s]; plain && k < direct.start[s + 1]; ++k) {
        if (means)
          result.row(s) += direct.value[k] * means->row(direct.column[k]);
        else
          result(s, direct.column[k]) += direct.value[k];
      }
    }
    return result;
  }

 private:
  const fem::Functionals& by_u() const { return derivatives_ ? derivatives_->by_u : setup_->sensors; }

  /// T' B' w
  Vector direct_transposed(const Eigen::Ref<const Vector>& w) const {
    Vector result = Vector::Zero(setup_->problem->network().num_coefficients() + setup_->problem->num_amplitudes());
    add_transposed(derivatives_->direct, w, result);
    solution_.pull_back(result);
    return result;
  }

  std::shared_ptr<const Setup> setup_;
  fem::EllipticSolution solution_;
  Vector prediction_;
  std::optional<Derivatives> derivatives_;
};

EllipticModel::EllipticModel(std::shared_ptr<const fem::EllipticProblem> problem, fem::Functionals sensors,
                             std::vector<fem::Observable> further)
    : setup_(std::make_shared<const Setup>(Setup{std::move(problem), std::move(sensors), std::move(further)})) {}

Vector EllipticModel::readings(const fem::EllipticSolution& solution) const {
  Vector result = read(setup_->sensors, solution.u());
  if (setup_->further.empty()) return result;
  result.conservativeResize(num_predictions());
  for (std::size_t k = 0; k < setup_->further.size(); ++k)
    result[setup_->sensors.size() + static_cast<Index>(k)] = setup_->further[k].value(solution);
  return result;
}

Vector EllipticModel::predict(const Vector& kappa) const { return readings(setup_->problem->solve(kappa)); }

std::unique_ptr<Linearization> EllipticModel::linearize(const Vector& kappa) const {
  fem::EllipticSolution solution = setup_->problem->solve(kappa);
  Vector prediction = readings(solution);
  return std::make_unique<EllipticLinearization>(setup_, std::move(solution), std::move(prediction));
}

}  // namespace varimesh::inverse
