#pragma once

#include <memory>
#include <vector>

#include "varimesh/noise/noise.h"

namespace varimesh::inverse {

/// Measurements y_ij ~ N(G_i(kappa), sigma_i^2) of sensor i, replicates j, reduced to what the likelihood depends on:
///     log p(y | kappa) = constant - 1/2 sum_i weight_i (mean_i - G_i)^2,   weight_i = count_i / sigma_i^2.
/// With noise of another kind, log p(y | kappa) = constant + noise->value(G), and the rest is what it would be were the
/// noise independent and normal.
struct Observations {
  Vector mean, sigma, count, weight;
  double constant = 0;
  std::shared_ptr<const noise::Noise> noise = nullptr;  ///< null: independent and normal

  Index size() const { return static_cast<Index>(mean.size()); }
  /// Whether log p(y | kappa) is quadratic in the predictions.
  bool has_normal_noise() const { return !noise || noise->is_normal(); }
  /// Of each sensor's mean, as if it were alone.
  Vector standard_error() const { return weight.cwiseSqrt().cwiseInverse(); }
};

/// From means of `count` measurements each. The spread of the measurements is not known, so the constant is that of the
/// density of the means, N(G_i, sigma_i^2 / count_i). Throws InputError for sigma or count that is not positive, or
/// data not finite.
Observations observe_means(const Vector& mean, const Vector& count, const Vector& sigma);

/// From every measurement, one row a replicate and one column a sensor. The constant is that of all measurements'
/// density:
/// - sum_i [ count/2 log(2 pi sigma_i^2) + sum_j (y_ij - mean_i)^2 / (2 sigma_i^2) ].
Observations observe_replicates(const Matrix& measurements, const Vector& sigma);

/// The same from sums, for sensors with different numbers of measurements: `scatter` is sum_j (y_ij - mean_i)^2.
Observations observe_groups(const Vector& mean, const Vector& count, const Vector& scatter, const Vector& sigma);

/// From means of `count` measurements, errors of different sensors being correlated: `covariance` is that of one
/// measurement of each. The k-th measurements of all sensors go together, and different k are independent.
Observations observe_correlated(const Vector& mean, const Vector& count, const Matrix& covariance);

/// From every measurement of each sensor, with errors that are sigma times a Student-t variable.
Observations observe_student(const std::vector<Vector>& measurements, const Vector& sigma, double degrees_of_freedom);

/// log p(y | kappa) by the predictions at kappa; minus infinity if a prediction is not finite.
double log_likelihood(const Observations& observations, const Vector& prediction);

/// The part of it that depends on kappa: without the constant.
double log_likelihood_without_constant(const Observations& observations, const Vector& prediction);

/// Its derivative by the predictions: weight_i (mean_i - prediction_i).
Vector log_likelihood_slope(const Observations& observations, const Vector& prediction);

}  // namespace varimesh::inverse
