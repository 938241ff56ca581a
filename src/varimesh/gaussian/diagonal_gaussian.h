#pragma once

#include "varimesh/gaussian/gaussian.h"

namespace varimesh::gaussian {

/// Independent normals: R = diag(sigma).
class DiagonalGaussian final : public Gaussian {
 public:
  /// Throws InputError for sizes that differ, a mean that is not finite or a sigma that is not positive.
  DiagonalGaussian(Vector mean, Vector sigma);

  const Vector& sigma() const { return sigma_; }

  void multiply_root(Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(Eigen::Ref<Matrix> x) const override { multiply_root(x); }
  void solve_root(Eigen::Ref<Matrix> x) const override;
  void solve_root_transposed(Eigen::Ref<Matrix> x) const override { solve_root(x); }
  double log_determinant() const override { return log_determinant_; }
  Vector variance() const override { return sigma_.cwiseAbs2(); }
  Vector precision_diagonal() const override { return sigma_.cwiseAbs2().cwiseInverse(); }
  Matrix dense_root() const override { return sigma_.asDiagonal(); }

 private:
  Vector sigma_;
  double log_determinant_;
};

}  // namespace varimesh::gaussian
