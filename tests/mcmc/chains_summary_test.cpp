#include "varimesh/mcmc/chains_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "paper_problems.h"
#include "varimesh/diagnostics/compare.h"
#include "varimesh/variational/fit_summary.h"

namespace varimesh::mcmc {
namespace {

TEST(ChainsSummary, DivergencesBetweenKeptDrawsCount) {
  const auto problem = test::paper_1d(0.3);
  // A step at the edge of stability: some trajectories diverge.
  const SamplerOptions sampler{.kernel = KernelKind::hmc, .warmup = 0, .step = 0.02, .leapfrog_steps = 5};
  Matrix starts(32, 2);
  starts << problem.truth, problem.truth;
  const ChainsResult all = run_chains(*problem.posterior, sampler, {.chains = 2, .draws = 400, .starts = starts});
  const ChainsResult thinned =
      run_chains(*problem.posterior, sampler, {.chains = 2, .draws = 40, .thin = 10, .starts = starts});
  const auto verdict = judge(thinned, diagnostics::diagnose(thinned.draws, 1));
  EXPECT_GT(verdict.divergences, 0);
  EXPECT_EQ(verdict.divergences, judge(all, diagnostics::diagnose(all.draws, 1)).divergences);
  EXPECT_EQ(verdict.e_bfmi.value, judge(all, diagnostics::diagnose(all.draws, 1)).e_bfmi.value);
}

TEST(ChainsSummary, AFitIsMeasuredByChains) {
  const auto problem = test::paper_1d(0.3);
  variational::FitResult fit =
      variational::fit(*problem.posterior, {.family = variational::FamilyKind::full_covariance});
  const diagnostics::Contender fitted = variational::summarize("fit", fit);
  const SamplerOptions sampler{.kernel = KernelKind::nuts, .reference = variational::shared_gaussian(std::move(fit.q))};
  const ChainsResult chains = run_chains(*problem.posterior, sampler, {.chains = 4, .draws = 1000, .threads = 2});
  const diagnostics::Contender referee = summarize("NUTS", chains, diagnostics::diagnose(chains.draws, 2));
  EXPECT_GT(referee.seconds, 0);
  EXPECT_EQ(referee.counts, chains.counts);
  EXPECT_EQ(fitted.counts, fit.counts);
  // At this length-scale the best normal distribution is known to be within 0.1 sds in the mean and 10 % in the sds.
  const diagnostics::Comparison comparison = diagnostics::compare(fitted, referee);
  EXPECT_LT(std::abs(comparison.largest_mean_shift.value), 0.2);
  EXPECT_NEAR(comparison.largest_sd_ratio.value, 1, 0.15);
  EXPECT_LT(comparison.result.solves, comparison.referee.solves);
}

}  // namespace
}  // namespace varimesh::mcmc
