#pragma once

#include <memory>

#include "varimesh/gaussian/low_rank_gaussian.h"
#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/variational/curvature.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

// Laplace's approximation N(kappa, P^-1), P = Q_prior + H, in each family. The curvature is factorised.

/// Mean field: the precision is the diagonal of P.
std::unique_ptr<GaussianFamily> laplace_mean_field(const Vector& kappa, const inverse::GaussianPrior& prior,
                                                   const Curvature& curvature);
/// Full covariance: exactly P^-1. Null if it is not numerically positive definite.
std::unique_ptr<GaussianFamily> laplace_full_covariance(const Vector& kappa, const inverse::GaussianPrior& prior,
                                                        const Curvature& curvature);
/// Low rank: P^-1 but for the eigenvalues that the curvature leaves out, relative to the prior `base`.
std::unique_ptr<GaussianFamily> laplace_low_rank(const Vector& kappa, gaussian::LowRankGaussian::Base base,
                                                 const Curvature& curvature);
/// Sparse precision: the best of the family for N(kappa, P^-1), by steps that stop when they gain less than `tolerance`
/// nats, or when they are interrupted. Null if that fails numerically.
std::unique_ptr<GaussianFamily> laplace_sparse_precision(const Vector& kappa, const inverse::GaussianPrior& prior,
                                                         Curvature& curvature, gaussian::SparseGaussian::Tree tree,
                                                         double tolerance, int threads);

}  // namespace varimesh::variational
