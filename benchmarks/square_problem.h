#pragma once

#include <sys/resource.h>

#include <cmath>
#include <memory>
#include <vector>

#include "../tests/problems.h"
#include "varimesh/fem/boundary_flux.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/posterior.h"
#include "varimesh/inverse/spde_prior.h"

namespace varimesh::benchmarks {

/// A triangulated unit square with u = 0 left and right, f = 1, sensors on a grid, and a Matern prior.
struct SquareSettings {
  Index cells = 30;      ///< along a side
  Index sensors = 10;    ///< along a side
  double noise = 0.002;  ///< of a reading
  double range = 0.4, sd = 1;
  int threads = 1;
};

struct SquareProblem {
  mesh::Mesh mesh;
  std::shared_ptr<fem::EllipticProblem> equation;
  std::shared_ptr<const inverse::SpdePrior> prior;
  fem::Observable flux;  ///< out through the right side
  std::unique_ptr<inverse::Posterior> posterior;
};

inline SquareProblem create_square(const SquareSettings& settings) {
  SquareProblem result;
  result.mesh = mesh::create_rectangle(mesh::CellType::triangle, {settings.cells, settings.cells});
  const mesh::Mesh& mesh = result.mesh;
  const fem::CoefficientMap map = fem::one_per_cell(mesh);
  const std::vector<fem::BoundaryCondition> conditions = {test::dirichlet("left", test::constant(0)),
                                                          test::dirichlet("right", test::constant(0))};
  result.equation = std::make_shared<fem::EllipticProblem>(
      mesh, map, std::vector<fem::SourceTerm>{{.region = {}, .value = test::constant(1)}}, conditions);
  result.flux = fem::boundary_flux(mesh, map, conditions, *result.equation, "right");
  std::vector<Point> points;
  for (Index i = 0; i < settings.sensors; ++i) {
    for (Index j = 0; j < settings.sensors; ++j)
      points.emplace_back((i + 0.5) / settings.sensors, (j + 0.5) / settings.sensors, 0);
  }
  const auto model = std::make_shared<inverse::EllipticModel>(
      result.equation, inverse::sensors_at_points(mesh, points, *result.equation));
  result.prior = std::make_shared<inverse::SpdePrior>(
      mesh, inverse::SpdeSettings{.sigma = settings.sd, .range = settings.range}, settings.threads);
  // The truth is a smooth function, the same on every mesh, so that the problems differ in the mesh only.
  const std::vector<Point> centroids = fem::coefficient_positions(mesh, map);
  Vector truth(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c)
    truth[c] = settings.sd * (std::sin(5 * centroids[c][0] + 1) * std::cos(4 * centroids[c][1]));
  Random random(1);
  const auto m = static_cast<Index>(points.size());
  const Vector y = model->predict(truth) + settings.noise * random.normal_vector(m);
  result.posterior = std::make_unique<inverse::Posterior>(
      std::make_shared<inverse::GaussianLikelihood>(
          model, inverse::observe_means(y, Vector::Ones(m), Vector::Constant(m, settings.noise))),
      result.prior);
  return result;
}

inline double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e6;
}

}  // namespace varimesh::benchmarks
