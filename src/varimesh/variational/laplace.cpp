#include "varimesh/variational/laplace.h"

#include "varimesh/cancellation.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/variational/natural_families.h"

namespace varimesh::variational {

std::unique_ptr<GaussianFamily> laplace_mean_field(const Vector& kappa, const inverse::GaussianPrior& prior,
                                                   const Curvature& curvature) {
  const Vector precision = prior.precision_diagonal() + curvature.diagonal();
  return std::make_unique<MeanField>(gaussian::DiagonalGaussian(kappa, precision.cwiseSqrt().cwiseInverse()));
}

std::unique_ptr<GaussianFamily> laplace_full_covariance(const Vector& kappa, const inverse::GaussianPrior& prior,
                                                        const Curvature& curvature) {
  // One full natural step from the prior's covariance.
  const FullCovariance start(gaussian::DenseGaussian(kappa, prior.gaussian().dense_root()));
  const auto step = natural_step(start, prior, curvature, Vector::Zero(kappa.size()));
  if (!step) return nullptr;
  auto candidate = step->take(1, 1);
  return candidate ? std::move(candidate->q) : nullptr;
}

std::unique_ptr<GaussianFamily> laplace_low_rank(const Vector& kappa, gaussian::LowRankGaussian::Base base,
                                                 const Curvature& curvature) {
  const Spectrum spectrum = curvature.spectrum();
  if (!spectrum.values.allFinite()) return nullptr;
  return std::make_unique<LowRank>(
      gaussian::LowRankGaussian(kappa, std::move(base), spectrum.directions, spectrum.values), spectrum.nats(),
      spectrum.sd_excess());
}

namespace {

/// P^-1 on the pattern.
Vector covariance_on_pattern(const linalg::CliqueTree& tree, const inverse::GaussianPrior& prior,
                             const Curvature& curvature, int threads) {
  if (!curvature.is_low_rank() || !prior.has_sparse_precision())
    return linalg::values_on_pattern(tree, curvature.solve(Matrix::Identity(tree.size(), tree.size())));
  // Q_p^-1 - Z Z'
  Vector factor = linalg::values_on_pattern(tree, *prior.sparse_precision());
  if (!linalg::chordal_cholesky(tree, factor, threads)) return {};
  const Matrix z = linalg::to_tree(tree, curvature.covariance_reduction());
  return linalg::chordal_selected_inverse(tree, factor, threads) - linalg::chordal_gram(tree, z.transpose(), threads);
}

}  // namespace

std::unique_ptr<GaussianFamily> laplace_sparse_precision(const Vector& kappa, const inverse::GaussianPrior& prior,
                                                         Curvature& curvature, gaussian::SparseGaussian::Tree tree,
                                                         double tolerance, int threads) {
  if (!curvature.factorize()) return nullptr;
  // Begin with the one whose covariances on the pattern are those of P^-1.
  const Vector sigma = covariance_on_pattern(*tree, prior, curvature, threads);
  Vector factor(sigma.size());
  if (sigma.size() == 0 || !linalg::chordal_completion(*tree, sigma, factor, threads)) return nullptr;
  std::unique_ptr<GaussianFamily> q =
      std::make_unique<SparsePrecision>(gaussian::SparseGaussian(kappa, std::move(tree), std::move(factor)));
  const auto improve = [&] {
    const auto step = natural_step(*q, prior, curvature, Vector::Zero(kappa.size()), tolerance, threads);
    std::optional<NaturalStep::Candidate> candidate = step ? step->take(1, 1) : std::nullopt;
    if (!candidate) return false;
    q = std::move(candidate->q);
    return candidate->gain >= tolerance;
  };
  constexpr int max_steps = 20;
  bool goes_on = true;
  // Interrupted, the last one is still of use; whoever goes on with it will hear of the request again.
  completes([&] {
    for (int i = 0; i < max_steps && goes_on; ++i) goes_on = improve();
  });
  return q;
}

}  // namespace varimesh::variational
