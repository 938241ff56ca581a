#include "varimesh/variational/full_covariance.h"

#include <cmath>

#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/finite.h"
#include "varimesh/linalg/times_few.h"

namespace varimesh::variational {
namespace {

Eigen::Index packed_size(Eigen::Index n) { return n * (n + 1) / 2; }

/// Writes the lower triangle of a column after column.
void pack(const Matrix& a, Eigen::Ref<Vector> packed) {
  Eigen::Index at = 0;
  for (Eigen::Index j = 0; j < a.cols(); at += a.rows() - j, ++j)
    packed.segment(at, a.rows() - j) = a.col(j).tail(a.rows() - j);
}

}  // namespace

Vector FullCovariance::parameters() const {
  Matrix factor = q_.factor();
  factor.diagonal() = factor.diagonal().array().log();
  Vector result(size() + packed_size(size()));
  result.head(size()) = q_.mean();
  pack(factor, result.tail(packed_size(size())));
  return result;
}

bool FullCovariance::set_parameters(const Vector& parameters) {
  Matrix factor(size(), size());  // its upper triangle is not read
  Eigen::Index at = size();
  for (Index j = 0; j < size(); at += size() - j, ++j)
    factor.col(j).tail(size() - j) = parameters.segment(at, size() - j);
  factor.diagonal() = factor.diagonal().array().exp();
  if (!linalg::all_finite(parameters) || !factor.diagonal().allFinite() || factor.diagonal().minCoeff() <= 0)
    return false;
  q_ = gaussian::DenseGaussian(parameters.head(size()), std::move(factor));
  return true;
}

Vector FullCovariance::pull_back(const Matrix& z, const Matrix& g) const {
  // kappa = mean + L z:  d/d mean = sum_s g_s,  d/dL = sum_s g_s z_s',  d/d log L_ii = L_ii d/dL_ii
  Vector result(size() + packed_size(size()));
  result.head(size()) = g.rowwise().sum();
  const Matrix z_rows = z.transpose();
  Eigen::Index at = size();
  for (Index j = 0; j < size(); at += size() - j, ++j) {
    linalg::times_few(g.bottomRows(size() - j), z_rows.col(j), result.segment(at, size() - j));
    result[at] *= q_.factor()(j, j);
  }
  return result;
}

double FullCovariance::trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const {
  Matrix product;  // in the end Q_p L, of which the lower triangle counts
  double trace = 0;
  const Matrix* dense = prior.dense_precision();
  if (dense || prior.has_sparse_precision()) {
    // tr(Q_p L L') = <L, Q_p L>
    product = dense ? linalg::lower_of_product(*dense, q_.factor()) : prior.gaussian().precision_times(q_.factor());
    for (Index j = 0; j < size(); ++j)
      trace += product.col(j).tail(size() - j).dot(q_.factor().col(j).tail(size() - j));
  } else {
    // The same as |R^-1 L|^2, R the prior's root.
    product = q_.factor();
    prior.gaussian().solve_root(product);
    trace = product.squaredNorm();
    if (gradient) prior.gaussian().solve_root_transposed(product);
  }
  if (gradient) {
    // d/dL of 1/2 tr(Q_p L L') - sum_i log L_ii = Q_p L - diag(1 / L_ii); by log L_ii, L_ii times that
    product.diagonal() = product.diagonal().cwiseProduct(q_.factor().diagonal()).array() - 1;
    gradient->resize(size() + packed_size(size()));
    pack(product, gradient->tail(packed_size(size())));
  }
  return trace;
}

}  // namespace varimesh::variational
