#include "varimesh/inverse/gaussian_prior.h"

namespace varimesh::inverse {

double GaussianPrior::log_density_and_gradient(const Vector& kappa, Vector& gradient) const {
  const gaussian::Gaussian& normal = gaussian();
  gradient = kappa - normal.mean();
  normal.solve_root(gradient);
  const double value = normal.log_density_of_white(gradient.squaredNorm());
  normal.solve_root_transposed(gradient);
  gradient = -gradient;
  return value;
}

}  // namespace varimesh::inverse
