#include "varimesh/inverse/gaussian_prior.h"

#include "varimesh/linalg/dense.h"

namespace varimesh::inverse {

const Matrix* GaussianPrior::handy_precision() const {
  // To invert a larger one takes as long as thousands of solves, and memory.
  constexpr Index most = 2000;
  return size() <= most ? dense_precision() : nullptr;
}

Vector GaussianPrior::precision_times(const Vector& x) const {
  const Matrix* dense = handy_precision();
  return dense ? linalg::symmetric_product(*dense, x) : Vector(gaussian().precision_times(x));
}

Vector GaussianPrior::log_densities(const Matrix& kappa) const {
  const Matrix* dense = handy_precision();
  if (!dense) return gaussian().log_densities(kappa);
  const Matrix offset = kappa.colwise() - gaussian().mean();
  const Vector squared_norms = offset.cwiseProduct(linalg::product(*dense, offset)).colwise().sum().transpose();
  return gaussian().log_density_of_white(0) - 0.5 * squared_norms.array();
}

double GaussianPrior::log_density_and_gradient(const Vector& kappa, Vector& gradient) const {
  const Vector offset = kappa - gaussian().mean();
  gradient = -precision_times(offset);
  return gaussian().log_density_of_white(-offset.dot(gradient));
}

}  // namespace varimesh::inverse
