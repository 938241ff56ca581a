#include "varimesh/noise/normal_noise.h"

#include <cmath>
#include <numbers>

namespace varimesh::noise {

double NormalNoise::value(const Vector& prediction) const {
  return -0.5 * (weight_.array() * (mean_ - prediction).array().square()).sum();
}

void NormalNoise::multiply_root(const Vector&, Bend, Eigen::Ref<Matrix> x) const {
  x.array().colwise() *= weight_.array().sqrt();
}

void NormalNoise::multiply_root_transposed(const Vector&, Bend, Eigen::Ref<Matrix> x) const {
  x.array().colwise() *= weight_.array().sqrt();
}

double NormalNoise::log_density(Index sensor, double prediction) const {
  const double error = mean_[sensor] - prediction, weight = weight_[sensor];
  return 0.5 * std::log(weight / (2 * std::numbers::pi)) - 0.5 * weight * error * error;
}

Vector NormalNoise::normal_scores(Index sensor, double prediction) const {
  return Vector::Constant(1, (mean_[sensor] - prediction) * std::sqrt(weight_[sensor]));
}

Matrix NormalNoise::sample(Index columns, Random& random) const {
  return standard_error().asDiagonal() * random.normal_matrix(size(), columns);
}

}  // namespace varimesh::noise
