#pragma once

#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::inverse {

struct SpdeSettings {
  double sigma = 1;  ///< standard deviation, far from the boundary
  double range = 1;  ///< the distance at which the correlation is about 0.14
  int order = 2;     ///< alpha, from 1 to 4 and above half the dimension; the field is smoother the higher it is
  double mean = 0;
};

/// A Matern field on the cells of a mesh: the solution of a stochastic equation (Lindgren, Rue, Lindstrom 2011),
///
///   (k^2 - Laplace)^(alpha/2) (tau kappa) = white noise,  no flux through the boundary,
///   k = sqrt(8 nu) / range,  nu = alpha - d/2,  tau^2 = Gamma(nu) / (Gamma(alpha) (4 pi)^(d/2) k^(2 nu) sigma^2).
///
/// Its precision is sparse, Q = tau^2 M (C^-1 M)^(alpha-1) with M = k^2 C + S, C the cells' volumes and S their
/// stiffness (spde_prior_stiffness.h): it couples cells at most alpha steps apart.
class SpdePrior final : public GaussianPrior {
 public:
  static constexpr int max_order = 4;

  /// Throws InputError for a sigma or range that is not positive, an order out of range, or a precision matrix that
  /// cannot be factorised.
  SpdePrior(const mesh::Mesh& mesh, const SpdeSettings& settings, int threads = 1);

  const gaussian::SparseGaussian& gaussian() const override { return gaussian_; }
  const SparseMatrix* sparse_precision() const override { return &precision_; }
  const Matrix* dense_precision() const override { return nullptr; }
  const Vector& precision_diagonal() const override { return precision_diagonal_; }

 private:
  SparseMatrix precision_;
  Vector precision_diagonal_;
  gaussian::SparseGaussian gaussian_;
};

}  // namespace varimesh::inverse
