#pragma once

#include "varimesh/types.h"

namespace varimesh::inverse {

/// Measurements y_ij ~ N(G_i(kappa), sigma_i^2) of sensor i, replicates j, reduced to what the likelihood depends on:
///     log p(y | kappa) = constant - 1/2 sum_i weight_i (mean_i - G_i)^2,   weight_i = count_i / sigma_i^2.
struct Observations {
  Vector mean, sigma, count, weight;
  double constant = 0;

  Index size() const { return static_cast<Index>(mean.size()); }
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

/// constant - 1/2 sum_i weight_i (mean_i - prediction_i)^2; minus infinity if a prediction is not finite.
double log_likelihood(const Observations& observations, const Vector& prediction);

/// The part of it that depends on kappa: without the constant.
double log_likelihood_without_constant(const Observations& observations, const Vector& prediction);

}  // namespace varimesh::inverse
