#include "varimesh/noise/student_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/special_functions.h"

namespace varimesh::noise {

StudentNoise::StudentNoise(std::vector<Vector> measurements, Vector sigma, double degrees_of_freedom)
    : measurements_(std::move(measurements)), sigma_(std::move(sigma)), freedom_(degrees_of_freedom) {
  if (std::ssize(measurements_) != sigma_.size())
    throw InputError(
        fmt::format("expected {} values of sigma, one for each sensor, found {}", measurements_.size(), sigma_.size()));
  if (!(freedom_ > 0 && std::isfinite(freedom_)))
    throw InputError(fmt::format("expected positive degrees of freedom, found {}", freedom_));
  log_normalization_ =
      log_gamma(0.5 * (freedom_ + 1)) - log_gamma(0.5 * freedom_) - 0.5 * std::log(freedom_ * std::numbers::pi);
  constant_ = 0;
  for (Index i = 0; i < size(); ++i) {
    const Vector& own = measurements_[static_cast<std::size_t>(i)];
    if (!(sigma_[i] > 0 && std::isfinite(1 / (sigma_[i] * sigma_[i]))))
      throw InputError(fmt::format("sensor {}: expected a positive sigma, found {}", i, sigma_[i]));
    if (own.size() == 0 || !own.allFinite())
      throw InputError(fmt::format("sensor {}: expected finite measurements, found others, or none", i));
    constant_ += static_cast<double>(own.size()) * (log_normalization_ - std::log(sigma_[i]));
  }
}

template <class Function>
double StudentNoise::sum(Index sensor, double prediction, const Function& function) const {
  double total = 0;
  for (const double y : measurements_[static_cast<std::size_t>(sensor)]) total += function(y - prediction);
  return total;
}

double StudentNoise::value(const Vector& prediction) const {
  // -(nu + 1)/2 sum_ij log(1 + r_ij^2 / (nu sigma_i^2))
  double total = 0;
  for (Index i = 0; i < size(); ++i) {
    const double scale = freedom_ * sigma_[i] * sigma_[i];
    total += sum(i, prediction[i], [&](double r) { return std::log1p(r * r / scale); });
  }
  return -0.5 * (freedom_ + 1) * total;
}

Vector StudentNoise::slope(const Vector& prediction) const {
  // (nu + 1) sum_j r_ij / (nu sigma_i^2 + r_ij^2)
  Vector result(size());
  for (Index i = 0; i < size(); ++i) {
    const double scale = freedom_ * sigma_[i] * sigma_[i];
    result[i] = (freedom_ + 1) * sum(i, prediction[i], [&](double r) { return r / (scale + r * r); });
  }
  return result;
}

double StudentNoise::bend(Index sensor, double prediction, Bend which) const {
  const double scale = freedom_ * sigma_[sensor] * sigma_[sensor];
  if (which == Bend::majorizing)
    return (freedom_ + 1) * sum(sensor, prediction, [&](double r) { return 1 / (scale + r * r); });
  // (nu + 1) sum_j (nu sigma^2 - r_j^2) / (nu sigma^2 + r_j^2)^2
  const double second = sum(sensor, prediction, [&](double r) { return (scale - r * r) / std::pow(scale + r * r, 2); });
  return (freedom_ + 1) * std::max(0.0, second);
}

void StudentNoise::multiply_root(const Vector& prediction, Bend which, Eigen::Ref<Matrix> x) const {
  Vector root(size());
  for (Index i = 0; i < size(); ++i) root[i] = std::sqrt(bend(i, prediction[i], which));
  x.array().colwise() *= root.array();
}

void StudentNoise::multiply_root_transposed(const Vector& prediction, Bend which, Eigen::Ref<Matrix> x) const {
  multiply_root(prediction, which, x);  // diagonal
}

double StudentNoise::log_density(Index sensor, double prediction) const {
  const double scale = freedom_ * sigma_[sensor] * sigma_[sensor], each = log_normalization_ - std::log(sigma_[sensor]);
  return sum(sensor, prediction, [&](double r) { return each - 0.5 * (freedom_ + 1) * std::log1p(r * r / scale); });
}

Vector StudentNoise::standard_error() const {
  // Fisher information of a measurement: (nu + 1) / (nu + 3) / sigma^2
  Vector result(size());
  for (Index i = 0; i < size(); ++i) {
    const auto count = static_cast<double>(measurements_[static_cast<std::size_t>(i)].size());
    result[i] = sigma_[i] * std::sqrt((freedom_ + 3) / (freedom_ + 1) / count);
  }
  return result;
}

Vector StudentNoise::normal_scores(Index sensor, double prediction) const {
  Vector scores = (measurements_[static_cast<std::size_t>(sensor)].array() - prediction) / sigma_[sensor];
  for (double& score : scores) {
    const double tail = std::max(student_tail(std::abs(score), freedom_), std::numeric_limits<double>::min());
    score = std::copysign(normal_quantile(tail), score);
  }
  return scores;
}

Matrix StudentNoise::sample(Index columns, Random& random) const {
  Matrix errors(size(), columns);
  for (Index c = 0; c < columns; ++c) {
    for (Index i = 0; i < size(); ++i) {
      const Eigen::Index count = measurements_[static_cast<std::size_t>(i)].size();
      double total = 0;
      for (Eigen::Index j = 0; j < count; ++j) total += sample_student(freedom_, random);
      errors(i, c) = sigma_[i] * total / static_cast<double>(count);
    }
  }
  return errors;
}

double sample_student(double degrees_of_freedom, Random& random) {
  // Bailey, Mathematics of Computation 62 (1994): sqrt(nu (u^(-2 / nu) - 1)) cos(2 pi v), from uniform u and v
  const double u = random.uniform(), v = random.uniform();
  const double radius = std::sqrt(degrees_of_freedom * std::expm1(-2 / degrees_of_freedom * std::log(u)));
  return radius * std::cos(2 * std::numbers::pi * v);
}

}  // namespace varimesh::noise
