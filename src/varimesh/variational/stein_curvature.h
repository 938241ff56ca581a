#pragma once

#include <memory>

#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/variational/curvature.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// The curvature H = -E_q[Hessian of the log-likelihood] from gradients alone. By Stein's identity
///     E[Hessian] = E[Q x grad'],  x = kappa - mean,
/// and, with the present estimate H as control variate, -E[Hessian] = H - E[Q x (grad + H x)'], whose noise vanishes as
/// the estimate gets right. With a sparse prior, where a dense matrix would be too large, mean field and the sparse
/// family keep a fixed part Y Y' of low rank and correct it on the diagonal or on their pattern. Low rank keeps the
/// directions that it begins with, U relative to the prior, and corrects the matrix U'R'H R U between them.
class SteinCurvature {
 public:
  /// Begins with a curvature of low rank, as seen from q.
  SteinCurvature(const GaussianFamily& q, const inverse::GaussianPrior& prior, const Curvature& start, int threads);

  /// Improves the estimate with gradients at draws mean + x = mean + R z of q (antithetic pairs). The step allows for
  /// the noise, is multiplied by `scale`, and is shortened until Q_prior + H is positive definite.
  void update(const GaussianFamily& q, const Matrix& z, const Matrix& x, const Matrix& gradients, double scale);

  Curvature curvature() const { return curvature_of(h_); }

 private:
  enum class Shape { diagonal, dense, pattern, subspace };

  Curvature curvature_of(const Matrix& h) const;
  /// The estimate of H + E[Hessian], to be subtracted from H.
  Matrix excess(const GaussianFamily& q, const Matrix& z, const Matrix& x, const Matrix& gradients) const;

  const inverse::GaussianPrior* prior_;
  int threads_;
  Shape shape_;
  Matrix h_;        ///< n x 1, n x n, the entries of the correction on the pattern, or k x k between the directions
  Matrix columns_;  ///< Y
  std::shared_ptr<const Matrix> directions_;        ///< U
  std::shared_ptr<const linalg::CliqueTree> tree_;  ///< the pattern; for a diagonal, the prior's
  Index noise_size_;  ///< the relative noise of an excess from p pairs is about sqrt(noise_size_ / p)
};

}  // namespace varimesh::variational
