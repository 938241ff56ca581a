#include "varimesh/diagnostics/compare.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "diagnostics/stored_draws.h"
#include "expect_input_error.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/gaussian/diagonal_gaussian.h"

namespace varimesh::diagnostics {
namespace {

using gaussian::DenseGaussian;
using gaussian::DiagonalGaussian;

/// A lower triangular factor with a diagonal near one.
Matrix some_factor(Index n, std::uint64_t seed) {
  Matrix factor = 0.3 * test::normal_matrix(n, n, seed);
  factor.diagonal().array() = 1 + 0.2 * factor.diagonal().array();
  return factor.triangularView<Eigen::Lower>();
}

/// KL(N(m1, C1) | N(m2, C2)) as it is written in books.
double textbook_kl(const Vector& m1, const Matrix& c1, const Vector& m2, const Matrix& c2) {
  const Matrix inverse = c2.inverse();
  return 0.5 * ((inverse * c1).trace() - static_cast<double>(m1.size()) + (m2 - m1).dot(inverse * (m2 - m1)) +
                std::log(c2.determinant() / c1.determinant()));
}

Matrix draws_of(const DenseGaussian& q, Index count, std::uint64_t seed) {
  Matrix draws = test::normal_matrix(q.size(), count, seed);
  q.multiply_root(draws);
  draws.colwise() += q.mean();
  return draws;
}

TEST(Compare, GaussiansByClosedForms) {
  const Index n = 6;
  const Vector m1 = Vector::LinSpaced(n, -1, 1), m2 = Vector::LinSpaced(n, 0, 1.5);
  const DenseGaussian q1(m1, some_factor(n, 1)), q2(m2, some_factor(n, 2));
  const Matrix c1 = q1.factor() * q1.factor().transpose(), c2 = q2.factor() * q2.factor().transpose();
  const Comparison comparison = compare(summarize("fit", q1), summarize("referee", q2));

  // Rounding of small dense algebra.
  EXPECT_NEAR(comparison.kl_result_referee->value, textbook_kl(m1, c1, m2, c2), 1e-12);
  EXPECT_NEAR(comparison.kl_referee_result->value, textbook_kl(m2, c2, m1, c1), 1e-12);
  EXPECT_NEAR(comparison.covariance_difference->value, (c1 - c2).norm() / c2.norm(), 1e-14);
  EXPECT_NEAR(comparison.precision_difference->value, (c1.inverse() - c2.inverse()).norm() / c2.inverse().norm(),
              1e-12);
  EXPECT_EQ(comparison.kl_result_referee->error, 0);
  EXPECT_EQ(comparison.covariance_difference->error, 0);

  const Vector shift = (m1 - m2).array() / c2.diagonal().array().sqrt();
  const Vector ratio = (c1.diagonal().array() / c2.diagonal().array()).sqrt();
  EXPECT_NEAR((comparison.mean_shift - shift).norm(), 0, 1e-14);
  EXPECT_NEAR((comparison.sd_ratio - ratio).norm(), 0, 1e-14);
  EXPECT_EQ(comparison.mean_shift_error, Vector::Zero(n));
  EXPECT_EQ(comparison.sd_ratio_error, Vector::Zero(n));
  Eigen::Index at = 0;
  shift.cwiseAbs().maxCoeff(&at);
  EXPECT_EQ(comparison.largest_mean_shift.index, at);
  EXPECT_NEAR(comparison.largest_mean_shift.value, shift[at], 1e-14);
}

TEST(Compare, HalfAnSdIsAsFarOffAsTwice) {
  const Vector zero = Vector::Zero(3), sigma = Vector::Ones(3), other = Vector{{1.5, 0.4, 2.2}};
  const Comparison comparison =
      compare(summarize("a", DiagonalGaussian(zero, other)), summarize("b", DiagonalGaussian(zero, sigma)));
  EXPECT_EQ(comparison.largest_sd_ratio.index, 1);
  EXPECT_NEAR(comparison.largest_sd_ratio.value, 0.4, 1e-15);
}

TEST(Compare, EqualResultsDoNotDiffer) {
  const DenseGaussian q(Vector::Ones(5), some_factor(5, 3));
  const Comparison comparison = compare(summarize("a", q), summarize("b", q));
  EXPECT_EQ(comparison.largest_mean_shift.value, 0);
  EXPECT_EQ(comparison.sd_ratio, Vector::Ones(5));
  EXPECT_EQ(comparison.covariance_difference->value, 0);
  EXPECT_NEAR(comparison.kl_result_referee->value, 0, 1e-15);
  EXPECT_GE(comparison.kl_result_referee->value, 0);
}

TEST(Compare, DivergenceIsStableForIllConditionedCovariances) {
  // A common factor, condition 1e16 in the covariance, leaves the divergence of scaled ones: n (s^2 - 1 - log s^2) / 2.
  const Index n = 5;
  Matrix factor = some_factor(n, 4);
  for (Index i = 0; i < n; ++i) factor.row(i) *= std::pow(10, -2.0 * i);
  const double scale = 1 + 1e-3, excess = scale * scale - 1;
  const Comparison comparison = compare(summarize("a", DenseGaussian(Vector::Zero(n), scale * factor)),
                                        summarize("b", DenseGaussian(Vector::Zero(n), factor)));
  const double expected = 0.5 * n * (excess - std::log1p(excess));
  EXPECT_NEAR(comparison.kl_result_referee->value, expected, 1e-3 * expected);
}

/// Draws of a known normal distribution beside itself.
Comparison draws_beside_truth(Index n, Index count) {
  const DenseGaussian q(Vector::LinSpaced(n, -2, 2), some_factor(n, 5));
  return compare(summarize_independent("draws", draws_of(q, count, 6)), summarize("exact", q));
}

TEST(Compare, MomentsOfIndependentDrawsAreWithinTheirErrors) {
  const Index n = 8, count = 20'000;
  const Comparison comparison = draws_beside_truth(n, count);
  EXPECT_EQ(*comparison.result.effective_draws, count);
  EXPECT_FALSE(comparison.referee.effective_draws.has_value());
  for (Index i = 0; i < n; ++i) {
    EXPECT_NEAR(comparison.mean_shift[i], 0, 4 * comparison.mean_shift_error[i]);
    EXPECT_NEAR(comparison.sd_ratio[i], 1, 4 * comparison.sd_ratio_error[i]);
    // Of normal draws: 1 / sqrt(S) and 1 / sqrt(2 S), the latter from a fourth moment known to some percent.
    EXPECT_NEAR(comparison.mean_shift_error[i] * std::sqrt(count), 1, 0.03);
    EXPECT_NEAR(comparison.sd_ratio_error[i] * std::sqrt(2.0 * count), 1, 0.1);
  }
}

TEST(Compare, DistributionsOfIndependentDrawsAreWithinTheirErrors) {
  const Index n = 8, count = 20'000;
  const Comparison comparison = draws_beside_truth(n, count);
  // Frobenius differences are about their expected noise, never many times it.
  EXPECT_LT(comparison.covariance_difference->value, 3 * comparison.covariance_difference->error);
  EXPECT_GT(comparison.covariance_difference->value, comparison.covariance_difference->error / 3);
  EXPECT_LT(comparison.precision_difference->value, 3 * comparison.precision_difference->error);
  // The divergence is chi-squared with n (n + 3) / 2 = 44 degrees of freedom: its bias to within sqrt(2 / 44) = 21 %,
  // four times that.
  EXPECT_NEAR(comparison.kl_result_referee->error, n * (n + 3) / (4.0 * count), 1e-15);
  EXPECT_NEAR(comparison.kl_result_referee->value / comparison.kl_result_referee->error, 1, 0.85);
  EXPECT_NEAR(comparison.kl_referee_result->value / comparison.kl_referee_result->error, 1, 0.85);
}

TEST(Compare, ChainsAreWithinTheirErrors) {
  const Index n = 5;
  const Vector mean = Vector::LinSpaced(n, 0, 4), scale = Vector::LinSpaced(n, 0.5, 2);
  const std::vector<Matrix> chains = test::autoregressive_chains(4, 2000, mean, scale, 0.7, 7);
  const result::Draws draws = test::store(chains);
  const Contender sampled = summarize("chains", draws, diagnose(draws, 1));
  const Comparison comparison = compare(sampled, summarize("exact", DiagonalGaussian(mean, scale)));
  for (Index i = 0; i < n; ++i) {
    EXPECT_NEAR(comparison.mean_shift[i], 0, 4 * comparison.mean_shift_error[i]);
    EXPECT_NEAR(comparison.sd_ratio[i], 1, 4 * comparison.sd_ratio_error[i]);
  }
  // 8000 * 0.3 / 1.7 = 1412; the smallest of five estimates, each to some 8 %.
  EXPECT_NEAR(*comparison.result.effective_draws, 1412, 0.3 * 1412);
  EXPECT_LT(comparison.kl_result_referee->value, 3 * comparison.kl_result_referee->error);

  // The covariance is that of all draws together.
  Matrix all(n, 8000);
  all << chains[0], chains[1], chains[2], chains[3];
  const Contender together = summarize_independent("draws", all);
  EXPECT_NEAR((*sampled.covariance - *together.covariance).norm(), 0, 1e-12);
  EXPECT_NEAR((sampled.sd.array().square().matrix() - together.covariance->diagonal()).norm(), 0, 1e-12);
}

TEST(Compare, TooFewDrawsAreNotInverted) {
  const Index n = 10;
  const DenseGaussian q(Vector::Zero(n), some_factor(n, 8));
  const Comparison few = compare(summarize_independent("draws", draws_of(q, 49, 9)), summarize("exact", q));
  EXPECT_TRUE(few.covariance_difference.has_value());
  EXPECT_FALSE(few.precision_difference.has_value());
  EXPECT_FALSE(few.kl_result_referee.has_value());
  const Comparison enough = compare(summarize_independent("draws", draws_of(q, 50, 9)), summarize("exact", q));
  EXPECT_TRUE(enough.precision_difference.has_value());
  EXPECT_TRUE(enough.kl_referee_result.has_value());
}

TEST(Compare, ManyUnknownsHaveNoCovariance) {
  const Index n = most_unknowns_with_covariance + 1;
  const Contender large = summarize("large", DiagonalGaussian(Vector::Zero(n), Vector::Ones(n)));
  EXPECT_FALSE(large.covariance.has_value());
  const Comparison comparison = compare(large, large);
  EXPECT_FALSE(comparison.covariance_difference.has_value());
  EXPECT_FALSE(comparison.kl_result_referee.has_value());
  EXPECT_EQ(comparison.largest_sd_ratio.value, 1);
}

TEST(Compare, CountsTimeAndSolves) {
  const DenseGaussian q(Vector::Zero(2), some_factor(2, 10));
  Contender fit = summarize_independent("draws", draws_of(q, 1000, 11)), referee = fit;
  fit.seconds = 2;
  fit.counts.forward_solves = 300;
  fit.counts.adjoint_solves = 200;
  fit.khat = 0.4;
  referee.name = "referee";
  referee.seconds = 100;
  referee.counts.forward_solves = 10'000;
  referee.effective_draws = 400;
  const Comparison comparison = compare(fit, referee);
  EXPECT_EQ(comparison.result.name, "draws");
  EXPECT_EQ(comparison.result.solves, 500);
  EXPECT_EQ(comparison.result.ess_per_second, 500);
  EXPECT_EQ(comparison.result.ess_per_solve, 2);
  EXPECT_EQ(comparison.result.khat, 0.4);
  EXPECT_EQ(comparison.referee.ess_per_solve, 0.04);
  EXPECT_EQ(comparison.speedup_seconds, 50);
  EXPECT_EQ(comparison.speedup_solves, 20);
  EXPECT_EQ(comparison.speedup_ess_per_second, 125);
  EXPECT_EQ(comparison.speedup_ess_per_solve, 50);

  const Comparison exact = compare(summarize("exact", q), referee);
  EXPECT_FALSE(exact.result.ess_per_second.has_value());
  EXPECT_FALSE(exact.speedup_seconds.has_value());  // it took no time
  EXPECT_FALSE(exact.speedup_ess_per_solve.has_value());
}

TEST(Compare, RefusesSizesThatDiffer) {
  const DiagonalGaussian two(Vector::Zero(2), Vector::Ones(2)), three(Vector::Zero(3), Vector::Ones(3));
  EXPECT_INPUT_ERROR(compare(summarize("a", two), summarize("b", three)),
                     "expected results of as many unknowns, found 2 of a and 3 of b");
  EXPECT_INPUT_ERROR(summarize_independent("a", Matrix::Zero(3, 1)), "expected at least two draws, found 1");
  const result::Draws draws = test::store({Matrix::Zero(3, 20)});
  EXPECT_INPUT_ERROR(summarize("a", draws, {}), "expected diagnostics of 3 unknowns, found 0");
}

}  // namespace
}  // namespace varimesh::diagnostics
