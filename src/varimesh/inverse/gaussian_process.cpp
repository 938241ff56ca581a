#include "varimesh/inverse/gaussian_process.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "varimesh/error.h"
#include "varimesh/linalg/blas.h"

namespace varimesh::inverse {
namespace {

void require_positive(double value, const char* what) {
  if (!(value > 0 && std::isfinite(value)))
    throw InputError(fmt::format("expected a positive {}, found {}", what, value));
}

}  // namespace

double Kernel::operator()(const Point& a, const Point& b) const {
  double r2 = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double d = a[axis] - b[axis];
    const double scaled = type == KernelType::periodic ? 2 * std::sin(std::numbers::pi * d / period) : d;
    r2 += (scaled / length_scale[axis]) * (scaled / length_scale[axis]);
  }
  const double r = std::sqrt(r2);
  const double variance = sigma * sigma;
  switch (type) {
    case KernelType::squared_exponential:
    case KernelType::periodic:
      return variance * std::exp(-r2 / 2);
    case KernelType::matern12:
      return variance * std::exp(-r);
    case KernelType::matern32: {
      const double s = std::sqrt(3.0) * r;
      return variance * (1 + s) * std::exp(-s);
    }
    case KernelType::matern52: {
      const double s = std::sqrt(5.0) * r;
      return variance * (1 + s + s * s / 3) * std::exp(-s);
    }
  }
  return 0;
}

GaussianProcess::GaussianProcess(const Kernel& kernel, std::vector<Point> points, double mean, double jitter)
    : kernel_(kernel), points_(std::move(points)), mean_(mean) {
  require_positive(kernel.sigma, "sigma");
  for (const double length_scale : kernel.length_scale) require_positive(length_scale, "length-scale");
  if (kernel.type == KernelType::periodic) require_positive(kernel.period, "period");
  if (!std::isfinite(mean)) throw InputError("expected a finite mean");
  if (!(jitter >= 0 && std::isfinite(jitter)))
    throw InputError(fmt::format("expected a jitter of zero or more, found {}", jitter));
  if (points_.size() > static_cast<std::size_t>(max_points))
    throw InputError(
        fmt::format("a Gaussian process is dense and takes at most {} unknowns, found {}: group cells into "
                    "blocks",
                    max_points, points_.size()));
  const auto n = static_cast<Index>(points_.size());
  factor_.resize(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) factor_(i, j) = kernel_(points_[i], points_[j]);
    factor_(j, j) += jitter * kernel.sigma * kernel.sigma;
  }
  int info = 0;
  dpotrf_("L", &n, factor_.data(), &n, &info);
  // LAPACK lets NaN and infinity pass.
  if (info != 0 || !factor_.diagonal().allFinite())
    throw InputError(
        fmt::format("the covariance matrix is not numerically positive definite with jitter {}: increase it "
                    "or shorten the length-scale",
                    jitter));
}

Vector GaussianProcess::sample(Random& random) const {
  const Vector white = random.normal_vector(size());
  return (factor_.triangularView<Eigen::Lower>() * white).array() + mean_;
}

double GaussianProcess::log_density(const Vector& kappa) const {
  // -1/2 |L^-1 (kappa - mean)|^2 - sum log L_ii - n/2 log(2 pi)
  const Vector white = factor_.triangularView<Eigen::Lower>().solve((kappa.array() - mean_).matrix());
  const double log_diagonal = factor_.diagonal().array().log().sum();
  return -0.5 * white.squaredNorm() - log_diagonal - 0.5 * size() * std::log(2 * std::numbers::pi);
}

GaussianProcess::Prediction GaussianProcess::predict(const std::vector<Point>& points, const Vector& kappa) const {
  const auto count = static_cast<Index>(points.size());
  Prediction result;
  // V = L^-1 K*, so that K*' K^-1 (kappa - mean) = V' L^-1 (kappa - mean) and K*' K^-1 K* = V' V
  Matrix v = Matrix::NullaryExpr(size(), count, [&](Eigen::Index i, Eigen::Index j) {
    return kernel_(points_[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  });
  const auto lower = factor_.triangularView<Eigen::Lower>();
  lower.solveInPlace(v);
  const Vector white = lower.solve((kappa.array() - mean_).matrix());
  result.mean = (v.transpose() * white).array() + mean_;
  result.covariance = Matrix::NullaryExpr(count, count, [&](Eigen::Index i, Eigen::Index j) {
    return kernel_(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  });
  result.covariance.noalias() -= v.transpose() * v;
  return result;
}

}  // namespace varimesh::inverse
