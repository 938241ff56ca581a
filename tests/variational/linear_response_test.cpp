#include "varimesh/variational/linear_response.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expect_input_error.h"
#include "variational/toy_problems.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/variational/elbo.h"
#include "varimesh/variational/lbfgs.h"

namespace varimesh::variational::test {
namespace {

MeanField mean_field(const Vector& mean, const Vector& sigma) {
  return MeanField(gaussian::DiagonalGaussian(mean, sigma));
}

/// Neighbours in a smooth process, few and imprecise measurements: a posterior with strong correlations.
LinearGaussian correlated() {
  Random random(1);
  std::vector<Point> points;
  for (Index i = 0; i < 5; ++i) points.emplace_back(0.2 * i, 0, 0);
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.5, 0.5, 0.5}}, points, 0.2, 1e-6);
  const Matrix a = Matrix::NullaryExpr(2, 5, [&] { return random.normal(); });
  return linear_gaussian(prior, a, random.normal_vector(2), 0.3);
}

TEST(LinearResponse, RecoversTheCovarianceOfANormalPosterior) {
  const LinearGaussian problem = correlated();
  // The mean-field optimum: the mean, and the diagonal of the precision matrix.
  const Vector sigma = problem.precision.diagonal().cwiseSqrt().cwiseInverse();
  Evaluator evaluator(*problem.posterior, 1);
  const LinearResponse result = linear_response(evaluator, mean_field(problem.mean, sigma), 64, 1);
  ASSERT_TRUE(result.ok) << result.message;
  // The ELBO is quadratic in the mean, so differences are exact, and antithetic draws have mean zero, so log sigma does
  // not couple to it: what is left is rounding, 1e-16 / h times a condition number of 1e3.
  EXPECT_LT((result.covariance - problem.covariance).norm(), 1e-9 * problem.covariance.norm());
  EXPECT_LT((sigma.cwiseAbs2().array() / problem.covariance.diagonal().array()).minCoeff(), 0.2)
      << "mean field was good enough anyway";
  EXPECT_EQ(evaluator.counts().gradients, 4 * 5 * 64);
}

/// The sum of the unknowns, a little bent, is measured to 0.5, and a bent multiple of the second to 1: a correlation.
double mildly_nonlinear(const Vector& kappa, Vector& gradient) {
  const double x = kappa[0], y = kappa[1];
  const double sum = x + y + 0.1 * x * x - 1, bent = 0.5 * y + 0.05 * y * y * y;
  gradient << -4 * sum * (1 + 0.2 * x), -4 * sum - bent * (0.5 + 0.15 * y * y);
  return -2 * sum * sum - 0.5 * bent * bent;
}

/// The covariance on a grid of [-6, 6]^2; the trapezoidal rule is exact to rounding for what vanishes at the borders.
Matrix covariance_by_quadrature(const inverse::Posterior& posterior) {
  constexpr Index n = 240;
  double mass = 0;
  Vector first = Vector::Zero(2), kappa(2);
  Matrix second = Matrix::Zero(2, 2);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      kappa << -6 + 12.0 / n * i, -6 + 12.0 / n * j;
      const double weight = std::exp(posterior.likelihood().value(kappa) + posterior.prior().log_density(kappa));
      mass += weight;
      first += weight * kappa;
      second += weight * kappa * kappa.transpose();
    }
  }
  return second / mass - first * first.transpose() / (mass * mass);
}

/// The maximum of the ELBO by these draws.
MeanField mean_field_optimum(const inverse::Posterior& posterior, const Matrix& z) {
  Evaluator evaluator(posterior, 1);
  MeanField q = mean_field(Vector::Zero(z.rows()), Vector::Constant(z.rows(), 0.5));
  const auto objective = [&](const Vector& parameters, Vector& gradient) {
    if (!q.set_parameters(parameters)) return -std::numeric_limits<double>::infinity();
    Matrix slope;
    const Vector values = evaluator.values_and_gradients(q.transform(z), slope);
    const double divergence = q.kl_divergence(*posterior.gaussian_prior(), gradient);
    gradient = q.pull_back(z, slope) / static_cast<double>(z.cols()) - gradient;
    return values.mean() - divergence;
  };
  const LbfgsResult best = maximize_lbfgs(objective, q.parameters());
  EXPECT_TRUE(best.converged);
  EXPECT_TRUE(q.set_parameters(best.x));
  return q;
}

TEST(LinearResponse, IsCloserToTheTruthThanMeanFieldOnANonlinearProblem) {
  const auto likelihood = std::make_shared<BlackBox>(2, mildly_nonlinear);
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(2), Vector::Ones(2));
  const inverse::Posterior posterior(likelihood, prior);
  const Matrix truth = covariance_by_quadrature(posterior);
  constexpr Index samples = 1000;
  Random random(1);
  const MeanField q = mean_field_optimum(posterior, antithetic_normals(2, samples, random));
  Evaluator evaluator(posterior, 1);
  const LinearResponse result = linear_response(evaluator, q, samples, 1);
  ASSERT_TRUE(result.ok) << result.message;
  for (Index i = 0; i < 2; ++i) {
    const double mean_field_error = std::abs(q.gaussian().sigma()[i] / std::sqrt(truth(i, i)) - 1);
    EXPECT_GT(mean_field_error, 0.15);
    // The response is of first order; the nonlinearity leaves some percent.
    EXPECT_NEAR(std::sqrt(result.covariance(i, i) / truth(i, i)), 1, 0.3 * mean_field_error);
  }
  EXPECT_NEAR(result.covariance(0, 1), truth(0, 1), 0.1 * std::abs(truth(0, 1)));
}

/// N(m, 0.7^2 I), but not known to be normal.
class HiddenNormal final : public inverse::Prior {
 public:
  explicit HiddenNormal(const Vector& mean) : normal_(mean, Vector::Constant(mean.size(), 0.7)) {}
  Index size() const override { return normal_.size(); }
  Vector sample(Random& random) const override { return normal_.sample(random); }
  double log_density(const Vector& kappa) const override { return normal_.log_density(kappa); }
  double log_density_and_gradient(const Vector& kappa, Vector& gradient) const override {
    return normal_.log_density_and_gradient(kappa, gradient);
  }

 private:
  inverse::IndependentPrior normal_;
};

TEST(LinearResponse, WorksForPriorsThatAreNotNormal) {
  const Vector prior_mean = Vector::Constant(2, 0.1);
  Matrix a(1, 2);
  a << 1, 0.8;
  const LinearGaussian problem = linear_gaussian(
      std::make_shared<inverse::IndependentPrior>(prior_mean, Vector::Constant(2, 0.7)), a, Vector::Ones(1), 0.3);
  const auto likelihood = std::make_shared<inverse::GaussianLikelihood>(*problem.posterior->gaussian_likelihood());
  const inverse::Posterior posterior(likelihood, std::make_shared<HiddenNormal>(prior_mean));
  Evaluator evaluator(posterior, 1);
  const Vector sigma = problem.precision.diagonal().cwiseSqrt().cwiseInverse();
  const LinearResponse result = linear_response(evaluator, mean_field(problem.mean, sigma), 32, 1);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_LT((result.covariance - problem.covariance).norm(), 1e-9 * problem.covariance.norm());
}

TEST(LinearResponse, SaysThatQIsNoMaximum) {
  // -(x^2 - 4)^2 / 8 bends upwards at 0.
  const auto likelihood = std::make_shared<BlackBox>(1, [](const Vector& kappa, Vector& gradient) {
    const double well = kappa[0] * kappa[0] - 4;
    gradient[0] = -0.5 * well * kappa[0];
    return -well * well / 8;
  });
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(1), Vector::Constant(1, 3));
  const inverse::Posterior posterior(likelihood, prior);
  Evaluator evaluator(posterior, 1);
  const LinearResponse result =
      linear_response(evaluator, mean_field(Vector::Zero(1), Vector::Constant(1, 0.1)), 64, 1);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message,
            "no linear response: the ELBO is not concave at q, which is no maximum, or there are too few draws");
  EXPECT_EQ(result.covariance.size(), 0);
}

TEST(LinearResponse, SaysThatTheModelFails) {
  const auto likelihood = std::make_shared<BlackBox>(1, [](const Vector& kappa, Vector& gradient) {
    gradient[0] = 0;
    return kappa[0] > 1 ? std::nan("") : 0.0;
  });
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(1), Vector::Ones(1));
  const inverse::Posterior posterior(likelihood, prior);
  Evaluator evaluator(posterior, 1);
  const LinearResponse result = linear_response(evaluator, mean_field(Vector::Zero(1), Vector::Ones(1)), 64, 1);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message, "no linear response: the model fails at a draw of q");
}

TEST(LinearResponse, RefusesWhatItCannotDo) {
  const LinearGaussian problem = correlated();
  Evaluator evaluator(*problem.posterior, 1);
  EXPECT_INPUT_ERROR(linear_response(evaluator, mean_field(Vector::Zero(2), Vector::Ones(2)), 8, 1),
                     "the posterior has 5 unknowns, but q has 2");
  EXPECT_INPUT_ERROR(linear_response(evaluator, mean_field(Vector::Zero(5), Vector::Ones(5)), 0, 1),
                     "linear response needs at least 1 sample, found 0");

  constexpr Index n = max_linear_response_size + 1;
  const auto nothing = std::make_shared<BlackBox>(n, [](const Vector&, Vector&) { return 0.0; });
  const auto prior = std::make_shared<inverse::IndependentPrior>(Vector::Zero(n), Vector::Ones(n));
  const inverse::Posterior large(nothing, prior);
  Evaluator large_evaluator(large, 1);
  EXPECT_INPUT_ERROR(linear_response(large_evaluator, mean_field(Vector::Zero(n), Vector::Ones(n)), 8, 1),
                     "linear response is for at most 2000 unknowns, found 2001");
}

}  // namespace
}  // namespace varimesh::variational::test
