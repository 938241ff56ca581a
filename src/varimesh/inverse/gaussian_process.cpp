#include "varimesh/inverse/gaussian_process.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"

namespace varimesh::inverse {
namespace {

void require_positive(double value, const char* what) {
  if (!(value > 0 && std::isfinite(value)))
    throw InputError(fmt::format("expected a positive {}, found {}", what, value));
}

/// L of the covariance L L' = K + jitter sigma^2 I.
Matrix factorize_covariance(const Kernel& kernel, const std::vector<Point>& points, const Vector& mean, double jitter) {
  require_positive(kernel.sigma, "sigma");
  for (const double length_scale : kernel.length_scale) require_positive(length_scale, "length-scale");
  if (kernel.type == KernelType::periodic) require_positive(kernel.period, "period");
  if (!mean.allFinite()) throw InputError("expected a finite mean");
  if (!(jitter >= 0 && std::isfinite(jitter)))
    throw InputError(fmt::format("expected a jitter of zero or more, found {}", jitter));
  constexpr Index max_points = GaussianProcess::max_points;
  if (points.size() > static_cast<std::size_t>(max_points))
    throw InputError(
        fmt::format("a Gaussian process is dense and takes at most {} unknowns, found {}: take the prior of kind "
                    "'spde', or group cells into blocks",
                    max_points, points.size()));
  const auto n = static_cast<Index>(points.size());
  Matrix factor(n, n);
  for (Index j = 0; j < n; ++j) {
    throw_if_interrupted();
    for (Index i = j; i < n; ++i) factor(i, j) = kernel(points[i], points[j]);
    factor(j, j) += jitter * kernel.sigma * kernel.sigma;
  }
  if (!linalg::cholesky(factor))
    throw InputError(
        fmt::format("the covariance matrix is not numerically positive definite with jitter {}: increase it "
                    "or shorten the length-scale",
                    jitter));
  return factor;
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

GaussianProcess::GaussianProcess(const Kernel& kernel, const std::vector<Point>& points, double mean, double jitter)
    : GaussianProcess(kernel, points, Vector::Constant(std::ssize(points), mean), jitter) {}

GaussianProcess::GaussianProcess(const Kernel& kernel, std::vector<Point> points, const Vector& mean, double jitter)
    : kernel_(kernel),
      points_(std::move(points)),
      gaussian_(mean, factorize_covariance(kernel_, points_, mean, jitter)) {}

const Matrix* GaussianProcess::dense_precision() const {
  // In x' Q x rounding costs about the largest eigenvalue of Q times |x|^2 times 1e-16, with the root only its square
  // root: up to here 1e-7, in nats.
  constexpr double largest_condition = 1e8;
  const auto diagonal = gaussian_.factor().diagonal();
  if (std::pow(diagonal.maxCoeff() / diagonal.minCoeff(), 2) > largest_condition) return nullptr;
  std::call_once(has_precision_, [this] {
    precision_ = gaussian_.precision_times(Matrix::Identity(size(), size()));
    linalg::symmetrize(precision_);
  });
  return &precision_;
}

const Vector& GaussianProcess::precision_diagonal() const {
  std::call_once(has_precision_diagonal_, [this] { precision_diagonal_ = gaussian_.precision_diagonal(); });
  return precision_diagonal_;
}

GaussianProcess::Prediction GaussianProcess::predict(const std::vector<Point>& points, const Vector& kappa) const {
  const auto count = static_cast<Index>(points.size());
  const Vector& mean = gaussian_.mean();
  if ((mean.array() != mean[0]).any())
    throw std::invalid_argument("predict: expected the same mean at all points, which alone is known elsewhere");
  Prediction result;
  // V = L^-1 K*, so that K*' K^-1 (kappa - mean) = V' L^-1 (kappa - mean) and K*' K^-1 K* = V' V
  Matrix v = Matrix::NullaryExpr(size(), count, [&](Eigen::Index i, Eigen::Index j) {
    return kernel_(points_[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  });
  gaussian_.solve_root(v);
  Vector white = kappa - mean;
  gaussian_.solve_root(white);
  result.mean = (v.transpose() * white).array() + mean[0];
  result.covariance = Matrix::NullaryExpr(count, count, [&](Eigen::Index i, Eigen::Index j) {
    return kernel_(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  });
  result.covariance -= linalg::transposed_product(v, v);
  return result;
}

}  // namespace varimesh::inverse
