#include "varimesh/gaussian/dense_gaussian.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/finite.h"

namespace varimesh::gaussian {

DenseGaussian::DenseGaussian(Vector mean, Matrix factor) : Gaussian(std::move(mean)), factor_(std::move(factor)) {
  if (factor_.rows() != size() || factor_.cols() != size())
    throw InputError(
        fmt::format("expected a {0} x {0} factor, found {1} x {2}", size(), factor_.rows(), factor_.cols()));
  if (!this->mean().allFinite()) throw InputError("expected a finite mean");
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
  if (!linalg::all_finite(factor_.reshaped()) || !(factor_.diagonal().array() > 0).all())
    throw InputError("expected a factor with a positive diagonal, found one that is not numerically positive definite");
  log_determinant_ = 2 * factor_.diagonal().array().log().sum();
}

void DenseGaussian::multiply_root(Eigen::Ref<Matrix> x) const {
  linalg::multiply_triangular(factor_, linalg::Transpose::no, x);
}
void DenseGaussian::multiply_root_transposed(Eigen::Ref<Matrix> x) const {
  linalg::multiply_triangular(factor_, linalg::Transpose::yes, x);
}
void DenseGaussian::solve_root(Eigen::Ref<Matrix> x) const {
  linalg::solve_triangular(factor_, linalg::Transpose::no, x);
}
void DenseGaussian::solve_root_transposed(Eigen::Ref<Matrix> x) const {
  linalg::solve_triangular(factor_, linalg::Transpose::yes, x);
}

Vector DenseGaussian::precision_diagonal() const {
  // [L^-T L^-1]_ii: the squared norms of the columns of L^-1
  Matrix inverse = Matrix::Identity(size(), size());
  solve_root(inverse);
  return inverse.colwise().squaredNorm().transpose();
}

}  // namespace varimesh::gaussian
