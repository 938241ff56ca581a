#include "varimesh/mcmc/chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "expect_input_error.h"
#include "mcmc/sampling.h"
#include "paper_problems.h"
#include "variational/toy_problems.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/variational/fit.h"

namespace varimesh::mcmc::test {
namespace {

using variational::test::BlackBox;

/// A standard normal prior of two unknowns, and data that say nothing.
std::shared_ptr<const inverse::Posterior> prior_only(Index size = 2) {
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(size), Vector::Ones(size));
  const auto flat = std::make_shared<BlackBox>(size, [](const Vector& x, Vector& gradient) {
    gradient.setZero(x.size());
    return 0.0;
  });
  return std::make_shared<inverse::Posterior>(flat, prior);
}

Chain warmed_up(const inverse::Posterior& posterior, const SamplerOptions& options, Index chain = 0) {
  Chain result(posterior, options, 1, chain, draw_start(posterior, options, 1, chain));
  while (result.in_warmup()) result.advance();
  return result;
}

class EveryKernel : public testing::TestWithParam<KernelKind> {};

TEST_P(EveryKernel, NothingIsAdaptedAfterTheWarmup) {
  const auto problem = varimesh::test::paper_1d(0.3);
  Chain chain =
      warmed_up(*problem.posterior, {.kernel = GetParam(), .warmup = 200, .leapfrog_steps = 5, .max_depth = 4});
  const ChainState before = chain.state();
  EXPECT_EQ(before.warmup.size(), 200U);
  for (int i = 0; i < 50; ++i) chain.advance();
  EXPECT_EQ(chain.state().step, before.step);
  EXPECT_EQ(chain.state().scales.size(), before.scales.size());
  EXPECT_EQ(chain.state().scales.back().scale, before.scales.back().scale);
  EXPECT_EQ(chain.state().warmup.size(), 200U);
}

TEST_P(EveryKernel, TheWarmupComesCloseToItsTargetAcceptance) {
  const auto problem = varimesh::test::paper_1d(0.3);
  const variational::FitResult fit =
      variational::fit(*problem.posterior, {.family = variational::FamilyKind::full_covariance});
  const auto& q = dynamic_cast<const variational::GaussianFamily&>(*fit.q);
  const auto reference = std::make_shared<gaussian::DenseGaussian>(q.mean(), q.gaussian().dense_root());
  for (const double target : {0.45, 0.6}) {
    // Near the fit, steps of pCN, NUTS and HMC end at the longest before so little is accepted: let them begin from the
    // prior.
    const bool walks = GetParam() == KernelKind::random_walk, pcn = GetParam() == KernelKind::pcn;
    const std::shared_ptr<const gaussian::Gaussian> prior(problem.posterior->shared_prior(),
                                                          &problem.posterior->gaussian_prior()->gaussian());
    Chain chain = warmed_up(*problem.posterior, {.kernel = GetParam(),
                                                 .warmup = 2000,
                                                 .reference = pcn     ? nullptr
                                                              : walks ? reference
                                                                      : prior,
                                                 .target_acceptance = target,
                                                 .leapfrog_steps = 5});
    for (int i = 0; i < 2000; ++i) chain.advance();
    // Dual averaging settles on an average of log steps, at which more is accepted than the average over steps:
    // 0.15 allows for that, and for the noise of 2000 transitions.
    EXPECT_NEAR(chain.state().acceptance_sum / 2000, target, 0.15);
  }
}

TEST_P(EveryKernel, ARestoredChainGoesOnIdentically) {
  const auto problem = varimesh::test::paper_1d(0.3);
  const SamplerOptions options{
      .kernel = GetParam(), .warmup = 160, .scale = ScaleKind::dense, .leapfrog_steps = 5, .max_depth = 4};
  Chain chain(*problem.posterior, options, 5, 2, draw_start(*problem.posterior, options, 5, 2));
  for (const int until : {0, 40, 90, 159, 160, 170}) {  // before, within and after the windows of the warm-up
    while (chain.state().iteration < until) chain.advance();
    Chain again(*problem.posterior, options, 5, 2, chain.state());
    for (int i = 0; i < 20; ++i) again.advance();
    Chain reference(*problem.posterior, options, 5, 2, draw_start(*problem.posterior, options, 5, 2));
    while (reference.state().iteration < until + 20) reference.advance();
    EXPECT_EQ(again.state().position.kappa, reference.state().position.kappa) << until;
    EXPECT_EQ(again.state().step, reference.state().step);
    EXPECT_EQ(again.state().counts, reference.state().counts);
  }
}

TEST_P(EveryKernel, CountsWhatTheModelWasAsked) {
  long long values = 0, gradients = 0;
  class Counting final : public inverse::LogLikelihood {
   public:
    Counting(long long& values, long long& gradients) : values_(values), gradients_(gradients) {}
    Index num_parameters() const override { return 2; }
    double value(const Vector& x) const override {
      ++values_;
      return -x.squaredNorm();
    }
    double value_and_gradient(const Vector& x, Vector& gradient) const override {
      ++gradients_;
      gradient = -2 * x;
      return -x.squaredNorm();
    }

   private:
    long long &values_, &gradients_;
  };
  const inverse::Posterior posterior(std::make_shared<Counting>(values, gradients),
                                     std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2)));
  Chain chain(posterior, {.kernel = GetParam(), .warmup = 200}, 1, 0, Vector::Ones(2));
  for (int i = 0; i < 300; ++i) chain.advance();
  EXPECT_EQ(chain.state().counts.values, values);
  EXPECT_EQ(chain.state().counts.gradients, gradients);
  EXPECT_EQ(chain.state().counts.forward_solves, values + gradients);
  EXPECT_EQ(chain.state().counts.adjoint_solves, gradients);
}

TEST_P(EveryKernel, PointsWhereTheModelFailsAreNeverVisited) {
  // The model fails for x_0 > 1/2: what is left is a truncated normal distribution.
  const auto half = std::make_shared<BlackBox>(2, [](const Vector& x, Vector& gradient) {
    gradient.setZero(2);
    return x[0] > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  });
  const inverse::Posterior posterior(half,
                                     std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2)));
  const auto chains = sample(posterior, {.kernel = GetParam(), .leapfrog_steps = 5}, 4, 8000);
  const Matrix x = series(chains, [](const Vector& v) { return v[0]; });
  EXPECT_LE(x.maxCoeff(), 0.5);
  // E[x | x < b] = -phi(b) / Phi(b)
  const double expected =
      -std::exp(-0.125) / std::sqrt(2 * std::numbers::pi) / (0.5 * std::erfc(-0.5 / std::numbers::sqrt2));
  expect_mean(x, expected, "truncated normal");
}

std::string name_of(const testing::TestParamInfo<KernelKind>& info) {
  constexpr const char* names[] = {"Nuts", "Hmc", "Pcn", "RandomWalk"};
  return names[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel,
                         testing::Values(KernelKind::nuts, KernelKind::hmc, KernelKind::pcn, KernelKind::random_walk),
                         name_of);

TEST(Chain, AFitAsScaleIsUsedFromTheStartAndShortensTheWarmup) {
  const auto posterior = prior_only();
  const auto fit = std::make_shared<gaussian::DiagonalGaussian>(Vector::Zero(2), Vector::Ones(2));
  const SamplerOptions options{.kernel = KernelKind::hmc, .reference = fit};
  EXPECT_LT(options.num_warmup(), SamplerOptions{.kernel = KernelKind::hmc}.num_warmup());
  const Chain chain = warmed_up(*posterior, options);
  ASSERT_EQ(chain.state().scales.size(), 1U);
  EXPECT_EQ(chain.state().scales[0].scale, fit);
}

TEST(Chain, AReferenceIsKeptUntilThereAreDrawsEnoughForABetterScale) {
  constexpr Index size = 8;
  const auto posterior = prior_only(size);
  const auto fit = std::make_shared<gaussian::DiagonalGaussian>(Vector::Zero(size), Vector::Constant(size, 0.5));
  const SamplerOptions options{
      .kernel = KernelKind::hmc, .warmup = 300, .reference = fit, .refine_reference = true, .scale = ScaleKind::dense};
  const Chain chain = warmed_up(*posterior, options);
  // Windows of 25, 50 and 100 draws: only the last has more than ten for each unknown.
  ASSERT_EQ(chain.state().scales.size(), 2U);
  EXPECT_EQ(chain.state().scales[0].scale, fit);
  EXPECT_EQ(chain.state().scales[1].draws, 100);
  EXPECT_NE(dynamic_cast<const gaussian::DenseGaussian*>(chain.state().scales[1].scale.get()), nullptr);
}

TEST(Chain, ALearntScaleApproachesTheCovarianceOfTheTarget) {
  // Correlated unknowns of very different sizes.
  Matrix factor(3, 3);
  factor << 0.01, 0, 0,  //
      0.5, 1, 0,         //
      10, 0, 30;
  const gaussian::DenseGaussian target(Vector::Zero(3), factor);
  const auto normal = std::make_shared<BlackBox>(3, [&](const Vector& x, Vector& gradient) {
    gradient = x - target.precision_times(x);  // less the prior, which is added
    return target.log_density(x) + 0.5 * x.squaredNorm();
  });
  const inverse::Posterior posterior(normal,
                                     std::make_shared<inverse::IndependentPrior>(Vector::Zero(3), Vector::Ones(3)));
  const SamplerOptions options{.kernel = KernelKind::nuts, .warmup = 2000, .scale = ScaleKind::dense};
  const Chain chain = warmed_up(posterior, options);
  const result::ScaleUpdate& last = chain.state().scales.back();
  const Matrix learnt = last.scale->covariance_times(Matrix::Identity(3, 3)), exact = factor * factor.transpose();
  // Entries of a covariance from n independent draws are known to sqrt(2 / n); these are not quite independent.
  const double error = 8 / std::sqrt(last.draws);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(learnt(i, j), exact(i, j), error * std::sqrt(exact(i, i) * exact(j, j))) << i << ", " << j;
  }
}

TEST(Chain, EvenTheShortestWarmupEndsWithAStepThatWasTuned) {
  // The posterior's sd is 0.01. Dual averaging begins at ten times a step that would do; it never ends above that.
  const auto narrow = std::make_shared<BlackBox>(2, [](const Vector& x, Vector& gradient) {
    gradient = -1e4 * x;
    return -0.5e4 * x.squaredNorm();
  });
  const inverse::Posterior posterior(narrow,
                                     std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2)));
  for (Index warmup = 1; warmup < 160; warmup += warmup < 30 ? 1 : 13) {
    const SamplerOptions options{.kernel = KernelKind::hmc, .warmup = warmup, .leapfrog_steps = 3};
    const Chain chain = warmed_up(posterior, options);
    EXPECT_EQ(chain.state().warmup.size(), static_cast<std::size_t>(warmup));
    const double sd = std::sqrt(chain.state().scales.back().scale->variance().maxCoeff());
    EXPECT_LT(chain.state().step * sd, 10 * 0.01) << warmup;
  }
}

TEST(Chain, StartsAreTwiceAsFarOutAsTheReference) {
  const auto posterior = prior_only(200);
  const auto reference = std::make_shared<gaussian::DiagonalGaussian>(Vector::Ones(200), Vector::Constant(200, 0.1));
  const Vector start = draw_start(*posterior, {.reference = reference}, 1, 0);
  // The variance of 200 draws is known to 10 %.
  EXPECT_NEAR((start - Vector::Ones(200)).squaredNorm() / 200, 0.04, 4 * 0.1 * 0.04);
  EXPECT_NEAR(draw_start(*posterior, {}, 1, 0).squaredNorm() / 200, 1, 4 * 0.1);
  EXPECT_NE(start, draw_start(*posterior, {.reference = reference}, 1, 1));
}

TEST(Chain, PcnOnThePriorAcceptsEverything) {
  const auto posterior = prior_only();
  Chain chain(*posterior, {.kernel = KernelKind::pcn, .warmup = 0, .step = 0.7}, 1, 0, Vector::Zero(2));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(chain.advance().acceptance, 1);
}

TEST(Chain, DivergencesAreCountedAfterTheWarmupOnly) {
  // A step a hundred times too long for a quartic: the energy explodes.
  const auto quartic = std::make_shared<BlackBox>(2, [](const Vector& x, Vector& gradient) {
    gradient = (-4 * x.array().cube()).matrix();
    return -x.array().square().square().sum();
  });
  const inverse::Posterior posterior(quartic,
                                     std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2)));
  for (const KernelKind kernel : {KernelKind::nuts, KernelKind::hmc}) {
    Chain chain(posterior, {.kernel = kernel, .warmup = 20, .step = 60, .leapfrog_steps = 4}, 1, 0, Vector::Ones(2));
    Index divergent = 0;
    for (int i = 0; i < 50; ++i) divergent += chain.advance().divergent && i >= 20 ? 1 : 0;
    EXPECT_GT(divergent, 0);
    EXPECT_EQ(chain.state().divergences, divergent);
  }
}

TEST(Chain, OptionsThatMakeNoSenseAreRefused) {
  const auto posterior = prior_only();
  const auto make = [&](const SamplerOptions& options) { return Chain(*posterior, options, 1, 0, Vector::Zero(2)); };
  const auto other = std::make_shared<gaussian::DiagonalGaussian>(Vector::Zero(3), Vector::Ones(3));
  EXPECT_INPUT_ERROR(make({.reference = other}), "the reference has 3 unknowns, but the posterior has 2");
  EXPECT_INPUT_ERROR(make({.scale = ScaleKind::sparse}), "a sparse scale needs a pattern");
  EXPECT_INPUT_ERROR(make({.warmup = -1}), "expected a warm-up of 0 or more, found -1");
  EXPECT_INPUT_ERROR(make({.warmup = 0}), "without a warm-up the step must be given");
  EXPECT_INPUT_ERROR(make({.kernel = KernelKind::pcn, .step = 1.5}),
                     "expected a step above 0 and at most 1, found 1.5");
  EXPECT_INPUT_ERROR(make({.step = 0}), "expected a step above 0 and at most inf, found 0");
  EXPECT_INPUT_ERROR(make({.target_acceptance = 1}), "expected a target acceptance between 0 and 1, found 1");
  EXPECT_INPUT_ERROR(make({.leapfrog_steps = 0}), "expected 1 to 100000 leapfrog steps, found 0");
  EXPECT_INPUT_ERROR(make({.max_depth = 30}), "expected a tree depth from 1 to 20, found 30");
  EXPECT_INPUT_ERROR(make({.max_depth = -1}), "expected a tree depth from 1 to 20, found -1");
  const char* refine = "only a reference of NUTS, HMC or a random walk can be refined, to a dense or sparse scale";
  const auto fit = std::make_shared<gaussian::DiagonalGaussian>(Vector::Zero(2), Vector::Ones(2));
  EXPECT_INPUT_ERROR(make({.refine_reference = true, .scale = ScaleKind::dense}), refine);
  EXPECT_INPUT_ERROR(make({.reference = fit, .refine_reference = true}), refine);
  EXPECT_INPUT_ERROR(
      make({.kernel = KernelKind::pcn, .reference = fit, .refine_reference = true, .scale = ScaleKind::dense}), refine);
  EXPECT_INPUT_ERROR(Chain(*posterior, {}, 1, 0, Vector::Zero(3)), "expected a start of 2 unknowns, found 3");
}

TEST(Chain, AStateOfAnotherPosteriorIsRefused) {
  const auto one = varimesh::test::paper_1d(0.2), other = varimesh::test::paper_1d(0.2, 2);
  Chain chain(*one.posterior, {.step = 0.01}, 1, 0, one.truth);
  EXPECT_THROW(Chain(*other.posterior, {.step = 0.01}, 1, 0, chain.state()), InputError);
}

}  // namespace
}  // namespace varimesh::mcmc::test
