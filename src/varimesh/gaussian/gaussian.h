#pragma once

#include "varimesh/random.h"
#include "varimesh/types.h"

namespace varimesh::gaussian {

/// A normal distribution N(mean, R R'), by what its square root R can do. Priors, variational fits and mass matrices
/// are all of this kind; they differ in how R is stored.
class Gaussian {
 public:
  virtual ~Gaussian() = default;

  Index size() const { return static_cast<Index>(mean_.size()); }
  const Vector& mean() const { return mean_; }

  /// In place, for any number of columns: x <- R x, R' x, R^-1 x, R^-T x.
  virtual void multiply_root(Eigen::Ref<Matrix> x) const = 0;
  virtual void multiply_root_transposed(Eigen::Ref<Matrix> x) const = 0;
  virtual void solve_root(Eigen::Ref<Matrix> x) const = 0;
  virtual void solve_root_transposed(Eigen::Ref<Matrix> x) const = 0;
  /// log det of the covariance.
  virtual double log_determinant() const = 0;
  /// The diagonal of the covariance.
  virtual Vector variance() const = 0;
  /// The diagonal of the precision matrix.
  virtual Vector precision_diagonal() const = 0;

  /// Covariance and precision products, R R' x and R^-T R^-1 x.
  Matrix covariance_times(const Matrix& x) const;
  virtual Matrix precision_times(const Matrix& x) const;
  /// A triangular root of the covariance, n x n.
  virtual Matrix dense_root() const;

  Vector sample(Random& random) const;
  double log_density(const Vector& x) const;
  /// For every column of x.
  Vector log_densities(const Matrix& x) const;
  /// The same, from z = R^-1 (x - mean).
  double log_density_of_white(double squared_norm) const;
  /// -E[log density].
  double entropy() const;

 protected:
  explicit Gaussian(Vector mean) : mean_(std::move(mean)) {}
  Gaussian(const Gaussian&) = default;
  Gaussian& operator=(const Gaussian&) = default;
  Gaussian(Gaussian&&) = default;
  Gaussian& operator=(Gaussian&&) = default;

 private:
  Vector mean_;
};

}  // namespace varimesh::gaussian
