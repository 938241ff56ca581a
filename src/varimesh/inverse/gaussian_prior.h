#pragma once

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/inverse/prior.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::inverse {

using linalg::SparseMatrix;

/// A normal prior. With it the Kullback-Leibler divergence of a normal approximation has a closed form.
class GaussianPrior : public Prior {
 public:
  virtual const gaussian::Gaussian& gaussian() const = 0;
  /// Whether the precision matrix is sparse; asking computes nothing.
  virtual bool has_sparse_precision() const = 0;
  /// The precision matrix, both triangles, if it is sparse, computed when first asked for where that is dear; null if
  /// it is dense.
  virtual const SparseMatrix* sparse_precision() const = 0;
  /// The same if it is dense, computed when first asked for; null if it is sparse, or so badly conditioned that
  /// products with it would be wrong in digits that matter.
  virtual const Matrix* dense_precision() const = 0;
  /// The diagonal of the precision matrix; computed once where that is dear.
  virtual const Vector& precision_diagonal() const = 0;

  /// Q x, with the precision matrix if it is dense, small and at hand, else as the distribution does it.
  Vector precision_times(const Vector& x) const;

  Index size() const final { return gaussian().size(); }
  Vector sample(Random& random) const final { return gaussian().sample(random); }
  double log_density(const Vector& kappa) const final { return gaussian().log_density(kappa); }
  /// For every column of kappa.
  Vector log_densities(const Matrix& kappa) const;
  /// The gradient is -Q (kappa - mean).
  double log_density_and_gradient(const Vector& kappa, Vector& gradient) const final;

 private:
  /// The dense precision matrix if there is one, of a size at which it pays.
  const Matrix* handy_precision() const;
};

}  // namespace varimesh::inverse
