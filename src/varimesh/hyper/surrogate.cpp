#include "varimesh/hyper/surrogate.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

namespace varimesh::hyper {
namespace {

// In units of the density's own sd: functions that bend little between neighbouring points.
constexpr double correlation_length = 2.5;
constexpr double nugget = 1e-5;  // relative: values are estimates, good to some hundredths

double correlation(const Vector& a, const Vector& b) {
  return std::exp(-0.5 * (a - b).squaredNorm() / (correlation_length * correlation_length));
}

}  // namespace

Surrogate::Surrogate(Matrix points, const Vector& values) : points_(std::move(points)) {
  const Eigen::Index n = points_.cols();
  // The rest r(z) = value + |z|^2/2 is about constant.
  const Vector rest = values + 0.5 * points_.colwise().squaredNorm().transpose();
  Matrix k = Matrix::NullaryExpr(
      n, n, [&](Eigen::Index i, Eigen::Index j) { return correlation(points_.col(i), points_.col(j)); });
  k.diagonal().array() += nugget;
  const Eigen::LLT<Matrix> factor(k);
  // The constant by generalised least squares
  const Vector ones = factor.solve(Vector::Ones(n));
  offset_ = ones.dot(rest) / ones.sum();
  coefficients_ = factor.solve((rest.array() - offset_).matrix());
  factor_ = factor.matrixL();
}

Eigen::Index Surrogate::most_informative(const Matrix& draws) const {
  const auto kernel = [](const Matrix& a, const Matrix& b) {
    return Matrix(Matrix::NullaryExpr(a.cols(), b.cols(),
                                      [&](Eigen::Index i, Eigen::Index j) { return correlation(a.col(i), b.col(j)); }));
  };
  // C = K(z, z) - K(z, p) K(p, p)^-1 K(p, z); a value at c takes C_sc^2 / C_cc from the variance at s.
  const Matrix white = factor_.triangularView<Eigen::Lower>().solve(kernel(points_, draws));
  const Matrix left = kernel(draws, draws) - white.transpose() * white;
  const Vector gain = left.colwise().squaredNorm().transpose().array() / (left.diagonal().array() + nugget);
  Eigen::Index best = 0;
  gain.maxCoeff(&best);
  return best;
}

double Surrogate::value(const Vector& z) const {
  double result = offset_ - 0.5 * z.squaredNorm();
  for (Eigen::Index i = 0; i < points_.cols(); ++i) result += coefficients_[i] * correlation(z, points_.col(i));
  return result;
}

Surrogate::Draws Surrogate::sample(Index count, Random& random) const {
  // Importance sampling from a normal density that is wider, then systematic resampling.
  constexpr double width = 1.8;
  constexpr Index proposals_per_draw = 10;
  const auto dimension = static_cast<Index>(points_.rows());
  const Index proposals = proposals_per_draw * count;
  const Matrix z = width * random.normal_matrix(dimension, proposals);
  Vector log_weight(proposals);
  for (Index s = 0; s < proposals; ++s)
    log_weight[s] = value(z.col(s)) + 0.5 * z.col(s).squaredNorm() / (width * width) +
                    dimension * (std::log(width) + 0.5 * std::log(2 * std::numbers::pi));
  const double largest = log_weight.maxCoeff();
  const Vector weight = (log_weight.array() - largest).exp();
  Draws result{Matrix(dimension, count), largest + std::log(weight.mean())};
  const double total = weight.sum();
  double below = 0, next = random.uniform();
  Index drawn = 0;
  for (Index s = 0; s < proposals; ++s) {
    below += weight[s] / total * count;
    for (; drawn < count && next <= below; ++next) result.z.col(drawn++) = z.col(s);
  }
  for (; drawn < count; ++drawn) result.z.col(drawn) = result.z.col(drawn - 1);
  return result;
}

}  // namespace varimesh::hyper
