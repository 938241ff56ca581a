#include "varimesh/variational/mean_field.h"

#include <cmath>

namespace varimesh::variational {

Vector MeanField::parameters() const {
  Vector result(2 * size());
  result << q_.mean(), q_.sigma().array().log().matrix();
  return result;
}

bool MeanField::set_parameters(const Vector& parameters) {
  Vector mean = parameters.head(size());
  // Not Eigen's exp(), which has a smallest value above zero.
  Vector sigma = parameters.tail(size()).unaryExpr([](double x) { return std::exp(x); });
  if (!parameters.allFinite() || !sigma.allFinite() || sigma.minCoeff() <= 0) return false;
  q_ = gaussian::DiagonalGaussian(std::move(mean), std::move(sigma));
  return true;
}

Vector MeanField::pull_back(const Matrix& z, const Matrix& g) const {
  // kappa = mean + sigma z:  d/d mean = sum_s g_s,  d/d log sigma = sum_s g_s sigma z_s
  Vector result(2 * size());
  result << g.rowwise().sum(), g.cwiseProduct(z).rowwise().sum().cwiseProduct(q_.sigma());
  return result;
}

double MeanField::trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const {
  const Vector terms = prior.precision_diagonal().cwiseProduct(q_.variance());
  // d/d log sigma of 1/2 sum_i Q_ii sigma_i^2 - sum_i log sigma_i
  if (gradient) {
    gradient->resize(2 * size());
    gradient->tail(size()) = terms.array() - 1;
  }
  return terms.sum();
}

}  // namespace varimesh::variational
