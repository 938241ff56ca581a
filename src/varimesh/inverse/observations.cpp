#include "varimesh/inverse/observations.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/noise/correlated_noise.h"
#include "varimesh/noise/student_noise.h"

namespace varimesh::inverse {
namespace {

void require_size(const Vector& v, Eigen::Index size, const char* what) {
  if (v.size() != size)
    throw InputError(fmt::format("expected {} values of {}, one for each sensor, found {}", size, what, v.size()));
}

void require_positive(const Vector& v, const char* what) {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (!(v[i] > 0 && std::isfinite(v[i])))
      throw InputError(fmt::format("sensor {}: expected a positive {}, found {}", i, what, v[i]));
  }
}

Observations reduce(const Vector& mean, const Vector& count, const Vector& sigma) {
  require_size(count, mean.size(), "count");
  require_size(sigma, mean.size(), "sigma");
  require_positive(sigma, "sigma");
  require_positive(count, "count");
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    if (!std::isfinite(mean[i]))
      throw InputError(fmt::format("sensor {}: expected a finite measurement, found {}", i, mean[i]));
  }
  Observations result{mean, sigma, count, count.array() / sigma.array().square()};
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    if (!(result.weight[i] > 0 && std::isfinite(result.weight[i])))
      throw InputError(fmt::format("sensor {}: expected a sigma whose square is a double, found {}", i, sigma[i]));
  }
  return result;
}

}  // namespace

Observations observe_means(const Vector& mean, const Vector& count, const Vector& sigma) {
  Observations result = reduce(mean, count, sigma);
  // log N(mean_i; G_i, 1 / weight_i) = 1/2 log(weight_i / (2 pi)) - weight_i/2 (mean_i - G_i)^2
  result.constant = 0.5 * (result.weight.array() / (2 * std::numbers::pi)).log().sum();
  return result;
}

Observations observe_groups(const Vector& mean, const Vector& count, const Vector& scatter, const Vector& sigma) {
  Observations result = reduce(mean, count, sigma);
  require_size(scatter, mean.size(), "scatter");
  const auto variance = sigma.array().square();
  result.constant = -0.5 * (count.array() * (2 * std::numbers::pi * variance).log() + scatter.array() / variance).sum();
  return result;
}

Observations observe_replicates(const Matrix& measurements, const Vector& sigma) {
  if (measurements.rows() == 0) throw InputError("expected at least one measurement for each sensor, found none");
  const Vector mean = measurements.colwise().mean();
  const Vector scatter = (measurements.rowwise() - mean.transpose()).colwise().squaredNorm();
  return observe_groups(mean, Vector::Constant(mean.size(), static_cast<double>(measurements.rows())), scatter, sigma);
}

Observations observe_correlated(const Vector& mean, const Vector& count, const Matrix& covariance) {
  require_size(covariance.diagonal(), mean.size(), "the variance");
  require_positive(covariance.diagonal(), "variance");
  Observations result = reduce(mean, count, covariance.diagonal().cwiseSqrt());
  // cov(mean_i, mean_j) = Gamma_ij min(n_i, n_j) / (n_i n_j) = Gamma_ij / max(n_i, n_j)
  Matrix of_means = covariance;
  for (Eigen::Index j = 0; j < mean.size(); ++j) of_means.col(j).array() /= count.array().max(count[j]);
  result.noise = std::make_shared<noise::CorrelatedNoise>(mean, std::move(of_means));
  result.constant = result.noise->constant();
  return result;
}

Observations observe_student(const std::vector<Vector>& measurements, const Vector& sigma, double degrees_of_freedom) {
  const auto sensors = static_cast<Index>(measurements.size());
  Vector mean(sensors), count(sensors);
  for (Index i = 0; i < sensors; ++i) {
    mean[i] = measurements[static_cast<std::size_t>(i)].mean();
    count[i] = static_cast<double>(measurements[static_cast<std::size_t>(i)].size());
  }
  Observations result = reduce(mean, count, sigma);
  result.noise = std::make_shared<noise::StudentNoise>(measurements, sigma, degrees_of_freedom);
  result.constant = result.noise->constant();
  return result;
}

double log_likelihood_without_constant(const Observations& observations, const Vector& prediction) {
  const double value =
      observations.noise
          ? observations.noise->value(prediction)
          : -0.5 * (observations.weight.array() * (observations.mean - prediction).array().square()).sum();
  return std::isfinite(value) ? value : -std::numeric_limits<double>::infinity();
}

double log_likelihood(const Observations& observations, const Vector& prediction) {
  return observations.constant + log_likelihood_without_constant(observations, prediction);
}

Vector log_likelihood_slope(const Observations& observations, const Vector& prediction) {
  if (observations.noise) return observations.noise->slope(prediction);
  return observations.weight.cwiseProduct(observations.mean - prediction);
}

}  // namespace varimesh::inverse
