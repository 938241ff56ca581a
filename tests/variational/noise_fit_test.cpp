// Methods with noise that is not independent and normal.
#include <gtest/gtest.h>

#include <cmath>

#include "variational/linear_problem.h"
#include "varimesh/diagnostics/leave_one_out.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/mcmc/run_chains.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/maximum_a_posteriori.h"
#include "varimesh/variational/randomize_then_optimize.h"

namespace varimesh::variational {
namespace {

constexpr Index unknowns = 6;

std::shared_ptr<const inverse::GaussianPrior> prior(Index n) {
  return std::make_shared<inverse::IndependentPrior>(Vector::Zero(n), Vector::Ones(n));
}

/// y ~ N(A kappa, Gamma), and what is known of its posterior.
struct Correlated {
  Index sensors;
  explicit Correlated(Index count) : sensors(count) {}
  Matrix a = test::smooth_rows(sensors, unknowns, 5);
  Matrix gamma = Matrix::NullaryExpr(sensors, sensors, [](Eigen::Index i, Eigen::Index j) {
    return 0.04 * std::exp(-0.3 * std::abs(static_cast<double>(i - j))) + (i == j ? 0.01 : 0.0);
  });
  Vector y = Random(7).normal_vector(sensors);
  Matrix precision = Matrix::Identity(unknowns, unknowns) + a.transpose() * gamma.inverse() * a;
  Matrix covariance = precision.inverse();
  Vector mean = covariance * a.transpose() * gamma.inverse() * y;
  inverse::Posterior posterior{
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<test::LinearModel>(a),
                                                    inverse::observe_correlated(y, Vector::Ones(sensors), gamma)),
      prior(unknowns)};
};

TEST(CorrelatedNoiseFit, IsTheClosedFormPosteriorOfALinearModel) {
  const Correlated c(10);
  for (const FamilyKind family : {FamilyKind::full_covariance, FamilyKind::low_rank}) {
    FitOptions options;
    options.family = family;
    const FitResult found = fit(c.posterior, options);
    ASSERT_TRUE(found.q);
    EXPECT_LT((found.q->mean() - c.mean).norm(), 1e-6);
    EXPECT_LT((found.q->variance() - c.covariance.diagonal()).norm(), 1e-8);
    const double evidence = test::normal_log_density(c.y, Vector::Zero(c.sensors), c.a * c.a.transpose() + c.gamma);
    EXPECT_NEAR(found.elbo.value, evidence, 1e-6 + 4 * found.elbo.standard_error);
  }
}

TEST(CorrelatedNoiseFit, DrawsByOptimisationHaveEqualWeights) {
  const Correlated c(4);  // so that data speak of all directions that are kept
  Evaluator evaluator(c.posterior, 1);
  const RandomizedDraws found = randomize_then_optimize(evaluator, c.mean, {.pilot = 0, .draws = 2000, .effective = 1});
  ASSERT_EQ(found.check.draws.cols(), 2000);
  EXPECT_LT(found.check.log_weights.maxCoeff() - found.check.log_weights.minCoeff(), 1e-6);
  const Vector mean = found.check.draws.rowwise().mean();
  for (Index i = 0; i < unknowns; ++i) EXPECT_NEAR(mean[i], c.mean[i], 4 * std::sqrt(c.covariance(i, i) / 2000));
}

/// One unknown, measured seven times by t-distributed errors; two measurements are outliers.
struct Robust {
  static constexpr double nu = 4, sigma = 0.1;
  Vector slope = (Vector(7) << 1, 0.8, 1.2, 0.5, 1, 0.9, 1.1).finished();
  Vector y = (Vector(7) << 0.52, 0.37, 0.66, 0.21, 2.5, 0.46, -1).finished();
  inverse::Posterior posterior{
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<test::LinearModel>(slope), observations()),
      prior(1)};

  inverse::Observations observations() const {
    std::vector<Vector> each;
    for (const double value : y) each.push_back(Vector::Constant(1, value));
    return inverse::observe_student(each, Vector::Constant(7, sigma), nu);
  }
  /// log of prior times likelihood without measurement `left_out`.
  double log_density(double x, Index left_out = -1) const {
    double sum = -0.5 * x * x;
    for (Index i = 0; i < 7; ++i) {
      if (i == left_out) continue;
      sum -= (nu + 1) / 2 * std::log(1 + std::pow((y[i] - slope[i] * x) / sigma, 2) / nu);
    }
    return sum;
  }
  /// E[f] by the trapezoidal rule, which converges beyond all powers here.
  template <class Function>
  double expectation(const Function& f, Index left_out = -1) const {
    double mass = 0, sum = 0;
    for (int k = -40'000; k <= 40'000; ++k) {
      const double x = 1e-4 * k, density = std::exp(log_density(x, left_out) - log_density(0.5));
      mass += density;
      sum += density * f(x);
    }
    return sum / mass;
  }
};

TEST(StudentNoiseFit, GradientsAreThoseOfDifferences) {
  const Robust r;
  Random random(1);
  for (const double at : {0.5, -3.0, 8.0})
    EXPECT_TRUE(inverse::check_log_likelihood(r.posterior.likelihood(), Vector::Constant(1, at), random).holds());
}

TEST(StudentNoiseFit, TheMostProbableFieldIgnoresOutliers) {
  const Robust r;
  Evaluator evaluator(r.posterior, 1);
  const MapEstimate map = maximum_a_posteriori(evaluator);
  ASSERT_TRUE(map.converged) << map.message;
  double best = 0;
  for (int k = 0; k < 40'000; ++k) {
    if (r.log_density(1e-4 * k) > r.log_density(best)) best = 1e-4 * k;
  }
  EXPECT_NEAR(map.kappa[0], best, 1e-4);
  EXPECT_NEAR(map.kappa[0], 0.5, 0.1);  // the mean of all seven is 0.6, and least squares far from it
}

TEST(StudentNoiseFit, FindsTheFieldFromFarAway) {
  // Readings with errors of a percent, one of them wrong by a thousand sigma, and a prior mean far from all.
  const Matrix a = test::smooth_rows(12, 4, 3);
  const Vector truth = (Vector(4) << 1, 2, -1, 0.5).finished();
  Random random(2);
  Vector y = a * truth + 0.01 * random.normal_vector(12);
  y[5] += 10;
  std::vector<Vector> each;
  for (const double value : y) each.push_back(Vector::Constant(1, value));
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<test::LinearModel>(a),
                                                    inverse::observe_student(each, Vector::Constant(12, 0.01), 4)),
      std::make_shared<inverse::IndependentPrior>(Vector::Constant(4, -5), Vector::Constant(4, 10)));
  Evaluator evaluator(posterior, 1);
  const MapEstimate map = maximum_a_posteriori(evaluator);
  ASSERT_TRUE(map.converged) << map.message;
  ASSERT_TRUE(map.curvature);
  const Matrix information = map.curvature->times(Matrix::Identity(4, 4));
  const Vector difference = map.kappa - truth;
  EXPECT_LT(std::sqrt(difference.dot(information * difference) / 4), 3);  // in sds
}

TEST(StudentNoiseFit, ChainsAndTheFitFindTheMomentsOfQuadrature) {
  const Robust r;
  const double mean = r.expectation([](double x) { return x; });
  const double sd = std::sqrt(r.expectation([&](double x) { return (x - mean) * (x - mean); }));
  FitOptions options;
  options.family = FamilyKind::full_covariance;
  const FitResult fitted = fit(r.posterior, options);
  ASSERT_TRUE(fitted.q) << fitted.message;
  // The tails of this posterior are longer than normal ones: a fit by KL(q || p) is a little narrower.
  EXPECT_NEAR(fitted.q->mean()[0], mean, 0.15 * sd);
  EXPECT_NEAR(std::sqrt(fitted.q->variance()[0]) / sd, 1, 0.15);

  mcmc::RunOptions run;
  run.draws = 2000;
  run.seed = 3;
  run.threads = 1;
  const mcmc::ChainsResult chains = mcmc::run_chains(r.posterior, {}, run);
  Vector draws(0);
  for (Index c = 0; c < chains.draws.num_chains(); ++c) {
    draws.conservativeResize(draws.size() + 2000);
    draws.tail(2000) = chains.draws.chain(c).row(0).head(2000).transpose();
  }
  const double found = draws.mean();
  // 8,000 draws, at least a fifth of which are effective: five standard errors.
  EXPECT_NEAR(found, mean, 5 * sd / std::sqrt(1600.0));
  EXPECT_NEAR(std::sqrt((draws.array() - found).square().mean()) / sd, 1, 5 / std::sqrt(2 * 1600.0));

  // Leaving out an outlier, and a measurement that is none, by weights.
  const Matrix predictions = r.slope * draws.transpose();
  const inverse::Observations data = r.observations();
  const result::LeaveOneOut left =
      diagnostics::leave_each_out(data.mean, predictions, data.noise->standard_error(), Vector(), 1, data.noise.get());
  for (const Index i : {2, 4}) {
    const double without = r.expectation([&](double x) { return r.slope[i] * x; }, i);
    EXPECT_NEAR(left.mean[i], without, 5 * r.slope[i] * sd / std::sqrt(1600.0));
    const double density =
        r.expectation([&](double x) { return std::exp(data.noise->log_density(i, r.slope[i] * x)); }, i);
    EXPECT_NEAR(left.elpd[i], std::log(density), 0.05);
  }
  // What a sensor that is 20 sigma off is to t-distributed errors: P(|t| > 20) is 4e-5, as beyond 4.1 sds.
  EXPECT_GT(left.residual[4], 3.5);
  EXPECT_LT(left.residual[4], 4.5);
  EXPECT_LT(std::abs(left.residual[2]), 1.5);
}

}  // namespace
}  // namespace varimesh::variational
