#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"

namespace varimesh::inverse {

enum class KernelType { squared_exponential, matern12, matern32, matern52, periodic };

/// k(x, x') = sigma^2 c(r), r^2 = sum_axis (x - x')^2 / length_scale^2:
///   squared exponential exp(-r^2/2);  Matern 1/2 exp(-r), 3/2 (1 + sqrt3 r) exp(-sqrt3 r),
///   5/2 (1 + sqrt5 r + 5/3 r^2) exp(-sqrt5 r);  periodic exp(-2 sum_axis sin^2(pi (x - x') / period) /
///   length_scale^2).
struct Kernel {
  KernelType type = KernelType::matern32;
  double sigma = 1;
  std::array<double, 3> length_scale{1, 1, 1};
  double period = 1;

  double operator()(const Point& a, const Point& b) const;
};

/// A Gaussian process at some points: kappa ~ N(mean, K + jitter sigma^2 I), dense.
class GaussianProcess final : public GaussianPrior {
 public:
  /// Dense matrices of 3.2 GB: the root, and the precision where it is used.
  static constexpr Index max_points = 20'000;

  /// Throws InputError for parameters that are not positive, too many points, or a covariance that is not positive
  /// definite even with the jitter.
  GaussianProcess(const Kernel& kernel, const std::vector<Point>& points, double mean, double jitter);
  /// The same with a mean for each point.
  GaussianProcess(const Kernel& kernel, std::vector<Point> points, const Vector& mean, double jitter);

  const gaussian::Gaussian& gaussian() const override { return gaussian_; }
  bool has_sparse_precision() const override { return false; }
  const SparseMatrix* sparse_precision() const override { return nullptr; }
  const Matrix* dense_precision() const override;
  const Vector& precision_diagonal() const override;

  struct Prediction {
    Vector mean;
    Matrix covariance;
  };
  /// The process at other points, given its values kappa here:  mean + K*' K^-1 (kappa - mean)  and  K** - K*' K^-1 K*.
  /// The mean must be the same at all points.
  Prediction predict(const std::vector<Point>& points, const Vector& kappa) const;

 private:
  Kernel kernel_;
  std::vector<Point> points_;
  gaussian::DenseGaussian gaussian_;
  mutable std::once_flag has_precision_, has_precision_diagonal_;
  mutable Matrix precision_;
  mutable Vector precision_diagonal_;
};

}  // namespace varimesh::inverse
