#pragma once

#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"

namespace varimesh::python {

/// N(mean, covariance) with any covariance.
class DensePrior final : public inverse::GaussianPrior {
 public:
  /// Throws InputError for sizes that differ or a covariance that is not positive definite.
  DensePrior(const Vector& mean, const Matrix& covariance);

  const gaussian::Gaussian& gaussian() const override { return gaussian_; }
  bool has_sparse_precision() const override { return false; }
  const inverse::SparseMatrix* sparse_precision() const override { return nullptr; }
  const Matrix* dense_precision() const override { return &precision_; }
  const Vector& precision_diagonal() const override { return precision_diagonal_; }

 private:
  gaussian::DenseGaussian gaussian_;
  Matrix precision_;
  Vector precision_diagonal_;
};

}  // namespace varimesh::python
