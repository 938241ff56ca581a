#include "varimesh/inverse/spde_prior.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/inverse/spde_prior_stiffness.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/ordering.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::inverse {
namespace {

void check(const SpdeSettings& settings, int dimension) {
  const auto require_positive = [](double value, const char* what) {
    if (!(value > 0 && std::isfinite(value)))
      throw InputError(fmt::format("expected a positive {}, found {}", what, value));
  };
  require_positive(settings.sigma, "sigma");
  require_positive(settings.range, "range");
  if (!std::isfinite(settings.mean)) throw InputError("expected a finite mean");
  const int smallest = dimension / 2 + 1;  // alpha > d/2
  if (settings.order < smallest || settings.order > SpdePrior::max_order)
    throw InputError(fmt::format("expected an order from {} to {}, so that nu = order - {}/2 is positive, found {}",
                                 smallest, SpdePrior::max_order, dimension, settings.order));
}

/// Q = tau^2 M (C^-1 M)^(alpha-1)
SparseMatrix create_precision(const mesh::Mesh& mesh, const SpdeSettings& settings) {
  const int dimension = mesh.dimension();
  check(settings, dimension);
  const double alpha = settings.order, half_dimension = dimension / 2.0, nu = alpha - half_dimension;
  // k = sqrt(8 nu) / range
  const double k = std::sqrt(8 * nu) / settings.range;
  // tau^2 = Gamma(nu) / (Gamma(alpha) (4 pi)^(d/2) k^(2 nu) sigma^2)
  const double tau_squared = std::tgamma(nu) / (std::tgamma(alpha) * std::pow(4 * std::numbers::pi, half_dimension) *
                                                std::pow(k, 2 * nu) * settings.sigma * settings.sigma);
  Vector volume(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c) volume[c] = mesh::signed_measure(mesh, c);
  // M = k^2 C + S
  SparseMatrix m = cell_stiffness(mesh);
  m.diagonal() += k * k * volume;
  SparseMatrix precision = tau_squared * m;
  // M <- C^-1 M, entry by entry: Eigen's product with a diagonal matrix takes quadratic time
  for (Eigen::Index e = 0; e < m.nonZeros(); ++e) m.valuePtr()[e] /= volume[m.innerIndexPtr()[e]];
  for (int step = 1; step < settings.order; ++step) precision = (precision * m).eval();
  return precision;
}

linalg::Graph graph_of(const SparseMatrix& matrix) {
  linalg::Graph graph;
  graph.neighbour.reserve(static_cast<std::size_t>(matrix.nonZeros() - matrix.cols()));
  for (Index j = 0; j < matrix.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      if (entry.row() != j) graph.neighbour.push_back(static_cast<Index>(entry.row()));
    }
    graph.start.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

gaussian::SparseGaussian factorize(const SparseMatrix& precision, double mean, int threads) {
  std::shared_ptr<const linalg::CliqueTree> tree;
  {
    const linalg::Graph graph = graph_of(precision);
    tree = std::make_shared<const linalg::CliqueTree>(graph, linalg::nested_dissection(graph).order,
                                                      linalg::Amalgamation::relaxed);
  }
  Vector values = linalg::values_on_pattern(*tree, precision);
  if (!linalg::chordal_cholesky(*tree, values, threads))
    throw InputError(
        "the precision matrix of the field is not numerically positive definite: take a lower order, a shorter range "
        "or larger cells");
  return {Vector::Constant(precision.cols(), mean), std::move(tree), std::move(values)};
}

}  // namespace

SpdePrior::SpdePrior(const mesh::Mesh& mesh, const SpdeSettings& settings, int threads)
    : precision_(create_precision(mesh, settings)),
      precision_diagonal_(precision_.diagonal()),
      gaussian_(factorize(precision_, settings.mean, threads)) {}

}  // namespace varimesh::inverse
