#include "varimesh/inverse/elliptic_model.h"

#include <fmt/format.h>

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

/// What the sensors read of a field over nodes.
Vector read(const fem::Functionals& sensors, const Eigen::Ref<const Vector>& u) {
  Vector result(sensors.size());
  for (Index s = 0; s < sensors.size(); ++s) {
    double sum = 0;
    for (Index k = sensors.start[s]; k < sensors.start[s + 1]; ++k) sum += sensors.value[k] * u[sensors.column[k]];
    result[s] = sum;
  }
  return result;
}

}  // namespace

class EllipticModel::EllipticLinearization final : public Linearization {
 public:
  EllipticLinearization(std::shared_ptr<const Setup> setup, fem::EllipticSolution solution, Vector prediction)
      : setup_(std::move(setup)), solution_(std::move(solution)), prediction_(std::move(prediction)) {}

  const Vector& prediction() const override { return prediction_; }

  Vector jacobian_transposed(const Vector& w) const override {
    // J' w is the gradient of (P' w)' u.
    const fem::Functionals& sensors = setup_->sensors;
    thread_local Vector functional;
    functional.setZero(setup_->problem->num_nodes());
    for (Index s = 0; s < sensors.size(); ++s) {
      for (Index k = sensors.start[s]; k < sensors.start[s + 1]; ++k)
        functional[sensors.column[k]] += sensors.value[k] * w[s];
    }
    Vector gradient;
    solution_.gradient(functional, gradient);
    return gradient;
  }

  Matrix jacobian_transposed_block(const Matrix& w) const override {
    const fem::Functionals& sensors = setup_->sensors;
    Matrix functionals = Matrix::Zero(setup_->problem->num_nodes(), w.cols());
    for (Eigen::Index c = 0; c < w.cols(); ++c) {
      for (Index s = 0; s < sensors.size(); ++s) {
        for (Index k = sensors.start[s]; k < sensors.start[s + 1]; ++k)
          functionals(sensors.column[k], c) += sensors.value[k] * w(s, c);
      }
    }
    return solution_.gradients(functionals);
  }

  Matrix jacobian_block(const Matrix& v) const override {
    // J v = P (du/dkappa v)
    const Matrix du = solution_.derivatives(v);
    Matrix result(setup_->sensors.size(), v.cols());
    for (Eigen::Index c = 0; c < v.cols(); ++c) result.col(c) = read(setup_->sensors, du.col(c));
    return result;
  }

  Matrix jacobian() const override { return solution_.jacobian(setup_->sensors); }

 private:
  std::shared_ptr<const Setup> setup_;
  fem::EllipticSolution solution_;
  Vector prediction_;
};

EllipticModel::EllipticModel(std::shared_ptr<const fem::EllipticProblem> problem, fem::Functionals sensors)
    : setup_(std::make_shared<const Setup>(Setup{std::move(problem), std::move(sensors)})) {}

Vector EllipticModel::readings(const fem::EllipticSolution& solution) const {
  return read(setup_->sensors, solution.u());
}

Vector EllipticModel::predict(const Vector& kappa) const { return readings(setup_->problem->solve(kappa)); }

std::unique_ptr<Linearization> EllipticModel::linearize(const Vector& kappa) const {
  fem::EllipticSolution solution = setup_->problem->solve(kappa);
  Vector prediction = readings(solution);
  return std::make_unique<EllipticLinearization>(setup_, std::move(solution), std::move(prediction));
}

}  // namespace varimesh::inverse
