#include "varimesh/diagnostics/error_norms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "diagnostics/stored_draws.h"
#include "expect_input_error.h"
#include "varimesh/diagnostics/quantity.h"

namespace varimesh::diagnostics {
namespace {

using test::normal_matrix;

/// A nonlinear u of three numbers.
Vector solution(const Vector& kappa) { return Vector{{kappa.sum(), kappa.squaredNorm(), std::exp(0.1 * kappa[0])}}; }

TEST(ErrorNorms, AreThoseOfThePaper) {
  const Matrix draws = normal_matrix(4, 50, 1);
  const Vector truth = Vector::LinSpaced(4, 0, 1);
  const ErrorNorms norms = error_norms(draws, truth, solution, 1);
  double sum = 0;
  for (Index s = 0; s < 50; ++s) sum += (solution(draws.col(s)) - solution(truth)).norm();
  EXPECT_NEAR(norms.mean_kappa.value, (draws.rowwise().mean() - truth).norm(), 1e-14);
  EXPECT_NEAR(norms.expected_solution.value, sum / 50, 1e-13);
  EXPECT_EQ(norms.draws, 50);
  EXPECT_EQ(norms.failures, 0);
}

TEST(ErrorNorms, StandardErrorsAreTheSpreadOfTheEstimates) {
  // Of 400 repetitions the spread is known to 1 / sqrt(800) = 3.5 %; four times that.
  constexpr Index repetitions = 400;
  const Vector truth = Vector::Ones(4);
  Matrix values(2, repetitions), errors(2, repetitions);
  for (Index r = 0; r < repetitions; ++r) {
    const ErrorNorms norms = error_norms(normal_matrix(4, 100, 10 + r), truth, solution, 1);
    values.col(r) << norms.mean_kappa.value, norms.expected_solution.value;
    errors.col(r) << norms.mean_kappa.error, norms.expected_solution.error;
  }
  for (Index i = 0; i < 2; ++i) {
    const double spread = std::sqrt((values.row(i).array() - values.row(i).mean()).square().sum() / (repetitions - 1));
    EXPECT_NEAR(errors.row(i).mean() / spread, 1, 0.14) << i;
  }
}

TEST(ErrorNorms, StandardErrorsOfChainsHonourAutocorrelation) {
  // With lag-one correlation 0.8 errors are sqrt(1.8 / 0.2) = 3 times those of independent draws. For a linear u in one
  // direction, whose distances are far from zero, both norms are means of the same process.
  const Vector truth = Vector{{-20, 0}};
  const result::Draws draws =
      test::store(test::autoregressive_chains(4, 4000, Vector::Zero(2), Vector::Ones(2), 0.8, 2));
  const auto first = [](const Vector& kappa) -> Vector { return kappa.head(1); };
  const ErrorNorms norms = error_norms(draws, 4000, truth, first, 1);
  const double expected = 3 / std::sqrt(16'000.0);
  // An autocorrelation time of 9 from 16,000 draws is known to 8 %, so its root to 4 %; three times that.
  EXPECT_NEAR(norms.mean_kappa.error / expected, 1, 0.12);
  EXPECT_NEAR(norms.expected_solution.error / expected, 1, 0.12);
  EXPECT_NEAR(norms.mean_kappa.value, 20, 4 * expected);
  EXPECT_NEAR(norms.expected_solution.value, 20, 4 * expected);
  // Every twentieth draw is nearly independent: 0.8^20 = 0.01.
  const ErrorNorms thinned = error_norms(draws, 200, truth, first, 1);
  EXPECT_EQ(thinned.draws, 800);
  EXPECT_NEAR(thinned.mean_kappa.error * std::sqrt(800.0), 1, 0.3);
}

TEST(ErrorNorms, CountAndLeaveOutFailures) {
  const Matrix draws = normal_matrix(4, 60, 3);
  const Vector truth = Vector::Zero(4);
  const auto failing = [&](const Vector& kappa) -> Vector {
    return solution(kappa) * (kappa[0] > 1 ? std::nan("") : 1);
  };
  std::vector<Index> working;
  for (Index s = 0; s < 60; ++s) {
    if (!(draws(0, s) > 1)) working.push_back(s);
  }
  ASSERT_LT(working.size(), 60u);
  const ErrorNorms norms = error_norms(draws, truth, failing, 1);
  const ErrorNorms expected = error_norms(draws(Eigen::all, working), truth, solution, 1);
  EXPECT_EQ(norms.failures, 60 - expected.draws);
  EXPECT_EQ(norms.draws, 60);
  EXPECT_NEAR(norms.expected_solution.value, expected.expected_solution.value, 1e-13);
  EXPECT_NEAR(norms.expected_solution.error, expected.expected_solution.error, 1e-13);
  EXPECT_NEAR(norms.mean_kappa.value, draws.rowwise().mean().norm(), 1e-14);  // needs no model
}

TEST(ErrorNorms, AreNotANumberIfTheModelAlwaysFails) {
  const Vector truth = Vector::Zero(4);
  const auto hopeless = [&](const Vector& kappa) -> Vector {
    return Vector::Constant(1, kappa == truth ? 0 : std::nan(""));
  };
  const ErrorNorms norms = error_norms(normal_matrix(4, 60, 3), truth, hopeless, 1);
  EXPECT_TRUE(std::isnan(norms.expected_solution.value));
  EXPECT_EQ(norms.failures, 60);
}

TEST(ErrorNorms, DoNotDependOnThreads) {
  const Matrix draws = normal_matrix(4, 100, 4);
  const result::Draws chains =
      test::store(test::autoregressive_chains(3, 40, Vector::Zero(4), Vector::Ones(4), 0.5, 5));
  const Vector truth = Vector::Ones(4);
  const ErrorNorms expected = error_norms(draws, truth, solution, 1), found = error_norms(draws, truth, solution, 4);
  EXPECT_EQ(found.expected_solution.value, expected.expected_solution.value);
  EXPECT_EQ(found.expected_solution.error, expected.expected_solution.error);
  EXPECT_EQ(found.mean_kappa.error, expected.mean_kappa.error);
  EXPECT_EQ(error_norms(chains, 30, truth, solution, 4).expected_solution.error,
            error_norms(chains, 30, truth, solution, 1).expected_solution.error);
}

TEST(ErrorNorms, RefuseBadInput) {
  const Vector truth = Vector::Zero(4);
  EXPECT_INPUT_ERROR(error_norms(normal_matrix(3, 9, 1), truth, solution, 1),
                     "expected draws of 4 unknowns as the true kappa, found 3");
  EXPECT_INPUT_ERROR(error_norms(normal_matrix(4, 1, 1), truth, solution, 1), "expected at least two draws, found 1");
  const auto broken = [](const Vector&) -> Vector { return Vector::Constant(1, std::nan("")); };
  EXPECT_INPUT_ERROR(error_norms(normal_matrix(4, 9, 1), truth, broken, 1),
                     "expected a finite solution at the true kappa, found one that is not");
  EXPECT_INPUT_ERROR(error_norms(test::store({Matrix::Zero(4, 5)}), 0, truth, solution, 1),
                     "expected at least two draws, found 0");
}

TEST(EvaluateQuantity, IsInTheOrderOfTheDrawsOnAllThreads) {
  const Matrix draws = normal_matrix(3, 40, 6);
  const auto quantity = [](const Vector& kappa) { return kappa[0] - kappa[2]; };
  const Vector values = evaluate_quantity(draws, quantity, 3);
  EXPECT_EQ(values, (draws.row(0) - draws.row(2)).transpose());

  const std::vector<Matrix> chains = {draws, 2 * draws};
  const Matrix of_chains = evaluate_quantity(test::store(chains), 10, quantity, 3);
  ASSERT_EQ(of_chains.rows(), 10);
  ASSERT_EQ(of_chains.cols(), 2);
  for (Index s = 0; s < 10; ++s) {
    EXPECT_EQ(of_chains(s, 0), values[4 * s + 3]);
    EXPECT_EQ(of_chains(s, 1), 2 * values[4 * s + 3]);
  }
  EXPECT_EQ(evaluate_quantity(test::store(chains), 1000, quantity, 1).rows(), 40);
}

TEST(EvaluateQuantity, PassesExceptionsOnFromItsThreads) {
  const auto throws = [](const Vector&) -> double { throw std::runtime_error("broken"); };
  EXPECT_THROW(evaluate_quantity(Matrix::Zero(2, 10), throws, 3), std::runtime_error);
  EXPECT_INPUT_ERROR(evaluate_quantity(Matrix(2, 0), throws, 1), "expected at least one draw, found none");
}

TEST(EvenlySpaced, DrawsEndWithTheLast) {
  EXPECT_EQ(evenly_spaced(10, 3), (std::vector<Index>{2, 5, 9}));
  EXPECT_EQ(evenly_spaced(3, 10), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(evenly_spaced(2'000'000'000, 2), (std::vector<Index>{999'999'999, 1'999'999'999}));
  EXPECT_TRUE(evenly_spaced(0, 5).empty());
  EXPECT_TRUE(evenly_spaced(5, -1).empty());
}

}  // namespace
}  // namespace varimesh::diagnostics
