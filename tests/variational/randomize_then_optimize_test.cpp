#include "varimesh/variational/randomize_then_optimize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "variational/linear_problem.h"
#include "varimesh/diagnostics/density.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/variational/maximum_a_posteriori.h"

namespace varimesh::variational {
namespace {

/// Predictions with their Jacobian by a function.
class FunctionModel final : public inverse::ForwardModel {
 public:
  using Function = std::function<Vector(const Vector& kappa, Matrix& jacobian)>;
  FunctionModel(Index unknowns, Index predictions, Function function)
      : unknowns_(unknowns), predictions_(predictions), function_(std::move(function)) {}
  Index num_parameters() const override { return unknowns_; }
  Index num_predictions() const override { return predictions_; }
  Vector predict(const Vector& kappa) const override { return linearize(kappa)->prediction(); }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& kappa) const override {
    auto result = std::make_unique<At>();
    result->j = Matrix::Zero(predictions_, unknowns_);
    result->value = function_(kappa, result->j);
    return result;
  }

 private:
  struct At final : public inverse::Linearization {
    const Vector& prediction() const override { return value; }
    Vector jacobian_transposed(const Vector& w) const override { return j.transpose() * w; }
    Vector value;
    Matrix j;
  };
  Index unknowns_, predictions_;
  Function function_;
};

/// One measurement y of a function of n standard normal unknowns.
inverse::Posterior measured(Index n, double y, double sigma, const FunctionModel::Function& function) {
  return {std::make_shared<inverse::GaussianLikelihood>(
              std::make_shared<FunctionModel>(n, 1, function),
              inverse::observe_means(Vector::Constant(1, y), Vector::Ones(1), Vector::Constant(1, sigma))),
          std::make_shared<inverse::IndependentPrior>(Vector::Zero(n), Vector::Ones(n))};
}

/// x_1 + 0.5 x_0^2 is measured: the posterior is a banana.
inverse::Posterior banana() {
  return measured(2, 0.5, 0.4, [](const Vector& x, Matrix& j) {
    j << x[0], 1;
    return Vector::Constant(1, x[1] + 0.5 * x[0] * x[0]);
  });
}

/// exp(x_0 + 0.5 x_1) is measured, badly: skewed, as conductivities are that few sensors see.
inverse::Posterior skewed() {
  return measured(2, 0.6, 0.5, [](const Vector& x, Matrix& j) {
    const double value = std::exp(x[0] + 0.5 * x[1]);
    j << value, 0.5 * value;
    return Vector::Constant(1, value);
  });
}

struct Quantities {
  Vector mean, sd;
  double q05, q95;  ///< of the first unknown
};

/// By quadrature on a grid of [-6, 6]^2, 0.02 wide.
Quantities by_quadrature(const inverse::Posterior& posterior) {
  constexpr int cells = 600;
  constexpr double h = 12.0 / cells;
  double total = 0;
  Vector first = Vector::Zero(2), second = Vector::Zero(2), marginal = Vector::Zero(cells);
  for (int i = 0; i < cells; ++i) {
    for (int k = 0; k < cells; ++k) {
      const Vector x = Eigen::Vector2d(-6 + (i + 0.5) * h, -6 + (k + 0.5) * h);
      const double density = std::exp(posterior.likelihood().value(x) + posterior.prior().log_density(x));
      total += density;
      first += density * x;
      second += density * x.cwiseAbs2();
      marginal[i] += density;
    }
  }
  Quantities result{first / total, Vector(), 0, 0};
  result.sd = (second / total - result.mean.cwiseAbs2()).cwiseSqrt();
  const auto quantile = [&](double p) {
    double sum = 0;
    int i = 0;
    while (sum + marginal[i] < p * total) sum += marginal[i++];
    return -6 + h * (i + (p * total - sum) / marginal[i]);
  };
  result.q05 = quantile(0.05);
  result.q95 = quantile(0.95);
  return result;
}

double weighted_quantile(const Vector& values, const Vector& log_weights, double p) {
  std::vector<std::pair<double, double>> sorted;
  for (Eigen::Index s = 0; s < values.size(); ++s) sorted.emplace_back(values[s], std::exp(log_weights[s]));
  std::ranges::sort(sorted);
  double sum = 0;
  for (const auto& [value, weight] : sorted) {
    if ((sum += weight) >= p) return value;
  }
  return sorted.back().first;
}

Vector most_probable(const inverse::Posterior& posterior) {
  Evaluator evaluator(posterior, 1);
  return maximum_a_posteriori(evaluator).kappa;
}

RandomizedDraws randomize(const inverse::Posterior& posterior, const Vector& centre, Index draws, int threads = 1) {
  Evaluator evaluator(posterior, threads);
  return randomize_then_optimize(evaluator, centre, {.draws = draws, .most_draws = draws});
}

class BentPosterior : public testing::TestWithParam<inverse::Posterior (*)()> {};
INSTANTIATE_TEST_SUITE_P(Shapes, BentPosterior, testing::Values(banana, skewed),
                         [](const auto& shape) { return shape.index == 0 ? "Banana" : "Skewed"; });

TEST_P(BentPosterior, WeightedDrawsHaveTheMomentsAndQuantilesOfQuadrature) {
  const inverse::Posterior posterior = GetParam()();
  const Quantities exact = by_quadrature(posterior);
  const RandomizedDraws found = randomize(posterior, most_probable(posterior), 40'000);
  const ImportanceCheck& check = found.check;
  EXPECT_EQ(check.failures, 0);
  EXPECT_LT(check.psis.khat, 0.5);
  ASSERT_TRUE(check.corrected);
  EXPECT_GT(check.psis.effective_sample_size, 10'000);
  // Four standard errors of 10,000 draws, of means, of sds and of quantiles: 1, about 1 and 2.1 sds / 100.
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(check.corrected->mean[i], exact.mean[i], 0.04 * exact.sd[i]);
    EXPECT_NEAR(check.corrected->standard_deviation[i], exact.sd[i], 0.04 * exact.sd[i]);
  }
  const Vector x = check.draws.row(0);
  EXPECT_NEAR(weighted_quantile(x, check.log_weights, 0.05), exact.q05, 0.085 * exact.sd[0]);
  EXPECT_NEAR(weighted_quantile(x, check.log_weights, 0.95), exact.q95, 0.085 * exact.sd[0]);
}

TEST_P(BentPosterior, DrawsAreCloserThanLaplacesNormalOnes) {
  // Weights of normal draws have a heavier tail, or fewer draws are left.
  const inverse::Posterior posterior = GetParam()();
  const Vector centre = most_probable(posterior);
  Evaluator evaluator(posterior, 1);
  double value = 0;
  Vector gradient;
  const Spectrum spectrum = curvature_at(evaluator, centre, value, gradient).spectrum();
  const Matrix precision =
      Matrix::Identity(2, 2) + *spectrum.directions * spectrum.values.asDiagonal() * spectrum.directions->transpose();
  const Eigen::LLT<Matrix> factor(precision);
  Random random(1);
  Vector log_ratios(40'000);
  for (double& ratio : log_ratios) {
    const Vector z = random.normal_vector(2), x = centre + factor.matrixU().solve(z);
    ratio = posterior.likelihood().value(x) + posterior.prior().log_density(x) + 0.5 * z.squaredNorm();
  }
  const diagnostics::PsisResult normal = diagnostics::psis(log_ratios);
  const diagnostics::PsisResult bent = randomize(posterior, centre, 40'000).check.psis;
  EXPECT_LT(bent.khat, normal.khat);
  EXPECT_GT(bent.effective_sample_size, 1.2 * normal.effective_sample_size);
}

TEST(RandomizeThenOptimize, AnyCentreGivesTheSameDistribution) {
  const inverse::Posterior posterior = banana();
  const Quantities exact = by_quadrature(posterior);
  const RandomizedDraws found = randomize(posterior, Eigen::Vector2d(0.3, 0.7), 40'000);
  ASSERT_TRUE(found.check.corrected);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.check.corrected->mean[i], exact.mean[i], 0.04 * exact.sd[i]);
    EXPECT_NEAR(found.check.corrected->standard_deviation[i], exact.sd[i], 0.04 * exact.sd[i]);
  }
}

TEST(RandomizeThenOptimize, OfALinearModelEveryDrawIsExactAtOnce) {
  std::vector<Point> points;
  for (Index i = 0; i < 12; ++i) points.emplace_back(i / 12.0, 0, 0);
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.4, 0.4, 0.4}}, points, 0.2, 1e-6);
  const auto problem = test::linear_gaussian(prior, test::smooth_rows(4, 12, 5), 0.3);
  const RandomizedDraws found = randomize(*problem.posterior, problem.mean, 20'000);
  EXPECT_EQ(found.directions, 4);
  EXPECT_EQ(found.evaluations, 1);
  EXPECT_EQ(found.derivatives, 1);
  EXPECT_EQ(found.check.failures, 0);
  // All weights are equal, to rounding: 1e-16 of log densities of some hundred.
  EXPECT_LT(found.check.log_weights.maxCoeff() - found.check.log_weights.minCoeff(), 1e-9);
  const Vector mean = found.check.draws.rowwise().mean();
  const Matrix centred = found.check.draws.colwise() - mean;
  const Matrix covariance = centred * centred.transpose() / 19'999;
  const Vector sd = problem.covariance.diagonal().cwiseSqrt();
  // Four standard errors: 1 / sqrt(20,000) of means, sqrt(2) times that at most of covariances.
  EXPECT_LT((mean - problem.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), 4 / std::sqrt(20'000));
  EXPECT_LT((covariance - problem.covariance).cwiseQuotient(sd * sd.transpose()).cwiseAbs().maxCoeff(),
            4 * std::sqrt(2) / std::sqrt(20'000));
}

TEST(RandomizeThenOptimize, DoesNotDependOnThreads) {
  const inverse::Posterior posterior = skewed();
  const Vector centre = most_probable(posterior);
  const RandomizedDraws one = randomize(posterior, centre, 300), three = randomize(posterior, centre, 300, 3);
  EXPECT_EQ(one.check.draws, three.check.draws);
  EXPECT_EQ(one.check.log_weights, three.check.log_weights);
  EXPECT_EQ(one.counts, three.counts);
}

TEST(RandomizeThenOptimize, LeavesOutDrawsAtWhichTheModelFails) {
  // Beyond x_0 = 1.5 there is no prediction.
  const inverse::Posterior posterior = measured(1, 0, 2, [](const Vector& x, Matrix& j) {
    j << 1;
    return Vector::Constant(1, x[0] < 1.5 ? x[0] : std::nan(""));
  });
  const RandomizedDraws found = randomize(posterior, Vector::Zero(1), 4000);
  // P(N(0, 0.8) > 1.5) = 0.047
  EXPECT_NEAR(found.check.failures, 187, 4 * std::sqrt(187));
  EXPECT_EQ(found.check.draws.cols(), 4000 - found.check.failures);
  EXPECT_LT(found.check.draws.maxCoeff(), 1.5);
}

TEST(RandomizeThenOptimize, AddsDrawsUntilEnoughAreEffectiveOrItIsToldToStop) {
  const inverse::Posterior posterior = banana();
  const Vector centre = most_probable(posterior);
  Evaluator evaluator(posterior, 1);
  RandomizeOptions options{.draws = 200, .most_draws = 5000, .effective = 1000};
  const ImportanceCheck more = randomize_then_optimize(evaluator, centre, options).check;
  EXPECT_GE(more.psis.effective_sample_size, 1000);
  EXPECT_LT(more.draws.cols(), 5000);
  options.proceed = [](Index done) { return done < 100; };
  EXPECT_EQ(randomize_then_optimize(evaluator, centre, options).check.draws.cols(), 100);
  options.proceed = [](Index) { return false; };
  EXPECT_EQ(randomize_then_optimize(evaluator, centre, options).check.draws.cols(), 0);
}

}  // namespace
}  // namespace varimesh::variational
