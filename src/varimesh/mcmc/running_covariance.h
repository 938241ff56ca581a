#pragma once

#include <memory>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/linalg/clique_tree.h"
#include "varimesh/types.h"

namespace varimesh::mcmc {

/// How a covariance that is learnt from draws is stored: diagonal, dense, or with a sparse precision matrix.
enum class ScaleKind { diagonal, dense, sparse };

/// Mean and second moments of draws as they come (Welford's recursion): of the diagonal, of the whole matrix, or of the
/// entries on a chordal pattern. Plain data.
struct RunningCovariance {
  ScaleKind kind = ScaleKind::diagonal;
  std::shared_ptr<const linalg::CliqueTree> pattern = nullptr;  ///< of a sparse one
  Index count = 0;
  Vector mean = Vector(0);
  Vector moments = Vector(0);  ///< sums of products of deviations: n, n x n (lower triangle), or the tree's entries

  static RunningCovariance of(Index size, ScaleKind kind, std::shared_ptr<const linalg::CliqueTree> pattern);

  void add(const Vector& x);
  /// Forgets all draws.
  void clear();

  /// N(mean, covariance), of its kind. Null if some unknown has not moved, if a dense or sparse estimate is not
  /// positive definite, or if it has no more than so many draws for each unknown that others depend on (all, or those
  /// of a clique).
  std::unique_ptr<gaussian::Gaussian> estimate(Index draws_per_unknown) const;
  /// N(mean, its diagonal). Null if some unknown has not moved.
  std::unique_ptr<gaussian::Gaussian> diagonal_estimate() const;

 private:
  Vector variance() const;
  std::unique_ptr<gaussian::Gaussian> dense_estimate() const;
  std::unique_ptr<gaussian::Gaussian> sparse_estimate() const;
};

}  // namespace varimesh::mcmc
