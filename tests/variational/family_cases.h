#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "problems.h"
#include "variational/toy_problems.h"
#include "varimesh/fem/coefficient_map.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/mesh/cell_graph.h"
#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/low_rank.h"
#include "varimesh/variational/mean_field.h"
#include "varimesh/variational/mixture.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational::test {

// Every variational family, somewhere and at a posterior that it contains, for tests of what all of them promise.

using GaussianPriorPointer = std::shared_ptr<const inverse::GaussianPrior>;
using Tree = gaussian::SparseGaussian::Tree;

inline Matrix normal_matrix(Index rows, Index columns, Random& random) {
  return Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

inline mesh::Mesh interval() { return mesh::create_interval(8); }
inline mesh::Mesh rectangle() { return mesh::create_rectangle(mesh::CellType::triangle, {3, 2}); }

/// Cells at most two facets apart: what the precision matrix of an SpdePrior of order 2 couples.
inline linalg::Graph two_facets_apart(const mesh::Mesh& mesh) {
  const mesh::CellLabels facets = mesh::cell_labels(mesh, mesh::CellNeighbours::sharing_facet);
  return linalg::neighbourhoods(linalg::sharing_graph(facets.labels, facets.labels_per_cell, facets.num_labels), 2);
}

inline Tree band() {
  const linalg::Graph graph = two_facets_apart(interval());
  return std::make_shared<linalg::CliqueTree>(graph, linalg::reverse_cuthill_mckee(graph), linalg::Amalgamation::none);
}

inline Tree dissected() {
  const linalg::Graph graph = two_facets_apart(rectangle());
  return std::make_shared<linalg::CliqueTree>(graph, linalg::nested_dissection(graph).order,
                                              linalg::Amalgamation::relaxed);
}

// ---- priors on the cells of a mesh

inline GaussianPriorPointer gaussian_process(const mesh::Mesh& mesh) {
  return std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.3, 0.3, 0.3}},
      fem::coefficient_positions(mesh, fem::one_per_cell(mesh)), 0.4, 1e-6);
}

inline GaussianPriorPointer independent(const mesh::Mesh& mesh) {
  const Index n = mesh.num_cells();
  return std::make_shared<inverse::IndependentPrior>(Vector::LinSpaced(n, -0.5, 0.5), Vector::LinSpaced(n, 0.5, 1.5));
}

inline GaussianPriorPointer spde(const mesh::Mesh& mesh) {
  return std::make_shared<inverse::SpdePrior>(mesh, inverse::SpdeSettings{.range = 0.5, .mean = -0.3});
}

// ---- the families, somewhere

inline std::unique_ptr<MeanField> mean_field(Index n, Random& random) {
  const Vector sigma = (0.3 * random.normal_vector(n)).array().exp();
  return std::make_unique<MeanField>(gaussian::DiagonalGaussian(random.normal_vector(n), sigma));
}

inline std::unique_ptr<FullCovariance> full_covariance(Index n, Random& random) {
  Matrix factor = 0.3 * normal_matrix(n, n, random);
  factor.diagonal() = factor.diagonal().array().exp();
  return std::make_unique<FullCovariance>(gaussian::DenseGaussian(random.normal_vector(n), factor));
}

/// The places above the diagonals of the cliques' blocks, which nobody may read, are NaN.
inline std::unique_ptr<SparsePrecision> sparse_precision(const Tree& tree, Random& random) {
  const Index n = tree->size();
  Vector factor = Vector::Constant(static_cast<Eigen::Index>(tree->num_entries()), std::nan(""));
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      const std::size_t place = tree->find(i, j);
      if (place == tree->num_entries()) continue;
      const double x = 0.3 * random.normal();
      factor[static_cast<Eigen::Index>(place)] = i == j ? std::exp(x) : x;
    }
  }
  return std::make_unique<SparsePrecision>(gaussian::SparseGaussian(random.normal_vector(n), tree, factor));
}

// ---- posteriors that lie in the family

struct Exact {
  LinearGaussian problem;
  std::unique_ptr<Family> q;
};

/// Every unknown is measured by itself.
inline LinearGaussian measured_one_by_one(const GaussianPriorPointer& prior) {
  Random random(11);
  const Index n = prior->size();
  const Matrix a = Vector::LinSpaced(n, 0.5, 1.5).asDiagonal();
  return linear_gaussian(prior, a, random.normal_vector(n), 0.5);
}

/// Fewer measurements than unknowns, each of all of them.
inline LinearGaussian measured_together(const GaussianPriorPointer& prior) {
  Random random(12);
  const Index n = prior->size();
  const Matrix a = normal_matrix(n / 2, n, random);
  return linear_gaussian(prior, a, random.normal_vector(n / 2), 0.5);
}

inline std::unique_ptr<MeanField> exact_mean_field(const LinearGaussian& problem) {
  return std::make_unique<MeanField>(
      gaussian::DiagonalGaussian(problem.mean, problem.covariance.diagonal().cwiseSqrt()));
}

inline std::unique_ptr<FullCovariance> exact_full_covariance(const LinearGaussian& problem) {
  return std::make_unique<FullCovariance>(gaussian::DenseGaussian(problem.mean, problem.covariance.llt().matrixL()));
}

inline std::unique_ptr<SparsePrecision> exact_sparse_precision(const LinearGaussian& problem, const Tree& tree) {
  Vector factor = linalg::values_on_pattern(*tree, problem.precision);
  EXPECT_TRUE(linalg::chordal_cholesky(*tree, factor));
  return std::make_unique<SparsePrecision>(gaussian::SparseGaussian(problem.mean, tree, factor));
}

/// Relative to a prior, in some random directions.
inline std::unique_ptr<LowRank> low_rank(const GaussianPriorPointer& prior, Index rank, Random& random) {
  const Index n = prior->size();
  const Matrix u = normal_matrix(n, rank, random).householderQr().householderQ() * Matrix::Identity(n, rank);
  return std::make_unique<LowRank>(gaussian::LowRankGaussian(random.normal_vector(n), {prior, &prior->gaussian()},
                                                             std::make_shared<const Matrix>(u),
                                                             random.normal_vector(rank).array().exp()));
}

/// The eigenvalues of R'A'A R / sigma^2 are the posterior's excess precision.
inline std::unique_ptr<LowRank> exact_low_rank(const LinearGaussian& problem, const GaussianPriorPointer& prior) {
  Matrix w = problem.a.transpose() / problem.sigma;
  prior->gaussian().multiply_root_transposed(w);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(w * w.transpose());
  const auto rank = static_cast<Index>(problem.a.rows());
  return std::make_unique<LowRank>(gaussian::LowRankGaussian(
      problem.mean, {prior, &prior->gaussian()}, std::make_shared<const Matrix>(eigen.eigenvectors().rightCols(rank)),
      eigen.eigenvalues().tail(rank)));
}

struct Case {
  std::string name;
  mesh::Mesh mesh;
  std::function<std::unique_ptr<Family>(Random&)> create;
  std::function<Exact()> exact;
};

inline void PrintTo(const Case& example, std::ostream* out) { *out << example.name; }

inline std::vector<Case> gaussian_cases() {
  const auto exact_sparse = [](const mesh::Mesh& mesh, const Tree& tree) {
    return [=] {
      LinearGaussian problem = measured_one_by_one(spde(mesh));
      auto q = exact_sparse_precision(problem, tree);
      return Exact{std::move(problem), std::move(q)};
    };
  };
  return {
      {"MeanField", interval(), [](Random& random) { return mean_field(8, random); },
       [] {
         LinearGaussian problem = measured_one_by_one(independent(interval()));
         auto q = exact_mean_field(problem);
         return Exact{std::move(problem), std::move(q)};
       }},
      {"FullCovariance", interval(), [](Random& random) { return full_covariance(8, random); },
       [] {
         LinearGaussian problem = measured_together(gaussian_process(interval()));
         auto q = exact_full_covariance(problem);
         return Exact{std::move(problem), std::move(q)};
       }},
      {"LowRank", interval(), [](Random& random) { return low_rank(gaussian_process(interval()), 3, random); },
       [] {
         const GaussianPriorPointer prior = gaussian_process(interval());
         LinearGaussian problem = measured_together(prior);
         auto q = exact_low_rank(problem, prior);
         return Exact{std::move(problem), std::move(q)};
       }},
      {"SparsePrecisionOnBand", interval(), [](Random& random) { return sparse_precision(band(), random); },
       exact_sparse(interval(), band())},
      {"SparsePrecisionOnMesh", rectangle(), [](Random& random) { return sparse_precision(dissected(), random); },
       exact_sparse(rectangle(), dissected())},
  };
}

inline std::vector<Case> all_cases() {
  std::vector<Case> list = gaussian_cases();
  list.push_back({"MixtureOfMeanFields", interval(),
                  [](Random& random) { return mixture(mean_field(8, random), mean_field(8, random)); },
                  [] {
                    LinearGaussian problem = measured_one_by_one(independent(interval()));
                    auto q = mixture(exact_mean_field(problem), exact_mean_field(problem));
                    return Exact{std::move(problem), std::move(q)};
                  }});
  list.push_back({"MixtureOfFullCovariances", interval(),
                  [](Random& random) { return mixture(full_covariance(8, random), full_covariance(8, random)); },
                  [] {
                    LinearGaussian problem = measured_together(gaussian_process(interval()));
                    auto q = mixture(exact_full_covariance(problem), exact_full_covariance(problem));
                    return Exact{std::move(problem), std::move(q)};
                  }});
  return list;
}

}  // namespace varimesh::variational::test
