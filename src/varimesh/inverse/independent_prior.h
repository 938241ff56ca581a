#pragma once

#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"

namespace varimesh::inverse {

/// kappa_i ~ N(mean_i, sigma_i^2), independent.
class IndependentPrior final : public GaussianPrior {
 public:
  /// Throws InputError for sizes that differ or a sigma that is not positive.
  IndependentPrior(Vector mean, Vector sigma);

  const gaussian::Gaussian& gaussian() const override { return gaussian_; }
  bool has_sparse_precision() const override { return true; }
  const SparseMatrix* sparse_precision() const override { return &precision_; }
  const Matrix* dense_precision() const override { return nullptr; }
  const Vector& precision_diagonal() const override { return precision_diagonal_; }

 private:
  gaussian::DiagonalGaussian gaussian_;
  Vector precision_diagonal_;
  SparseMatrix precision_;
};

}  // namespace varimesh::inverse
