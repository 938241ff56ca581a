#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/fem/observable.h"
#include "varimesh/inverse/forward_model.h"

namespace varimesh::inverse {

/// Readings of u at points, as interpolation in the cells that contain them. An InputError names a point outside the
/// mesh, as name(its number).
using SensorName = std::function<std::string(std::size_t)>;
std::string default_sensor_name(std::size_t sensor);
fem::Functionals sensors_at_points(const mesh::Mesh& mesh, const std::vector<Point>& points,
                                   const fem::EllipticProblem& problem, const SensorName& name = default_sensor_name);

/// Readings of u at nodes of the mesh. An InputError names a node number out of range.
fem::Functionals sensors_at_nodes(const std::vector<Index>& nodes, const fem::EllipticProblem& problem);

/// The built-in forward model: kappa -> u -> readings at sensors, then further observables.
class EllipticModel final : public ForwardModel {
 public:
  EllipticModel(std::shared_ptr<const fem::EllipticProblem> problem, fem::Functionals sensors,
                std::vector<fem::Observable> further = {});

  Index num_parameters() const override { return setup_->problem->num_unknowns(); }
  Index num_predictions() const override { return setup_->sensors.size() + static_cast<Index>(setup_->further.size()); }
  Vector predict(const Vector& kappa) const override;
  /// What is predicted of a solution.
  Vector readings(const fem::EllipticSolution& solution) const;
  std::unique_ptr<Linearization> linearize(const Vector& kappa) const override;

 private:
  /// Shared with the linearizations, which may outlive the model.
  struct Setup {
    std::shared_ptr<const fem::EllipticProblem> problem;
    fem::Functionals sensors;
    std::vector<fem::Observable> further;
  };
  struct Derivatives;
  class EllipticLinearization;

  std::shared_ptr<const Setup> setup_;
};

}  // namespace varimesh::inverse
