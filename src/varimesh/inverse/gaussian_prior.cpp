#include "varimesh/inverse/gaussian_prior.h"

#include "varimesh/linalg/dense.h"

namespace varimesh::inverse {

Vector GaussianPrior::precision_times(const Vector& x) const {
  // To invert a larger one takes as long as thousands of solves, and memory.
  constexpr Index most = 2000;
  if (const SparseMatrix* precision = sparse_precision()) return *precision * x;
  return size() <= most ? linalg::symmetric_product(*dense_precision(), x) : Vector(gaussian().precision_times(x));
}

double GaussianPrior::log_density_and_gradient(const Vector& kappa, Vector& gradient) const {
  const Vector offset = kappa - gaussian().mean();
  gradient = -precision_times(offset);
  return gaussian().log_density_of_white(-offset.dot(gradient));
}

}  // namespace varimesh::inverse
