#pragma once

#include "varimesh/noise/noise.h"

namespace varimesh::noise {

/// Normal errors of the sensors' mean measurements, with a dense covariance matrix Gamma = L L':
///     log p(y | G) = constant - 1/2 |L^-1 (y - G)|^2.
class CorrelatedNoise final : public Noise {
 public:
  /// Matrices of 200 MB.
  static constexpr Index max_sensors = 5000;

  /// Only the lower triangle is read. Throws InputError for sizes that differ, too many sensors, or a matrix that is
  /// not numerically positive definite.
  CorrelatedNoise(Vector mean, Matrix covariance);

  Index size() const override { return static_cast<Index>(mean_.size()); }
  bool is_normal() const override { return true; }
  double constant() const override { return constant_; }
  double value(const Vector& prediction) const override;
  Vector slope(const Vector& prediction) const override;
  void multiply_root(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const override;
  Matrix given_others(const Matrix& predictions) const override;
  double log_density(Index sensor, double prediction) const override;
  Vector standard_error() const override { return own_error_; }
  Vector normal_scores(Index sensor, double prediction) const override;
  Matrix sample(Index columns, Random& random) const override;

 private:
  Vector mean_;
  Matrix factor_;     ///< L
  Vector own_error_;  ///< sd of each error given all others: 1 / sqrt((Gamma^-1)_ii)
  double constant_;
};

}  // namespace varimesh::noise
