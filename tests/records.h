#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/linalg/graph.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::test {

/// A made-up problem in one, two or three dimensions, with sensors at some nodes, a truth and two quantities.
inline result::ProblemRecord sample_problem(int dimension, result::Support support = result::Support::cells) {
  result::ProblemRecord problem;
  problem.labels = {.title = "A \"sample\" <plate> & \u03ba",
                    .u = "temperature",
                    .conductivity = "conductivity",
                    .length_unit = "m",
                    .u_unit = "K",
                    .conductivity_unit = "W/(m K)",
                    .flux_unit = "W"};
  problem.words = {"-div(exp(kappa) grad u) = 1.", "A mesh.", "Sensors.", "A prior.", "Noise.", ""};
  problem.fingerprint = "0123456789abcdef";
  problem.mesh = dimension == 1   ? mesh::create_interval(12)
                 : dimension == 2 ? mesh::create_rectangle(mesh::CellType::triangle, {4, 3}, {})
                                  : mesh::create_box(mesh::CellType::tetrahedron, {2, 2, 2}, {});
  Random random(7);
  problem.support = support;
  if (problem.on_nodes()) problem.positions = problem.mesh.nodes;
  for (Index c = 0; c < problem.mesh.num_cells() && !problem.on_nodes(); ++c) {
    problem.unknown_of_cell.push_back(c);
    problem.positions.push_back(mesh::centroid(problem.mesh, c));
  }
  for (Index v = 0; v < problem.mesh.num_nodes(); v += 3) problem.sensors.points.push_back(problem.mesh.nodes[v]);
  const auto sensors = static_cast<Index>(problem.sensors.points.size());
  problem.sensors.mean = random.normal_vector(sensors);
  problem.sensors.sigma = Vector::Constant(sensors, 0.1);
  problem.sensors.count = Vector::Constant(sensors, 5);
  problem.quantities = {{"out", "flux out through right"}, {"log_out", "log flux out through right"}};
  problem.truth = result::Truth{random.normal_vector(problem.num_unknowns()),
                                random.normal_vector(problem.mesh.num_nodes()), random.normal_vector(2)};
  return problem;
}

/// Draws of so many chains with made-up statistics.
inline result::Draws sample_draws(Index unknowns, Index chains, Index draws) {
  std::vector<std::shared_ptr<const result::ChainDraws>> all;
  for (Index c = 0; c < chains; ++c) {
    Random random(11, static_cast<std::uint64_t>(c));
    std::vector<double> records;
    for (Index s = 0; s < draws; ++s) {
      const Vector kappa = random.normal_vector(unknowns);
      records.insert(records.end(), kappa.begin(), kappa.end());
      const double log_likelihood = -random.uniform();
      for (const double value : {log_likelihood - 1, log_likelihood, random.uniform(), 20 + random.normal(), 7.0, 3.0,
                                 s % 10 == 9 ? 1.0 : 0.0})
        records.push_back(value);
    }
    all.push_back(std::make_shared<result::MemoryDraws>(std::move(records)));
  }
  return {unknowns, std::move(all)};
}

/// What every method's answer has, filled with made-up numbers that fit the problem.
inline void fill_answer(const result::ProblemRecord& problem, result::MethodRecord& method) {
  Random random(13);
  const Index n = problem.num_unknowns(), draws = method.num_draws(), nodes = problem.mesh.num_nodes();
  const auto normals = [&](Index rows, Index columns) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); }));
  };
  const auto positive = [&](Index size) { return Vector(random.normal_vector(size).cwiseAbs().array() + 0.1); };
  method.version = "0.1.0";
  method.seed = 42;
  method.settings = {{"use", std::string("pmvb")}, {"fit.tolerance", 0.01}, {"fit.first_derivatives_only", false}};
  method.seconds = 1.25;
  method.phases = {{"first", 1.0}, {"second", 0.25}};
  method.counts = {1, 2, 3, 4, 5, 6};
  method.kappa = {random.normal_vector(n), positive(n), random.normal_vector(n), random.normal_vector(n),
                  random.normal_vector(n)};
  method.prior_draws = normals(n, 5);
  method.u = {random.normal_vector(nodes), positive(nodes)};
  method.u_at_mean = random.normal_vector(nodes);
  method.predicted = {random.normal_vector(problem.num_sensors()), positive(problem.num_sensors())};
  method.predicted_draws = normals(problem.num_sensors(), draws);
  if (const Index sensors = problem.num_sensors(); sensors > 0) {
    const auto quantities = std::ssize(problem.quantities);
    Random further(14);
    for (Vector* values : {&method.leave_one_out.mean, &method.leave_one_out.residual, &method.leave_one_out.elpd,
                           &method.leave_one_out.khat, &method.leave_one_out.sd, &method.mesh_check.sensors})
      *values = further.normal_vector(sensors);
    method.leave_one_out.matched = 1;
    method.leave_one_out.worst = {{sensors - 1, 1.5, Vector::Constant(quantities, -0.25)}};
    method.mesh_check.refined_cells = 96;
    method.mesh_check.quantities = Vector::Constant(quantities, 0.125);
    method.mesh_check.quantities_before = Vector::Constant(quantities, 2);
    auto& prior = method.prior_sensitivity;
    prior.quantity_mean = prior.quantity_sd = Vector::Constant(quantities, 0.5);
    prior.alternatives.resize(2);
    prior.alternatives[0].name = "double the length-scale (0.4)";
    prior.alternatives[0].failure = "the covariance is not positive definite";
    result::PriorAlternative& rougher = prior.alternatives[1];
    rougher.change = result::PriorAlternative::Change::rougher;
    rougher.name = "kernel matern12";
    rougher.log_evidence = -2.25;
    rougher.field_shift = 3.5;
    rougher.own_shift = 1.75;
    rougher.unknown = n - 1;
    rougher.outside = 0.25;
    rougher.sd_ratio = 1.5;
    rougher.held = 0.625;
    rougher.quantity_mean = rougher.quantity_sd = rougher.quantity_shift = rougher.quantity_held =
        Vector::Constant(quantities, 0.75);
    prior.shown = 1;
    prior.shift = further.normal_vector(n);
  }
  method.quantity_draws = normals(static_cast<Index>(problem.quantities.size()), draws);
  method.u_draws = normals(nodes, draws);
  method.shown_draws = {0, draws / 2, draws - 1};
  method.shown_u = normals(nodes, 3);
  method.quantities.assign(problem.quantities.size(), {1, 2, -1, 0.5, 3, Vector::LinSpaced(9, -3, 5), positive(9)});
  method.kappa_error = {1.5, 0.1};
  method.u_error = {0.5, 0.01};
  method.trust = {{result::TrustItem::Level::good, "It converged.", "That is good.", "", result::TrustItem::Kind::end},
                  {result::TrustItem::Level::warn,
                   "Some \"doubt\".",
                   "k-hat is 0.6.",
                   "Run NUTS.",
                   result::TrustItem::Kind::approximation,
                   "out",
                   {{"khat", 0.6}}}};
}

enum class SampleFamily { diagonal, dense, sparse, mixture };

/// A fit with 20 draws.
inline result::MethodRecord sample_fit(const result::ProblemRecord& problem, SampleFamily family) {
  const Index n = problem.num_unknowns();
  Random random(17);
  result::MethodRecord method;
  method.method = "pmvb";
  method.name = "PMVB";
  method.description = "normal, sparse precision (2-neighbourhoods), natural gradient";
  method.status = result::Status::converged;
  method.message = "converged: q is within 0.01 nats of the best of its family";
  method.elbo = {12.5, 0.02};
  method.khat = {0.4, 0.7, "good"};
  method.trace = {{1, 0, -50, std::numeric_limits<double>::quiet_NaN(), 1, 3, 0.1}, {2, 16, 12, 0.5, 0.5, 0.1, 0.2}};
  const auto dense = [&] {
    Matrix factor = Matrix::Identity(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j + 1; i < n; ++i) factor(i, j) = 0.1 * random.normal();
    }
    return std::make_shared<gaussian::DenseGaussian>(random.normal_vector(n), factor);
  };
  switch (family) {
    case SampleFamily::diagonal:
      method.components = {
          std::make_shared<gaussian::DiagonalGaussian>(random.normal_vector(n), Vector::LinSpaced(n, 0.1, 1))};
      break;
    case SampleFamily::dense:
      method.components = {dense()};
      break;
    case SampleFamily::mixture:
      method.components = {dense(), dense()};
      break;
    case SampleFamily::sparse: {
      // A ring, eliminated in a scrambled order.
      std::vector<std::pair<Index, Index>> edges;
      linalg::Ordering order;
      for (Index i = 0; i < n; ++i) edges.emplace_back(i, (i + 1) % n);
      for (Index i = 0; i < n; ++i) order.push_back(i % 2 == 0 ? i / 2 : n - 1 - i / 2);
      const auto tree =
          std::make_shared<linalg::CliqueTree>(linalg::create_graph(n, edges), order, linalg::Amalgamation::relaxed);
      Vector factor = Vector::Zero(static_cast<Eigen::Index>(tree->num_entries()));
      for (Index j = 0; j < n; ++j) {
        for (Index i = j; i < n; ++i) {
          if (const std::size_t place = tree->find(i, j); place < tree->num_entries())
            factor[static_cast<Eigen::Index>(place)] = i == j ? 1.5 : 0.2 * random.normal();
        }
      }
      method.components = {std::make_shared<gaussian::SparseGaussian>(random.normal_vector(n), tree, factor)};
    }
  }
  method.draws = sample_draws(n, 1, 20);
  method.log_weights = Vector::Constant(20, -std::log(20.0));
  fill_answer(problem, method);
  return method;
}

/// Three chains of 20 draws.
inline result::MethodRecord sample_chains(const result::ProblemRecord& problem) {
  result::MethodRecord method;
  method.method = "nuts";
  method.name = "NUTS";
  method.description = "No-U-Turn sampler, mass matrix from a fit";
  method.status = result::Status::completed;
  method.message = "3 chains of 20 draws";
  method.chains = {3, 20, 1.002, 55.5, 44.4, 0.83, 0.9, 6};
  method.draws = sample_draws(problem.num_unknowns(), 3, 20);
  fill_answer(problem, method);
  return method;
}

}  // namespace varimesh::test
