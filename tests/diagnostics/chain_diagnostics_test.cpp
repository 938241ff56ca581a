#include "varimesh/diagnostics/chain_diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "diagnostics/stored_draws.h"
#include "expect_input_error.h"
#include "varimesh/diagnostics/effective_sample_size.h"

namespace varimesh::diagnostics {
namespace {

using test::autoregressive_chains;
using test::normal_matrix;
using test::store;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Draws x chains of one AR(1) process.
Matrix autoregressive(Index draws, Index chains, double phi, std::uint64_t seed) {
  Matrix result(draws, chains);
  const auto series = autoregressive_chains(chains, draws, Vector::Zero(1), Vector::Ones(1), phi, seed);
  for (Index c = 0; c < chains; ++c) result.col(c) = series[static_cast<std::size_t>(c)].row(0).transpose();
  return result;
}

/// The effective sample size by its definition, without Fourier transforms: autocovariances as sums of products.
double brute_force_ess(const Matrix& halves) {
  const Eigen::Index n = halves.rows(), m = halves.cols();
  const Eigen::RowVectorXd means = halves.colwise().mean();
  const Matrix x = halves.rowwise() - means;
  const auto autocovariance = [&](Eigen::Index t) {
    return (x.topRows(n - t).array() * x.bottomRows(n - t).array()).sum() / static_cast<double>(n * m);
  };
  const double within = autocovariance(0) * static_cast<double>(n) / static_cast<double>(n - 1);
  const double total = autocovariance(0) + (means.array() - means.mean()).square().sum() / static_cast<double>(m - 1);
  const auto rho = [&](Eigen::Index t) { return 1 - (within - autocovariance(t)) / total; };
  const auto count = static_cast<double>(n * m);
  double tau = -1, smallest = infinity;
  for (Eigen::Index t = 0; t + 1 < n; t += 2) {
    const double even = t == 0 ? 1 : rho(t), pair = even + rho(t + 1);
    if (pair < 0) return count / std::max(tau + std::max(even, 0.0), 1 / std::log10(count));
    smallest = std::min(smallest, pair);
    tau += 2 * smallest;
  }
  return std::nan("");
}

TEST(EffectiveSampleSize, IsThatOfItsDefinition) {
  for (const double phi : {-0.5, 0.0, 0.5, 0.9}) {
    const Matrix draws = autoregressive(300, 3, phi, 1);
    Matrix halves(150, 6);
    halves << draws.topRows(150), draws.bottomRows(150);
    // Rounding in Fourier transforms and sums of 900 products.
    EXPECT_NEAR(ess_mean(draws) / brute_force_ess(halves), 1, 1e-11) << phi;
  }
}

TEST(EffectiveSampleSize, OfAutoregressiveChainsIsTheTheoreticalOne) {
  // ESS = S (1 - phi) / (1 + phi); its estimate has a relative standard error of about sqrt(2 (2 M + 1) / S) with M ~ 3
  // tau lags (Sokal 1997, equation 3.19), here 2 to 8 %. Three times that.
  for (const double phi : {0.0, 0.3, 0.6, 0.9}) {
    const Matrix draws = autoregressive(10'000, 4, phi, 2);
    const double tau = (1 + phi) / (1 - phi), expected = 40'000 / tau;
    const double tolerance = 3 * std::sqrt(2 * (6 * tau + 1) / 40'000);
    EXPECT_NEAR(ess_mean(draws) / expected, 1, tolerance) << phi;
    EXPECT_NEAR(ess_bulk(draws) / expected, 1, tolerance) << phi;
  }
}

TEST(EffectiveSampleSize, OfAntitheticChainsExceedsTheDrawsButNotTheCap) {
  const Matrix draws = autoregressive(1000, 4, -0.3, 3);
  EXPECT_GT(ess_mean(draws), 4000 * 1.5);  // in theory 4000 * 1.3 / 0.7 = 7430
  EXPECT_LT(ess_mean(draws), 4000 * 2.3);
  Matrix alternating(100, 2);
  for (Index s = 0; s < 100; ++s) alternating.row(s).setConstant(s % 2 == 0 ? 1 : -1);
  EXPECT_NEAR(ess_mean(alternating), 200 * std::log10(200), 1e-9);
}

TEST(EffectiveSampleSize, IsNotANumberForFewOrEqualOrInfiniteDraws) {
  EXPECT_TRUE(std::isnan(ess_mean(normal_matrix(11, 4, 1))));
  EXPECT_FALSE(std::isnan(ess_mean(normal_matrix(12, 4, 1))));
  EXPECT_TRUE(std::isnan(ess_bulk(Matrix::Constant(100, 4, 0.1))));
  Matrix draws = normal_matrix(100, 4, 1);
  draws(3, 2) = infinity;
  const QuantityDiagnostics result = diagnose(draws);
  EXPECT_TRUE(std::isnan(result.ess_bulk) && std::isnan(result.ess_tail) && std::isnan(result.rhat));
  EXPECT_TRUE(std::isnan(result.median) && std::isnan(result.mcse_mean));
}

TEST(EffectiveSampleSize, DoesNotDependOnUnitsOrTheOrderOfChains) {
  const Matrix draws = autoregressive(200, 4, 0.4, 4);
  const double expected = ess_mean(draws);
  EXPECT_NEAR(ess_mean(1e-100 * draws) / expected, 1, 1e-12);
  EXPECT_NEAR(ess_mean(draws.array() + 1e4) / expected, 1, 1e-9);  // the shift rounds draws to 1e-12
  EXPECT_NEAR(ess_mean(draws.rowwise().reverse()) / expected, 1, 1e-12);
}

TEST(Rhat, IsNearOneForIndependentChainsAndChainsThatMixed) {
  EXPECT_LT(rhat(normal_matrix(1000, 4, 5)), 1.01);
  EXPECT_LT(rhat(autoregressive(2000, 4, 0.5, 5)), 1.01);
}

TEST(Rhat, DetectsChainsThatAreStuckInDifferentModes) {
  Matrix draws = normal_matrix(500, 4, 6);
  draws.col(3).array() += 1;
  EXPECT_GT(rhat(draws), 1.05);
  for (Index c = 0; c < 4; ++c) draws.col(c).setConstant(0.1 * c);
  EXPECT_EQ(rhat(draws), infinity);
}

TEST(Rhat, DetectsADriftWithinASingleChain) {
  Matrix draws = normal_matrix(1000, 1, 7);
  draws.col(0) += Vector::LinSpaced(1000, -1, 1);
  EXPECT_GT(rhat(draws), 1.05);
}

TEST(Rhat, DetectsChainsOfDifferentScaleAndEqualMean) {
  Matrix draws = normal_matrix(500, 4, 8);
  draws.col(0) *= 4;
  EXPECT_GT(rhat(draws), 1.05);
}

TEST(EffectiveSampleSize, OfBulkAndTailsDoesNotChangeUnderMonotoneMaps) {
  const Matrix draws = autoregressive(300, 3, 0.5, 9);
  EXPECT_NEAR(ess_bulk(draws.array().exp()), ess_bulk(draws), 1e-9);
  EXPECT_NEAR(ess_tail(draws.array().exp()), ess_tail(draws), 1e-9);
}

TEST(StandardErrors, AreTheSpreadOfTheEstimates) {
  // Of 300 runs of two AR(1) chains of 400 draws, the estimates' spread is known to 1 / sqrt(600) = 4 %; the mean of
  // the estimated errors is biased by some percent, as autocorrelation times of short chains are.
  constexpr Index runs = 300;
  Matrix estimates(3, runs), errors(3, runs);
  for (Index r = 0; r < runs; ++r) {
    const Matrix draws = autoregressive(400, 2, 0.5, 100 + static_cast<std::uint64_t>(r));
    const QuantityDiagnostics result = diagnose(draws);
    estimates.col(r) << result.mean, result.sd, result.median;
    errors.col(r) << result.mcse_mean, result.mcse_sd, mcse_quantile(draws, 0.5);
  }
  for (Index i = 0; i < 3; ++i) {
    const double spread = std::sqrt((estimates.row(i).array() - estimates.row(i).mean()).square().sum() / (runs - 1));
    EXPECT_NEAR(errors.row(i).mean() / spread, 1, 0.15) << i;
  }
}

TEST(StandardErrors, RefuseLevelsThatAreNoProbability) {
  const Matrix draws = normal_matrix(100, 2, 1);
  EXPECT_INPUT_ERROR(mcse_quantile(draws, 1.5), "expected the level of a quantile from 0 to 1, found 1.5");
  EXPECT_INPUT_ERROR(ess_quantile(draws, std::nan("")), "expected the level of a quantile from 0 to 1, found nan");
  EXPECT_INPUT_ERROR(diagnose(Matrix(0, 4)), "expected draws of a chain at least, found 0 draws of 4 chains");
}

/// Every member is the same, bit for bit.
void expect_equal(const std::vector<QuantityDiagnostics>& found, const std::vector<QuantityDiagnostics>& expected) {
  const auto numbers = [](const std::vector<QuantityDiagnostics>& all) {
    std::vector<double> result;
    for (const QuantityDiagnostics& d : all)
      result.insert(result.end(),
                    {d.mean, d.sd, d.mcse_mean, d.mcse_sd, d.rhat, d.ess_bulk, d.ess_tail, d.q05, d.median, d.q95});
    return result;
  };
  EXPECT_EQ(numbers(found), numbers(expected));
}

TEST(ChainDiagnostics, OfStoredDrawsAreThoseOfTheirSeries) {
  const Vector mean = Vector::LinSpaced(7, -3, 3), scale = Vector::LinSpaced(7, 0.1, 2);
  std::vector<Matrix> chains = autoregressive_chains(3, 120, mean, scale, 0.6, 11);
  chains[1].conservativeResize(7, 100);  // an interrupted chain: only so many draws of each count
  std::vector<QuantityDiagnostics> expected;
  for (Index i = 0; i < 7; ++i) {
    Matrix series(100, 3);
    for (Index c = 0; c < 3; ++c) series.col(c) = chains[static_cast<std::size_t>(c)].row(i).head(100).transpose();
    expected.push_back(diagnose(series));
  }
  expect_equal(diagnose(store(chains), 1), expected);
  EXPECT_INPUT_ERROR(diagnose(result::Draws(), 1), "expected draws of a chain at least, found 0 draws of 0 chains");
}

TEST(ChainDiagnostics, DoNotDependOnThreadsOrMemory) {
  const result::Draws draws = store(autoregressive_chains(4, 60, Vector::Zero(23), Vector::Ones(23), 0.3, 12));
  const std::vector<QuantityDiagnostics> expected = diagnose(draws, 1);
  const std::size_t series = sizeof(double) * 60 * 4;
  for (const std::size_t memory : {std::size_t{1}, 5 * series, 100 * series})
    expect_equal(diagnose(draws, 4, memory), expected);
}

}  // namespace
}  // namespace varimesh::diagnostics
