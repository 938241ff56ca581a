#include "varimesh/diagnostics/psis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "diagnostics/quantile_grid.h"
#include "expect_input_error.h"
#include "varimesh/random.h"

namespace varimesh::diagnostics {
namespace {

using test::quantile_grid;

constexpr double infinity = std::numeric_limits<double>::infinity();

double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return low;
}

TEST(Psis, AgreesWithFiftyDigitReferences) {
  // From the formulas of the two papers, in a separate program (mpmath, 50 digits).
  struct Reference {
    Vector log_ratios;
    double khat, effective_sample_size;
    Index tail_size;
    double first_log_weight, largest_log_weight, mean_index;
  };
  Vector waves(200), pareto(1000), heavy(100);
  for (Index s = 1; s <= 200; ++s) waves[s - 1] = 3 * std::sin(static_cast<double>(s * s));
  for (Index s = 1; s <= 1000; ++s) pareto[s - 1] = -0.6 * std::log(std::fmod(s * 0.6180339887498949, 1.0));
  for (Index s = 1; s <= 100; ++s) heavy[s - 1] = -1.4 * std::log(std::fmod(s * 0.6180339887498949, 1.0));
  const Reference references[] = {
      {waves, -1.174487426541297, 70.91381106323083, 40, -4.398468349890984, -3.915579881399929, 98.45715550553106},
      {pareto, 0.551438439744087, 297.8959551782597, 95, -7.491375851431233, -3.449196520943146, 500.6828811948139},
      {heavy, 1.031671251592093, 5.816323929163113, 20, -6.691442571800716, -0.9656429192286423, 61.74533102673082}};
  for (const Reference& expected : references) {
    const PsisResult result = psis(expected.log_ratios);
    const Vector weights = result.log_weights.array().exp();
    // Rounding in a few hundred sums, and in quantiles of a heavy tail.
    EXPECT_NEAR(result.khat, expected.khat, 1e-10);
    EXPECT_NEAR(result.effective_sample_size, expected.effective_sample_size, 1e-8);
    EXPECT_EQ(result.tail_size, expected.tail_size);
    EXPECT_NEAR(result.log_weights[0], expected.first_log_weight, 1e-10);
    EXPECT_NEAR(result.log_weights.maxCoeff(), expected.largest_log_weight, 1e-10);
    EXPECT_NEAR(Vector::LinSpaced(weights.size(), 0, static_cast<double>(weights.size() - 1)).dot(weights),
                expected.mean_index, 1e-8);
    EXPECT_NEAR(weights.sum(), 1, 1e-12);
  }
}

TEST(Psis, KhatOfNarrowNormalProposalsIsOneMinusTheirVariance) {
  // Proposal N(0, s^2), target N(0, 1): P(ratio > t) ~ t^(-1 / (1 - s^2)) / sqrt(log t). The logarithm lowers khat by
  // some hundredths, the prior pulls it towards 1/2 by 10 of 300.
  const Index draws = 10'000;
  for (const double variance : {0.3, 0.5, 0.7}) {
    const Vector log_ratios = quantile_grid(draws, normal_quantile).array().square() * 0.5 * (1 - variance);
    const double khat = psis(log_ratios).khat;
    EXPECT_LT(khat, 1 - variance);
    EXPECT_GT(khat, 1 - variance - 0.12);
  }
}

TEST(Psis, KhatOfWideProposalsIsNegativeAndOfLightTailedOnesNearOne) {
  const Vector x = quantile_grid(4000, normal_quantile);
  // Proposal N(0, 2), target N(0, 1): the ratio is bounded.
  const PsisResult wide = psis(-0.5 * x.array().square());
  EXPECT_LT(wide.khat, 0);
  EXPECT_EQ(wide.verdict, Verdict::good);
  // Proposal N(0, 1), target Student t with one degree of freedom: P(ratio > t) is 1 / t but for logarithms, which keep
  // khat below 1 here.
  const PsisResult light = psis(0.5 * x.array().square() - x.array().square().log1p());
  EXPECT_GT(light.khat, 0.7);
  EXPECT_LT(light.khat, 1);
  EXPECT_EQ(light.verdict, Verdict::poor);
  // The other way round the ratio is bounded.
  EXPECT_LT(psis(quantile_grid(4000,
                               [](double p) {
                                 const double t = std::tan(std::numbers::pi * (p - 0.5));
                                 return -0.5 * t * t + std::log1p(t * t);
                               }))
                .khat,
            0.1);
}

/// A normal proposal N(0.3, 1.2^2) for the target N(0, 1): draws and log ratios.
struct Correction {
  Matrix draws;
  Vector log_ratios;

  Correction(Index count, std::uint64_t seed) : draws(2, count), log_ratios(count) {
    Random random(seed);
    for (Index s = 0; s < count; ++s) {
      const double z = random.normal(), x = 0.3 + 1.2 * z;
      draws.col(s) << x, x * x;
      log_ratios[s] = -0.5 * x * x + 0.5 * z * z;
    }
  }
};

TEST(Psis, CorrectedMomentsAreTheTargets) {
  const Correction correction(4000, 1);
  const PsisResult result = psis(correction.log_ratios);
  EXPECT_EQ(result.verdict, Verdict::good);
  const WeightedMoments moments = importance_moments(correction.draws, result);
  // Four standard errors; the proposal's own moments, 0.3 and 1.53, are more than ten away.
  EXPECT_NEAR(moments.mean[0], 0, 4 * moments.standard_error[0]);
  EXPECT_NEAR(moments.mean[1], 1, 4 * moments.standard_error[1]);
  EXPECT_NEAR(moments.standard_deviation[0], 1, 4 * moments.standard_error[1] / 2);
  EXPECT_NEAR(moments.standard_deviation[1], std::sqrt(2.0), 0.2);  // of x^2, whose own fourth moment is large
  EXPECT_LT(moments.standard_error[0], 0.03);
  EXPECT_LT(moments.standard_error[1], 0.05);
}

TEST(Psis, StandardErrorsAreTheSpreadOfTheEstimates) {
  constexpr Index repetitions = 400;
  Matrix means(2, repetitions), errors(2, repetitions);
  for (Index r = 0; r < repetitions; ++r) {
    const Correction correction(200, 10 + static_cast<std::uint64_t>(r));
    const WeightedMoments moments = importance_moments(correction.draws, psis(correction.log_ratios));
    means.col(r) = moments.mean;
    errors.col(r) = moments.standard_error;
  }
  for (Index i = 0; i < 2; ++i) {
    const double spread = std::sqrt((means.row(i).array() - means.row(i).mean()).square().sum() / (repetitions - 1));
    // A standard deviation from 400 estimates is known to 1 / sqrt(800) = 3.5 %; four times that.
    EXPECT_NEAR(errors.row(i).mean() / spread, 1, 0.14);
  }
}

TEST(Psis, SmoothingReducesTheErrorOfHeavyTailedWeights) {
  // Weights u^-0.6 have mean 2.5 and no variance. The error of sum w x / sum w for x = u: E[u w] / E[w] = 0.4 / 1.4.
  const double expected = 0.4 / 1.4;
  double raw_error = 0, smooth_error = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Matrix u(1, 300);
    for (double& value : u.reshaped()) value = random.uniform();
    const Vector log_ratios = -0.6 * u.row(0).transpose().array().log();
    const Vector raw = log_ratios.array().exp();
    raw_error += std::pow(u.row(0).dot(raw) / raw.sum() - expected, 2);
    smooth_error += std::pow(importance_moments(u, psis(log_ratios)).mean[0] - expected, 2);
  }
  EXPECT_LT(smooth_error, raw_error);
}

TEST(Psis, DoesNotDependOnAConstantOrTheOrderOfTheDraws) {
  Vector log_ratios = 2 * Random(3).normal_vector(300);
  log_ratios[7] = -infinity;
  log_ratios[20] = log_ratios[21] = log_ratios.maxCoeff();  // ties in the tail
  const PsisResult result = psis(log_ratios);
  const PsisResult shifted = psis(log_ratios.array() - 1e4);
  // The shift rounds ratios to 1e-12.
  EXPECT_NEAR(shifted.khat, result.khat, 1e-9);
  EXPECT_NEAR(shifted.effective_sample_size, result.effective_sample_size, 1e-7);

  std::vector<Index> permutation(300);
  std::iota(permutation.begin(), permutation.end(), 0);
  Random random(4);
  for (Index s = 299; s > 0; --s)
    std::swap(permutation[s], permutation[static_cast<Index>(random.uniform() * (s + 1))]);
  const PsisResult permuted = psis(log_ratios(permutation));
  EXPECT_EQ(permuted.khat, result.khat);
  EXPECT_EQ(permuted.effective_sample_size, result.effective_sample_size);
  EXPECT_EQ(permuted.log_weights, result.log_weights(permutation));
  EXPECT_EQ(result.log_weights[20], result.log_weights[21]);
}

TEST(Psis, KeepsTheBulkAndTheOrderAndTheLargestWeight) {
  const Vector log_ratios = 3 * Random(5).normal_vector(400);
  const PsisResult result = psis(log_ratios);
  EXPECT_EQ(result.tail_size, 60);
  EXPECT_EQ(result.num_draws(), 400);
  std::vector<Index> order(400);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return log_ratios[a] < log_ratios[b]; });
  const double shift = result.log_weights[order[0]] - log_ratios[order[0]];
  for (std::size_t s = 0; s < 340; ++s)
    EXPECT_NEAR(result.log_weights[order[s]] - log_ratios[order[s]], shift, 1e-12);  // rounding
  for (std::size_t s = 1; s < 400; ++s) EXPECT_GE(result.log_weights[order[s]], result.log_weights[order[s - 1]]);
  EXPECT_LE(result.log_weights.maxCoeff(), log_ratios.maxCoeff() + shift + 1e-12);
}

TEST(Psis, EqualRatiosAreAPerfectApproximation) {
  const PsisResult result = psis(Vector::Constant(1000, -123.4));
  EXPECT_EQ(result.khat, 0);
  EXPECT_EQ(result.verdict, Verdict::good);
  EXPECT_NEAR(result.effective_sample_size, 1000, 1e-9);
  EXPECT_NEAR(result.log_weights[17], -std::log(1000), 1e-12);
  EXPECT_EQ(describe(result), "khat = 0.00 is below 0.67: the importance weights can be trusted");
}

TEST(Psis, TooFewDrawsAreSaidToBeTooFew) {
  for (const Index draws : {1, 5, 24}) {
    const PsisResult result = psis(Random(1).normal_vector(draws));
    EXPECT_EQ(result.khat, infinity);
    EXPECT_EQ(result.tail_size, 0);
    EXPECT_EQ(result.verdict, Verdict::undetermined);
    EXPECT_NEAR(result.log_weights.array().exp().sum(), 1, 1e-12);
    EXPECT_EQ(describe(result), "khat cannot be estimated from fewer than 25 draws, found " + std::to_string(draws));
  }
  EXPECT_NE(psis(Random(1).normal_vector(25)).verdict, Verdict::undetermined);
}

TEST(Psis, TailsOfEqualRatiosAreUndetermined) {
  Vector log_ratios = Vector::Zero(100);
  log_ratios.head(4) << 0.1, 0.2, 0.3, 0.4;
  const PsisResult result = psis(log_ratios);
  EXPECT_EQ(result.verdict, Verdict::undetermined);
  EXPECT_EQ(describe(result), "khat cannot be estimated, because too many of the largest importance ratios are equal");
  log_ratios[4] = 0.5;  // five above the rest are enough
  EXPECT_NE(psis(log_ratios).verdict, Verdict::undetermined);
  EXPECT_EQ(psis(log_ratios).tail_size, 5);
}

TEST(Psis, AFewDrawsWithAllTheWeightAreBad) {
  Vector log_ratios = 1000 * Vector::LinSpaced(100, 0, 99);
  for (const double lowest : {0.0, -infinity}) {
    log_ratios[0] = lowest;
    const PsisResult result = psis(log_ratios);
    EXPECT_EQ(result.khat, infinity);
    EXPECT_EQ(result.verdict, Verdict::bad);
    EXPECT_NEAR(result.effective_sample_size, 1, 1e-12);
    EXPECT_EQ(describe(result), "a few draws carry all the weight: the approximation is far from the target");
  }
  // Ratios over hundreds of orders of magnitude are still finite numbers.
  const PsisResult spread = psis(10 * Vector::LinSpaced(100, 0, 99));
  EXPECT_GT(spread.khat, 1);
  EXPECT_TRUE(std::isfinite(spread.khat));
  EXPECT_EQ(spread.verdict, Verdict::bad);
}

TEST(Psis, DrawsOfZeroWeightCount) {
  Vector log_ratios = Random(6).normal_vector(500);
  for (Index s = 0; s < 500; s += 2) log_ratios[s] = -infinity;
  const PsisResult result = psis(log_ratios);
  EXPECT_EQ(result.log_weights[0], -infinity);
  EXPECT_TRUE(std::isfinite(result.log_weights[1]));
  EXPECT_NEAR(result.threshold, 1 - 1 / std::log10(500), 1e-12);
  EXPECT_LE(result.effective_sample_size, 250);
  EXPECT_TRUE(importance_moments(Matrix::Ones(1, 500), result).mean.allFinite());
}

TEST(Psis, VerdictsFollowTheThresholds) {
  // Weights that are quantiles of a generalised Pareto have its k, pulled towards 1/2 by the prior.
  const auto result = [](double k, Index draws) {
    return psis(quantile_grid(draws, [&](double p) { return std::log(1 + GeneralizedPareto{k, 1}.quantile(p)); }));
  };
  EXPECT_EQ(result(0.3, 1000).verdict, Verdict::good);
  const PsisResult poor = result(0.62, 100);
  EXPECT_NEAR(poor.threshold, 0.5, 1e-12);
  EXPECT_EQ(poor.verdict, Verdict::poor);
  EXPECT_EQ(describe(poor).substr(11),
            " is above 0.50: the importance correction is unreliable with 100 draws, it "
            "needs about " +
                std::to_string(static_cast<int>(std::ceil(minimum_draws(poor.khat)))));
  const PsisResult poorer = result(0.85, 10'000);
  EXPECT_EQ(poorer.threshold, 0.7);
  EXPECT_EQ(poorer.verdict, Verdict::poor);
  EXPECT_EQ(describe(poorer).substr(11),
            " is above 0.70: the importance correction is unreliable, and more draws hardly help");
  const PsisResult bad = result(1.5, 10'000);
  EXPECT_EQ(bad.verdict, Verdict::bad);
  EXPECT_EQ(describe(bad).substr(11),
            " is above 1: the importance weights have no finite mean, the approximation is far "
            "from the target");
}

TEST(Psis, MinimumDrawsIsTheFormulaOfThePaper) {
  EXPECT_NEAR(minimum_draws(-1), 10, 1e-12);
  EXPECT_NEAR(minimum_draws(0.5), 100, 1e-10);
  EXPECT_NEAR(minimum_draws(0.7), 2154.43469, 1e-5);  // 10^(10/3)
  EXPECT_EQ(minimum_draws(1), infinity);
  EXPECT_EQ(minimum_draws(infinity), infinity);
}

TEST(Psis, RefusesBadInput) {
  Vector log_ratios = Vector::Zero(30);
  log_ratios[3] = std::nan("");
  EXPECT_INPUT_ERROR(psis(log_ratios), "expected log ratios that are finite or minus infinity, found nan for draw 3");
  log_ratios[3] = infinity;
  EXPECT_INPUT_ERROR(psis(log_ratios), "expected log ratios that are finite or minus infinity, found inf for draw 3");
  EXPECT_INPUT_ERROR(psis(Vector::Constant(30, -infinity)),
                     "expected a draw with a positive importance weight, found none among 30");
  EXPECT_INPUT_ERROR(psis(Vector()), "expected a draw with a positive importance weight, found none among 0");
  EXPECT_INPUT_ERROR(importance_moments(Matrix::Ones(2, 29), psis(Vector::Zero(30))),
                     "expected as many draws as weights (30), found 29");
}

}  // namespace
}  // namespace varimesh::diagnostics
