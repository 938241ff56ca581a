#pragma once

#include <memory>

#include "varimesh/gaussian/gaussian.h"

namespace varimesh::gaussian {

/// A normal distribution that differs from another one, its base N(m, B B'), in few directions:
///
///   precision = B^-T (I + U diag(lambda) U') B^-1 / s^2,   U'U = I (n x k),
///   R = s B (I + U diag((1 + lambda)^(-1/2) - 1) U').
///
/// A posterior relative to its prior is of this kind: the data say something of k directions, and nothing of the rest.
/// All operations take O(n k) besides those of the base; no matrix is larger than U.
class LowRankGaussian final : public Gaussian {
 public:
  using Base = std::shared_ptr<const Gaussian>;
  using Directions = std::shared_ptr<const Matrix>;

  /// The columns of U must be orthonormal; they are shared, for they are large. Throws InputError for sizes that
  /// differ, a mean that is not finite, an excess lambda that is not above -1, or a scale s that is not positive.
  LowRankGaussian(Vector mean, Base base, Directions directions, Vector excess, double scale = 1);

  const Gaussian& base() const { return *base_; }
  const Base& shared_base() const { return base_; }
  /// U.
  const Matrix& directions() const { return *directions_; }
  const Directions& shared_directions() const { return directions_; }
  /// lambda.
  const Vector& excess() const { return excess_; }
  double scale() const { return scale_; }
  Index rank() const { return static_cast<Index>(excess_.size()); }

  /// The same without the directions whose lambda is below `smallest`: a cheaper scale for chains.
  LowRankGaussian leading(double smallest) const;

  void multiply_root(Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(Eigen::Ref<Matrix> x) const override;
  void solve_root(Eigen::Ref<Matrix> x) const override;
  void solve_root_transposed(Eigen::Ref<Matrix> x) const override;
  double log_determinant() const override { return log_determinant_; }
  Vector variance() const override;
  Vector precision_diagonal() const override;

 private:
  /// x <- factor (x + U diag(d) U' x)
  void change(double factor, const Vector& d, Eigen::Ref<Matrix> x) const;

  Base base_;
  Directions directions_;
  Vector excess_;
  double scale_;
  Vector shrink_, stretch_;  ///< (1 + lambda)^(-1/2) - 1 and (1 + lambda)^(1/2) - 1
  double log_determinant_;
};

}  // namespace varimesh::gaussian
