#include "dense_prior.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "varimesh/error.h"

namespace varimesh::python {
namespace {

/// L of L L'.
Matrix cholesky_root(const Vector& mean, const Matrix& covariance) {
  if (covariance.rows() != mean.size() || covariance.cols() != mean.size())
    throw InputError(fmt::format("normal: covariance: expected {0} x {0} numbers, found {1} x {2}", mean.size(),
                                 covariance.rows(), covariance.cols()));
  if (!covariance.isApprox(covariance.transpose(), 1e-10)) throw InputError("normal: covariance: is not symmetric");
  const Eigen::LLT<Matrix> factorization(covariance);
  if (factorization.info() != Eigen::Success) throw InputError("normal: covariance: is not positive definite");
  return factorization.matrixL();
}

}  // namespace

DensePrior::DensePrior(const Vector& mean, const Matrix& covariance)
    : gaussian_(mean, cholesky_root(mean, covariance)), precision_(covariance.rows(), covariance.cols()) {
  Matrix inverse = Matrix::Identity(covariance.rows(), covariance.cols());
  gaussian_.solve_root(inverse);
  precision_.noalias() = inverse.transpose() * inverse;
  precision_diagonal_ = precision_.diagonal();
}

}  // namespace varimesh::python
