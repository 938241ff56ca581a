#pragma once

#include <memory>
#include <vector>

#include "problems.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/posterior.h"

namespace varimesh::test {

/// An inverse problem of the paper.
struct PaperProblem {
  mesh::Mesh mesh;
  Vector truth;
  std::shared_ptr<const inverse::Posterior> posterior;
};

/// Draws a truth and data, and makes the posterior: sensors at all nodes, a squared-exponential prior.
inline PaperProblem paper_problem(mesh::Mesh mesh, const std::vector<fem::BoundaryCondition>& conditions, double sigma,
                                  double true_length_scale, double prior_length_scale, std::uint64_t seed) {
  constexpr double jitter = 1e-6;
  const fem::CoefficientMap map = fem::one_per_cell(mesh);
  const auto problem = std::make_shared<fem::EllipticProblem>(
      mesh, map, std::vector<fem::SourceTerm>{{.region = {}, .value = constant(1)}}, conditions);
  std::vector<Index> nodes;
  for (Index v = 0; v < mesh.num_nodes(); ++v) nodes.push_back(v);
  const auto model = std::make_shared<inverse::EllipticModel>(problem, inverse::sensors_at_nodes(nodes, *problem));
  const auto process = [&](double length_scale) {
    return std::make_shared<inverse::GaussianProcess>(
        inverse::Kernel{.type = inverse::KernelType::squared_exponential,
                        .length_scale = {length_scale, length_scale, length_scale}},
        fem::coefficient_positions(mesh, map), 0, jitter);
  };
  Random random(seed, 1);
  const Vector truth = process(true_length_scale)->sample(random);
  constexpr Index replicates = 5;
  const Vector u = model->predict(truth);
  const Matrix y = Matrix::NullaryExpr(replicates, u.size(),
                                       [&](Eigen::Index, Eigen::Index i) { return u[i] + sigma * random.normal(); });
  const auto likelihood = std::make_shared<inverse::GaussianLikelihood>(
      model, inverse::observe_replicates(y, Vector::Constant(u.size(), sigma)));
  auto posterior = std::make_shared<inverse::Posterior>(likelihood, process(prior_length_scale));
  return {std::move(mesh), truth, std::move(posterior)};
}

/// The paper's 1D problem: 32 elements, sigma_y 0.01, five replicates, a truth of length-scale 0.2.
inline PaperProblem paper_1d(double prior_length_scale, std::uint64_t seed = 1) {
  mesh::Mesh mesh = mesh::create_interval(32);
  const std::vector<fem::BoundaryCondition> conditions = {dirichlet("left", constant(0)),
                                                          dirichlet("right", constant(0))};
  return paper_problem(std::move(mesh), conditions, 0.01, 0.2, prior_length_scale, seed);
}

/// The paper's 2D problem: a plate with a hole, 208 triangles, sigma_y 0.001, five replicates, a truth of length-scale
/// 0.2.
inline PaperProblem paper_2d(double prior_length_scale, std::uint64_t seed = 1) {
  mesh::Mesh mesh = mesh::create_plate_with_hole();
  const std::vector<fem::BoundaryCondition> conditions = {dirichlet("right", constant(0)),
                                                          dirichlet("top", constant(0))};
  return paper_problem(std::move(mesh), conditions, 0.001, 0.2, prior_length_scale, seed);
}

}  // namespace varimesh::test
