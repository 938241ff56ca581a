#include "varimesh/inverse/gaussian_prior.h"

#include "varimesh/linalg/dense.h"

namespace varimesh::inverse {

Vector GaussianPrior::precision_times(const Vector& x) const {
  // To invert a larger one takes as long as thousands of solves, and memory.
  constexpr Index most = 2000;
  if (const SparseMatrix* precision = sparse_precision()) return *precision * x;
  const Matrix* dense = size() <= most ? dense_precision() : nullptr;
  return dense ? linalg::symmetric_product(*dense, x) : Vector(gaussian().precision_times(x));
}

double GaussianPrior::log_density_and_gradient(const Vector& kappa, Vector& gradient) const {
  const Vector offset = kappa - gaussian().mean();
  gradient = -precision_times(offset);
  return gaussian().log_density_of_white(-offset.dot(gradient));
}

}  // namespace varimesh::inverse
