#include "varimesh/noise/correlated_noise.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"

namespace varimesh::noise {

using linalg::Transpose;

CorrelatedNoise::CorrelatedNoise(Vector mean, Matrix covariance)
    : mean_(std::move(mean)), factor_(std::move(covariance)) {
  const Eigen::Index n = mean_.size();
  if (n > max_sensors)
    throw InputError(
        fmt::format("correlated noise is dense and takes at most {} sensors, found {}", Index{max_sensors}, n));
  if (factor_.rows() != n || factor_.cols() != n)
    throw InputError(fmt::format("expected a covariance matrix of {} rows and columns, one for each sensor, found {}",
                                 n, factor_.rows()));
  if (!factor_.allFinite() || !linalg::cholesky(factor_))
    throw InputError("expected a positive definite covariance matrix of the noise, found one that is not");
  Matrix inverse = Matrix::Identity(n, n);
  linalg::solve_triangular(factor_, Transpose::no, inverse);
  own_error_ = inverse.colwise().norm().cwiseInverse().transpose();
  constant_ = -factor_.diagonal().array().log().sum() - 0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
}

double CorrelatedNoise::value(const Vector& prediction) const {
  Vector residual = mean_ - prediction;
  linalg::solve_triangular(factor_, Transpose::no, residual);
  return -0.5 * residual.squaredNorm();
}

Vector CorrelatedNoise::slope(const Vector& prediction) const {
  // Gamma^-1 (y - G)
  Vector residual = mean_ - prediction;
  linalg::solve_triangular(factor_, Transpose::no, residual);
  linalg::solve_triangular(factor_, Transpose::yes, residual);
  return residual;
}

void CorrelatedNoise::multiply_root(const Vector&, Bend, Eigen::Ref<Matrix> x) const {
  linalg::solve_triangular(factor_, Transpose::no, x);
}

void CorrelatedNoise::multiply_root_transposed(const Vector&, Bend, Eigen::Ref<Matrix> x) const {
  linalg::solve_triangular(factor_, Transpose::yes, x);
}

Matrix CorrelatedNoise::given_others(const Matrix& predictions) const {
  // y_i given the others is normal with the mean y_i - (Gamma^-1 (y - G))_i / (Gamma^-1)_ii
  Matrix result = (-predictions).colwise() + mean_;
  linalg::solve_triangular(factor_, Transpose::no, result);
  linalg::solve_triangular(factor_, Transpose::yes, result);
  return (-(own_error_.cwiseAbs2().asDiagonal() * result)).colwise() + mean_;
}

double CorrelatedNoise::log_density(Index sensor, double prediction) const {
  const double error = (mean_[sensor] - prediction) / own_error_[sensor];
  return -0.5 * error * error - std::log(own_error_[sensor] * std::sqrt(2 * std::numbers::pi));
}

Vector CorrelatedNoise::normal_scores(Index sensor, double prediction) const {
  return Vector::Constant(1, (mean_[sensor] - prediction) / own_error_[sensor]);
}

Matrix CorrelatedNoise::sample(Index columns, Random& random) const {
  Matrix errors = random.normal_matrix(size(), columns);
  linalg::multiply_triangular(factor_, Transpose::no, errors);
  return errors;
}

}  // namespace varimesh::noise
