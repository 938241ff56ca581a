#pragma once

#include <vector>

#include "varimesh/noise/noise.h"

namespace varimesh::noise {

/// Independent errors with heavy tails: (y_ij - G_i) / sigma_i is Student-t distributed, so that an outlier has a
/// bounded influence. A sensor's measurements cannot be reduced to their mean.
class StudentNoise final : public Noise {
 public:
  /// Of each sensor one measurement or more, and its sigma. Throws InputError for sizes that differ, and numbers that
  /// are not positive or not finite.
  StudentNoise(std::vector<Vector> measurements, Vector sigma, double degrees_of_freedom);

  Index size() const override { return static_cast<Index>(sigma_.size()); }
  bool is_normal() const override { return false; }
  double constant() const override { return constant_; }
  double value(const Vector& prediction) const override;
  Vector slope(const Vector& prediction) const override;
  void multiply_root(const Vector& prediction, Bend which, Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(const Vector& prediction, Bend which, Eigen::Ref<Matrix> x) const override;
  Matrix given_others(const Matrix& predictions) const override { return predictions; }
  double log_density(Index sensor, double prediction) const override;
  Vector standard_error() const override;
  Vector normal_scores(Index sensor, double prediction) const override;
  Matrix sample(Index columns, Random& random) const override;

 private:
  /// sum_j f(y_ij - G_i) of a sensor.
  template <class Function>
  double sum(Index sensor, double prediction, const Function& function) const;
  double bend(Index sensor, double prediction, Bend which) const;

  std::vector<Vector> measurements_;
  Vector sigma_;
  double freedom_;            ///< nu
  double log_normalization_;  ///< of the density of one error in units of sigma
  double constant_;
};

/// A Student-t variable.
double sample_student(double degrees_of_freedom, Random& random);

}  // namespace varimesh::noise
