#include "varimesh/variational/transfer.h"

#include "varimesh/variational/curvature.h"

namespace varimesh::variational {

std::unique_ptr<LowRank> transfer(const gaussian::LowRankGaussian& coarse, const inverse::SparseMatrix& averages,
                                  gaussian::LowRankGaussian::Base base, const inverse::GaussianPrior& prior,
                                  int threads) {
  const gaussian::Gaussian& coarse_prior = coarse.base();
  const Vector offset = coarse.mean() - coarse_prior.mean();
  const Vector functional = averages.transpose() * coarse_prior.precision_times(offset).col(0);
  const Vector mean = base->mean() + base->covariance_times(functional);
  Matrix columns = coarse.directions() * coarse.excess().cwiseMax(0).cwiseSqrt().asDiagonal();
  coarse_prior.solve_root_transposed(columns);
  const Spectrum spectrum = Curvature::of_columns(prior, averages.transpose() * columns, threads).spectrum();
  return std::make_unique<LowRank>(
      gaussian::LowRankGaussian(mean, std::move(base), spectrum.directions, spectrum.values));
}

}  // namespace varimesh::variational
