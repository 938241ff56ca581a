#pragma once

#include "varimesh/gaussian/gaussian.h"

namespace varimesh::gaussian {

/// A normal distribution with a dense covariance L L': R = L, lower triangular.
class DenseGaussian final : public Gaussian {
 public:
  /// Only the lower triangle of the factor is read. Throws InputError for sizes that differ, a mean that is not finite,
  /// or a diagonal of the factor that is not positive.
  DenseGaussian(Vector mean, Matrix factor);

  /// L, with zeros above its diagonal.
  const Matrix& factor() const { return factor_; }

  void multiply_root(Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(Eigen::Ref<Matrix> x) const override;
  void solve_root(Eigen::Ref<Matrix> x) const override;
  void solve_root_transposed(Eigen::Ref<Matrix> x) const override;
  double log_determinant() const override { return log_determinant_; }
  Vector variance() const override { return factor_.rowwise().squaredNorm(); }
  Vector precision_diagonal() const override;
  Matrix dense_root() const override { return factor_; }

 private:
  Matrix factor_;
  double log_determinant_;
};

}  // namespace varimesh::gaussian
