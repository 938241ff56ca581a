#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "expect_input_error.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"

namespace varimesh::inverse {
namespace {

std::vector<Point> scattered_points(Index count) {
  Random random(1);
  std::vector<Point> points;
  for (Index i = 0; i < count; ++i) {
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    points.emplace_back(x, y, z);
  }
  return points;
}

Matrix covariance(const Kernel& kernel, const std::vector<Point>& points, double jitter) {
  const auto n = static_cast<Index>(points.size());
  return Matrix::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
    return kernel(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]) +
           (i == j ? jitter * kernel.sigma * kernel.sigma : 0);
  });
}

TEST(Kernel, HasItsTextbookValues) {
  const Point a(0.1, 0.2, 0), b(0.4, 0.6, 0);  // at distance 0.5
  const auto value = [&](KernelType type) { return Kernel{type, 2, {0.25, 0.25, 0.25}, 0.7}(a, b); };
  EXPECT_NEAR(value(KernelType::squared_exponential), 4 * std::exp(-2.0), 1e-14);
  EXPECT_NEAR(value(KernelType::matern12), 4 * std::exp(-2.0), 1e-14);
  EXPECT_NEAR(value(KernelType::matern32), 4 * (1 + 2 * std::sqrt(3)) * std::exp(-2 * std::sqrt(3)), 1e-14);
  EXPECT_NEAR(value(KernelType::matern52), 4 * (1 + 2 * std::sqrt(5) + 20.0 / 3) * std::exp(-2 * std::sqrt(5)), 1e-14);
  const auto sine2 = [](double d) { return std::pow(std::sin(std::numbers::pi * d / 0.7), 2); };
  EXPECT_NEAR(value(KernelType::periodic), 4 * std::exp(-2 * (sine2(0.3) + sine2(0.4)) / 0.0625), 1e-14);
  EXPECT_NEAR((Kernel{KernelType::squared_exponential, 1, {0.3, 0.4, 1}, 1}(a, b)), std::exp(-1.0), 1e-14);
}

TEST(Kernel, PeriodicRepeats) {
  const Kernel kernel{KernelType::periodic, 1, {0.5, 0.5, 0.5}, 0.25};
  EXPECT_NEAR(kernel(Point(0.1, 0, 0), Point(0.35, 0, 0)), 1, 1e-14);
}

TEST(GaussianProcess, LogDensityIsTheDenseFormula) {
  const auto points = scattered_points(12);
  for (const KernelType type :
       {KernelType::squared_exponential, KernelType::matern12, KernelType::matern32, KernelType::matern52}) {
    const Kernel kernel{type, 1.5, {0.4, 0.4, 0.4}, 1};
    const GaussianProcess process(kernel, points, 0.3, 1e-6);
    const Matrix k = covariance(kernel, points, 1e-6);
    const Vector kappa = 0.1 * Random(2).normal_vector(12) + Vector::Constant(12, 0.3);
    const Vector centred = kappa.array() - 0.3;
    const double expected = -0.5 * centred.dot(k.fullPivLu().solve(centred)) - 0.5 * std::log(k.determinant()) -
                            6 * std::log(2 * std::numbers::pi);
    EXPECT_NEAR(process.log_density(kappa), expected, 1e-7 * std::abs(expected));  // condition number of K up to 1e7
  }
}

TEST(GaussianProcess, PrecisionIsTheInverseOfTheCovariance) {
  const auto points = scattered_points(12);
  const Kernel kernel{KernelType::matern32, 1.5, {0.4, 0.4, 0.4}, 1};
  const GaussianProcess process(kernel, points, 0, 1e-6);
  EXPECT_EQ(process.sparse_precision(), nullptr);
  const Matrix& precision = *process.dense_precision();
  EXPECT_EQ(precision, precision.transpose());
  EXPECT_LT((precision * covariance(kernel, points, 1e-6) - Matrix::Identity(12, 12)).norm(), 1e-11);  // condition 1e4
  EXPECT_LT((precision.diagonal() - process.precision_diagonal()).norm(), 1e-11 * precision.norm());
}

TEST(GaussianProcess, DensitiesOfSeveralColumnsAreThoseOfEach) {
  const GaussianProcess process({KernelType::matern32, 1.5, {0.4, 0.4, 0.4}, 1}, scattered_points(12), 0.3, 1e-6);
  const Matrix kappa = Random(2).normal_matrix(12, 3);
  const Vector found = process.log_densities(kappa);
  for (Index s = 0; s < 3; ++s) {
    const double expected = process.log_density(kappa.col(s));
    EXPECT_NEAR(found[s], expected, 1e-11 * std::abs(expected));  // condition number of K 1e4
  }
}

TEST(GaussianProcess, PrecisionOfManyUnknownsIsAppliedByItsRoot) {
  // One more than what is inverted; few enough neighbours that K is well conditioned.
  constexpr Index n = 2001;
  const GaussianProcess process({KernelType::matern12, 1, {0.02, 0.02, 0.02}, 1}, scattered_points(n), 0, 1e-6);
  const Vector x = Random(4).normal_vector(n), found = process.precision_times(x);
  EXPECT_LT((process.gaussian().covariance_times(found) - x).norm(), 1e-11 * x.norm());
  Vector gradient;
  const double density = process.log_density_and_gradient(x, gradient);
  EXPECT_LT((gradient + found).norm(), 1e-12 * found.norm());
  EXPECT_NEAR(density, process.log_density(x), 1e-11 * std::abs(density));
  EXPECT_NEAR(process.log_densities(x)[0], density, 1e-11 * std::abs(density));
}

TEST(GaussianProcess, SamplesHaveItsMeanAndCovariance) {
  const auto points = scattered_points(5);
  const Kernel kernel{KernelType::matern32, 1.5, {0.4, 0.4, 0.4}, 1};
  const GaussianProcess process(kernel, points, -2, 1e-6);
  constexpr Index n = 40'000;
  Random random(3);
  Matrix draws(5, n);
  for (Index i = 0; i < n; ++i) draws.col(i) = process.sample(random);
  const Vector mean = draws.rowwise().mean();
  const Matrix centred = draws.colwise() - mean;
  const Matrix sample_covariance = centred * centred.transpose() / (n - 1);
  // Standard errors: sigma / sqrt(n) of a mean, at most sqrt(2) sigma^2 / sqrt(n) of a covariance; 5 of them.
  EXPECT_LT((mean.array() + 2).abs().maxCoeff(), 5 * 1.5 / std::sqrt(n));
  EXPECT_LT((sample_covariance - covariance(kernel, points, 1e-6)).cwiseAbs().maxCoeff(),
            5 * std::sqrt(2.0) * 2.25 / std::sqrt(n));
}

TEST(GaussianProcess, PredictionIsTheConditionalOfTheJointNormal) {
  const auto all = scattered_points(14);
  const std::vector<Point> here(all.begin(), all.begin() + 10), there(all.begin() + 10, all.end());
  const Kernel kernel{KernelType::matern52, 1.3, {0.4, 0.5, 0.6}, 1};
  const GaussianProcess process(kernel, here, 0.7, 1e-6);
  const Vector kappa = Random(5).normal_vector(10);
  const auto prediction = process.predict(there, kappa);
  // From the inverse Q of the joint covariance: cov(there | here) = Q_tt^-1, mean = m - Q_tt^-1 Q_th (kappa - m).
  Matrix joint = covariance(kernel, all, 0);
  joint.diagonal().head(10).array() += 1e-6 * 1.3 * 1.3;
  const Matrix q = joint.inverse(), conditional = q.bottomRightCorner(4, 4).inverse();
  const Vector mean = -conditional * q.bottomLeftCorner(4, 10) * (kappa.array() - 0.7).matrix();
  EXPECT_LT((prediction.covariance - conditional).norm(), 1e-9);
  EXPECT_LT(((prediction.mean.array() - 0.7).matrix() - mean).norm(), 1e-8 * mean.norm());
}

TEST(GaussianProcess, PredictionInterpolatesWhereItWasConditioned) {
  const auto points = scattered_points(8);
  const GaussianProcess process({KernelType::matern12, 1, {0.3, 0.3, 0.3}, 1}, points, 0, 1e-10);
  const Vector kappa = Random(6).normal_vector(8);
  const auto prediction = process.predict(points, kappa);
  EXPECT_LT((prediction.mean - kappa).norm(), 1e-8);
  EXPECT_LT(prediction.covariance.norm(), 1e-8);
}

TEST(GaussianProcess, BadSettingsAreNamed) {
  const auto points = scattered_points(3);
  const auto build = [&](const Kernel& kernel, double jitter) { return GaussianProcess(kernel, points, 0, jitter); };
  using enum KernelType;
  EXPECT_INPUT_ERROR(build({matern12, 0, {1, 1, 1}, 1}, 0), "expected a positive sigma, found 0");
  EXPECT_INPUT_ERROR(build({matern12, 1, {1, -2, 1}, 1}, 0), "expected a positive length-scale, found -2");
  EXPECT_INPUT_ERROR(build({periodic, 1, {1, 1, 1}, 0}, 0), "expected a positive period, found 0");
  EXPECT_INPUT_ERROR(build({matern12, 1, {1, 1, 1}, 1}, -1), "expected a jitter of zero or more, found -1");
  const std::vector<Point> twice{points[0], points[0]};
  EXPECT_INPUT_ERROR(GaussianProcess(Kernel{}, twice, 0, 0),
                     "the covariance matrix is not numerically positive definite with jitter 0: increase it or "
                     "shorten the length-scale");
  EXPECT_INPUT_ERROR(
      GaussianProcess(Kernel{}, std::vector<Point>(20'001, Point::Zero()), 0, 1),
      "a Gaussian process is dense and takes at most 20000 unknowns, found 20001: take the prior of kind "
      "'spde', or group cells into blocks");
}

TEST(IndependentPrior, IsAProductOfNormals) {
  const Vector mean = (Vector(2) << 1, 4).finished(), sigma = (Vector(2) << 0.5, 2).finished();
  const IndependentPrior prior(mean, sigma);
  const Vector kappa = (Vector(2) << 1.5, 0).finished();
  EXPECT_NEAR(prior.log_density(kappa), -0.5 * (1 + 4) - std::log(0.5) - std::log(2.0) - std::log(2 * std::numbers::pi),
              1e-14);
  Random random(4);
  constexpr int n = 20'000;
  Vector sum = Vector::Zero(2), squares = Vector::Zero(2);
  for (int i = 0; i < n; ++i) {
    const Vector z = (prior.sample(random) - mean).cwiseQuotient(sigma);
    sum += z;
    squares += z.cwiseAbs2();
  }
  EXPECT_LT((sum / n).cwiseAbs().maxCoeff(), 5 / std::sqrt(n));
  EXPECT_LT((squares / n - Vector::Ones(2)).cwiseAbs().maxCoeff(), 5 * std::sqrt(2.0 / n));
  EXPECT_INPUT_ERROR(IndependentPrior(mean, Vector::Zero(2)), "expected a positive sigma, found 0");
}

}  // namespace
}  // namespace varimesh::inverse
