#include "varimesh/diagnostics/error_norms.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "varimesh/constants.h"
#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/diagnostics/quantity.h"
#include "varimesh/error.h"

namespace varimesh::diagnostics {
Estimate mean_of_finite(const Matrix& values, Dependence dependence) {
  Index count = 0;
  double sum = 0;
  for (const double value : values.reshaped()) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  if (count == 0) return {nan, nan};
  const double mean = sum / count;
  // Failures stand at the mean: they add nothing to sums of deviations.
  const Matrix filled = values.array().isFinite().select(values, mean);
  const double variance = (filled.array() - mean).square().sum() / (count - 1);
  // error^2 = variance / ESS; of the effective draws those that failed are missing in proportion
  const double share = static_cast<double>(count) / static_cast<double>(values.size());
  const double effective = dependence == Dependence::chains ? share * ess_mean(filled) : count;
  return {mean, std::sqrt(variance / effective)};
}

namespace {

/// The rest, once the mean of the draws is known; `evaluate` gives a quantity at every draw, draws x chains.
template <class Evaluate>
ErrorNorms norms(const Vector& mean, const Vector& kappa_true, const Solution& u, Dependence dependence,
                 const Evaluate& evaluate) {
  const Vector u_true = u(kappa_true);
  if (!u_true.allFinite()) throw InputError("expected a finite solution at the true kappa, found one that is not");
  const Matrix distances = evaluate([&](const Vector& kappa) -> double { return (u(kappa) - u_true).norm(); });
  // |mean - true| = 1/S sum_s g'(kappa_s - true) with g = (mean - true) / |mean - true|: a mean of numbers
  const Vector direction = (mean - kappa_true).stableNormalized();
  const Matrix projections = evaluate([&](const Vector& kappa) -> double { return direction.dot(kappa - kappa_true); });

  ErrorNorms result;
  result.mean_kappa = {(mean - kappa_true).norm(), mean_of_finite(projections, dependence).error};
  result.expected_solution = mean_of_finite(distances, dependence);
  result.draws = static_cast<Index>(distances.size());
  result.failures = result.draws - static_cast<Index>(distances.array().isFinite().count());
  return result;
}

void require_size(Eigen::Index unknowns, const Vector& kappa_true) {
  if (unknowns != kappa_true.size())
    throw InputError(
        fmt::format("expected draws of {} unknowns as the true kappa, found {}", kappa_true.size(), unknowns));
}

}  // namespace

ErrorNorms error_norms(const Matrix& draws, const Vector& kappa_true, const Solution& u, int threads) {
  require_size(draws.rows(), kappa_true);
  if (draws.cols() < 2) throw InputError(fmt::format("expected at least two draws, found {}", draws.cols()));
  return norms(draws.rowwise().mean(), kappa_true, u, Dependence::independent,
               [&](const Quantity& quantity) -> Matrix { return evaluate_quantity(draws, quantity, threads); });
}

ErrorNorms error_norms(const result::Draws& draws, Index draws_per_chain, const Vector& kappa_true, const Solution& u,
                       int threads) {
  require_size(draws.size(), kappa_true);
  const std::vector<Index> chosen = evenly_spaced(draws.num_draws(), draws_per_chain);
  const double count = static_cast<double>(chosen.size()) * draws.num_chains();
  if (count < 2) throw InputError(fmt::format("expected at least two draws, found {}", count));
  Vector mean = Vector::Zero(draws.size());
  for (Index c = 0; c < draws.num_chains(); ++c) {
    for (const Index s : chosen) mean += draws.chain(c).col(s) / count;
  }
  return norms(mean, kappa_true, u, Dependence::chains,
               [&](const Quantity& quantity) { return evaluate_quantity(draws, draws_per_chain, quantity, threads); });
}

}  // namespace varimesh::diagnostics
