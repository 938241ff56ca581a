#include "varimesh/variational/sparse_precision.h"

#include <cmath>

#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/chordal_dense.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/linalg/times_few.h"

namespace varimesh::variational {
namespace {

using linalg::CliqueTree;

/// Calls visit(place) for the place of every diagonal entry among the values.
template <class Visit>
void for_each_diagonal(const CliqueTree& tree, const Visit& visit) {
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    for (Index j = 0; j < c.columns; ++j)
      visit(
          static_cast<Eigen::Index>(c.entries + static_cast<std::size_t>(j) * (static_cast<std::size_t>(c.rows) + 1)));
  }
}

/// Zero above the diagonals of the cliques' blocks, where a factor may hold anything.
void zero_idle_places(const CliqueTree& tree, Vector& values) {
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    linalg::block_of(values, c).topRows(c.columns).triangularView<Eigen::StrictlyUpper>().setZero();
  }
}

/// [X Y'] on the pattern of L, for X and Y of few columns in the tree's numbering.
Vector product_on_pattern(const CliqueTree& tree, const Matrix& x, const Matrix& y) {
  Vector result = Vector::Zero(static_cast<Eigen::Index>(tree.num_entries()));
  const Matrix y_rows = y.transpose();
  Matrix own;  // rows of X that belong to a clique
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree.clique(k);
    own = x(c.members, Eigen::all);
    auto block = linalg::block_of(result, c);
    for (Index j = 0; j < c.columns; ++j)
      linalg::times_few(own.bottomRows(c.rows - j), y_rows.col(c.first + j), block.col(j).tail(c.rows - j));
  }
  return result;
}

}  // namespace

Vector SparsePrecision::parameters() const {
  Vector factor = q_.factor();
  zero_idle_places(q_.tree(), factor);
  for_each_diagonal(q_.tree(), [&](Eigen::Index place) { factor[place] = std::log(factor[place]); });
  Vector result(size() + factor.size());
  result << q_.mean(), factor;
  return result;
}

bool SparsePrecision::set_parameters(const Vector& parameters) {
  Vector factor = parameters.tail(q_.factor().size());
  bool good = parameters.allFinite();
  for_each_diagonal(q_.tree(), [&](Eigen::Index place) {
    factor[place] = std::exp(factor[place]);
    good = good && factor[place] > 0 && std::isfinite(factor[place]);
  });
  if (good) q_ = gaussian::SparseGaussian(parameters.head(size()), q_.shared_tree(), std::move(factor));
  return good;
}

Vector SparsePrecision::pull_back(const Matrix& z, const Matrix& g) const {
  const CliqueTree& tree = q_.tree();
  // kappa = mean + x, L' x = z:  d/d mean = sum_s g_s,  d/dL = -sum_s x_s (L^-1 g_s)'
  Matrix x = z;
  linalg::chordal_solve_upper(tree, q_.factor(), x);
  Matrix y = linalg::to_tree(tree, g);
  linalg::chordal_solve_lower(tree, q_.factor(), y);
  Vector factor_gradient = -product_on_pattern(tree, x, y);
  for_each_diagonal(tree, [&](Eigen::Index place) { factor_gradient[place] *= q_.factor()[place]; });
  Vector result(size() + factor_gradient.size());
  result << g.rowwise().sum(), factor_gradient;
  return result;
}

double SparsePrecision::trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const {
  const CliqueTree& tree = q_.tree();
  // With F(Q) = 1/2 tr(Q_p Q^-1) + 1/2 log det Q, the gradient by L is -[Sigma Q_p L^-T] on the pattern + diag(1 /
  // L_ii).
  double trace = 0;
  Vector factor_gradient;
  if (const inverse::SparseMatrix* precision = prior.sparse_precision()) {
    const Vector prior_values = linalg::values_on_pattern(tree, *precision);
    const Vector sigma = linalg::chordal_selected_inverse(tree, q_.factor());
    trace = linalg::chordal_inner_product(tree, prior_values, sigma);
    if (gradient) {
      const Vector g = linalg::chordal_congruence(tree, q_.factor(), sigma, prior_values);
      factor_gradient = -0.5 * linalg::chordal_factor_gradient(tree, q_.factor(), g);
    }
  } else if (const Matrix* dense = prior.dense_precision()) {
    trace = linalg::chordal_dense_trace(tree, q_.factor(), *dense, gradient ? &factor_gradient : nullptr);
  } else {
    // Q_p = R R', tr(Q_p Sigma) = |Y|^2 with Y = L^-1 R, and Sigma Q_p L^-T = (L^-T Y) Y'
    Matrix y = linalg::to_tree(tree, precision_root(prior));
    linalg::chordal_solve_lower(tree, q_.factor(), y);
    trace = y.squaredNorm();
    if (gradient) {
      Matrix z = y;
      linalg::chordal_solve_upper(tree, q_.factor(), z);
      factor_gradient = -product_on_pattern(tree, z, y);
    }
  }
  if (gradient) {
    for_each_diagonal(
        tree, [&](Eigen::Index place) { factor_gradient[place] = factor_gradient[place] * q_.factor()[place] + 1; });
    gradient->resize(size() + factor_gradient.size());
    gradient->tail(factor_gradient.size()) = factor_gradient;
  }
  return trace;
}

}  // namespace varimesh::variational
