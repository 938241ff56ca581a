#include "varimesh/gaussian/gaussian.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "varimesh/linalg/dense.h"

namespace varimesh::gaussian {

Matrix Gaussian::covariance_times(const Matrix& x) const {
  Matrix result = x;
  multiply_root_transposed(result);
  multiply_root(result);
  return result;
}

Matrix Gaussian::precision_times(const Matrix& x) const {
  Matrix result = x;
  solve_root(result);
  solve_root_transposed(result);
  return result;
}

Matrix Gaussian::dense_root() const {
  Matrix root = covariance_times(Matrix::Identity(size(), size()));
  if (!linalg::cholesky(root)) root.setConstant(std::numeric_limits<double>::quiet_NaN());
  return root;
}

Vector Gaussian::sample(Random& random) const {
  Vector x = random.normal_vector(size());
  multiply_root(x);
  return x + mean_;
}

double Gaussian::log_density_of_white(double squared_norm) const {
  // -1/2 |z|^2 - 1/2 log det - n/2 log(2 pi)
  return -0.5 * (squared_norm + log_determinant() + size() * std::log(2 * std::numbers::pi));
}

double Gaussian::log_density(const Vector& x) const {
  Vector z = x - mean_;
  solve_root(z);
  return log_density_of_white(z.squaredNorm());
}

Vector Gaussian::log_densities(const Matrix& x) const {
  Matrix z = x.colwise() - mean_;
  solve_root(z);
  Vector result = z.colwise().squaredNorm().transpose();
  const double constant = log_density_of_white(0);
  return (constant - 0.5 * result.array()).matrix();
}

double Gaussian::entropy() const { return -log_density_of_white(size()); }

}  // namespace varimesh::gaussian
