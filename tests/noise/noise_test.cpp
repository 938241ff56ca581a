#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "expect_input_error.h"
#include "variational/linear_problem.h"
#include "varimesh/inverse/information_root.h"
#include "varimesh/inverse/observations.h"
#include "varimesh/noise/correlated_noise.h"
#include "varimesh/noise/grouped_noise.h"
#include "varimesh/noise/normal_noise.h"
#include "varimesh/noise/student_noise.h"
#include "varimesh/special_functions.h"

namespace varimesh::noise {
namespace {

using inverse::InformationRoot;
using inverse::Observations;

double log_student_density(double x, double sigma, double nu) {
  return std::log(std::tgamma((nu + 1) / 2) / (std::tgamma(nu / 2) * std::sqrt(nu * std::numbers::pi) * sigma)) -
         (nu + 1) / 2 * std::log(1 + x * x / (nu * sigma * sigma));
}

/// Three sensors with one, three and two measurements, one of which is an outlier.
const std::vector<Vector> measurements = {Vector::Constant(1, 0.3), (Vector(3) << 1, 1.4, 7).finished(),
                                          (Vector(2) << -2, -1.8).finished()};
const Vector scales = (Vector(3) << 0.5, 0.3, 0.1).finished();
const Vector predictions = (Vector(3) << 0.1, 1.3, -1.95).finished();

Matrix covariance(Index n) {
  return Matrix::NullaryExpr(n, n, [](Eigen::Index i, Eigen::Index j) {
    return 0.5 * std::exp(-0.4 * std::abs(static_cast<double>(i - j))) +
           (i == j ? 0.1 + 0.05 * static_cast<double>(i) : 0.0);
  });
}

/// Of y at predictions, by central differences of the log-likelihood.
Vector differences(const Observations& data, const Vector& at, double step) {
  Vector result(at.size());
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const Vector move = step * Vector::Unit(at.size(), i);
    result[i] = (log_likelihood(data, at + move) - log_likelihood(data, at - move)) / (2 * step);
  }
  return result;
}

/// A'A.
Matrix information(const Observations& data, const Vector& at, Bend bend = Bend::observed) {
  const InformationRoot root(data, bend);
  Matrix a = Matrix::Identity(data.size(), data.size());
  root.multiply(at, a);
  root.multiply_transposed(at, a);
  return a;
}

TEST(StudentTail, IsThatOfClosedForms) {
  for (const double t : {0.0, 1e-3, 0.7, 2.0, 30.0, 1e6}) {
    const double cauchy = std::atan2(1, t) / std::numbers::pi, r = t / std::sqrt(2 + t * t);
    EXPECT_NEAR(student_tail(t, 1) / cauchy, 1, 1e-12) << t;
    EXPECT_NEAR(student_tail(t, 2) / (1 / ((2 + t * t) * (1 + r))), 1, 1e-12) << t;  // (1 - r) / 2
  }
  // Beyond the quadratic of 1 / nu, a normal distribution: (t^3 + t) / (4 nu) phi(t) is the first difference.
  const double phi = std::exp(-2.0) / std::sqrt(2 * std::numbers::pi);
  EXPECT_NEAR(student_tail(2, 1e6), 0.5 * std::erfc(std::numbers::sqrt2) + 10.0 / 4e6 * phi, 1e-11);
}

TEST(StudentNoise, HasTheDensityOfEveryMeasurement) {
  const Observations data = inverse::observe_student(measurements, scales, 4);
  double expected = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double own = 0;
    for (const double y : measurements[i]) own += log_student_density(y - predictions[i], scales[i], 4);
    EXPECT_NEAR(data.noise->log_density(static_cast<Index>(i), predictions[i]), own, 1e-12);
    expected += own;
  }
  EXPECT_NEAR(log_likelihood(data, predictions), expected, 1e-12);
  EXPECT_NEAR(log_likelihood_without_constant(data, predictions) + data.constant, expected, 1e-12);
  // Many degrees of freedom: normal, up to (r^4 - 2 r^2 - 1) / (4 nu) for each.
  const Observations nearly = inverse::observe_student({Vector::Constant(1, 0.3)}, Vector::Constant(1, 0.5), 1e5);
  const Observations normal =
      inverse::observe_means(Vector::Constant(1, 0.3), Vector::Ones(1), Vector::Constant(1, 0.5));
  EXPECT_NEAR(log_likelihood(nearly, Vector::Zero(1)), log_likelihood(normal, Vector::Zero(1)), 1e-5);
}

TEST(StudentNoise, SlopesAndBendsAreThoseOfDifferences) {
  const Observations data = inverse::observe_student(measurements, scales, 3.5);
  const Vector slope = log_likelihood_slope(data, predictions);
  // Steps of 1e-4 in a density that varies over 0.1: relative errors of 1e-6.
  EXPECT_LT((slope - differences(data, predictions, 1e-4)).norm(), 1e-5 * slope.norm());
  const double h = 1e-4;
  for (Index i = 0; i < 3; ++i) {
    const Vector move = h * Vector::Unit(3, i);
    const double second =
        -(log_likelihood_slope(data, predictions + move)[i] - log_likelihood_slope(data, predictions - move)[i]) /
        (2 * h);
    EXPECT_NEAR(information(data, predictions)(i, i), std::max(0.0, second), 1e-5 * std::abs(second) + 1e-9) << i;
  }
  // An outlier alone bends the other way, of which nothing is kept.
  const Vector far = (Vector(3) << 40, 60, -90).finished();
  EXPECT_EQ(information(data, far).norm(), 0);
}

TEST(StudentNoise, IsAboveTheParabolaThatTouchesIt) {
  const Observations data = inverse::observe_student(measurements, scales, 3);
  const Vector slope = log_likelihood_slope(data, predictions);
  const Matrix bend = information(data, predictions, Bend::majorizing);
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector step = std::pow(10.0, random.uniform() * 4 - 3) * random.normal_vector(3);
    const double parabola = slope.dot(step) - 0.5 * step.dot(bend * step);
    EXPECT_GE(log_likelihood(data, predictions + step) - log_likelihood(data, predictions), parabola - 1e-12);
  }
}

TEST(StudentNoise, ScoresOfItsOwnDrawsAreStandardNormal) {
  constexpr Index count = 4000;
  Random random(5);
  std::vector<Vector> drawn(1, Vector(count));
  for (double& y : drawn[0]) y = 2 + 0.7 * sample_student(2.5, random);
  const Vector scores = StudentNoise(drawn, Vector::Constant(1, 0.7), 2.5).normal_scores(0, 2);
  // Mean, variance and fourth moment within four standard errors: 1, sqrt(2), sqrt(96) over the root of the number.
  const double root = std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(scores.mean(), 0, 4 / root);
  EXPECT_NEAR(scores.squaredNorm() / count, 1, 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(scores.array().pow(4).mean(), 3, 4 * std::sqrt(96.0) / root);
}

TEST(CorrelatedNoise, HasTheDensityOfItsCovariance) {
  Random random(1);
  const Vector y = random.normal_vector(5), count = (Vector(5) << 1, 4, 2, 2, 3).finished(),
               g = random.normal_vector(5);
  const Observations data = inverse::observe_correlated(y, count, covariance(5));
  // The mean of n measurements with that of m of them, of which min(n, m) go together.
  Matrix of_means = covariance(5);
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j) of_means(i, j) *= std::min(count[i], count[j]) / (count[i] * count[j]);
  EXPECT_NEAR(log_likelihood(data, g), test::normal_log_density(y, g, of_means), 1e-11);
  const Vector slope = log_likelihood_slope(data, g);
  EXPECT_LT((slope - differences(data, g, 1e-3)).norm(), 1e-8 * slope.norm());  // quadratic: rounding alone
  EXPECT_LT((information(data, g) * of_means - Matrix::Identity(5, 5)).norm(), 1e-12);
  EXPECT_EQ(data.sigma, covariance(5).diagonal().cwiseSqrt());
  EXPECT_LT((data.standard_error() - of_means.diagonal().cwiseSqrt()).norm(), 1e-14);
}

TEST(CorrelatedNoise, PredictsASensorFromItsNeighbours) {
  Random random(2);
  const Vector y = random.normal_vector(4), g = random.normal_vector(4);
  const Matrix gamma = covariance(4);
  const CorrelatedNoise noise(y, gamma);
  const Vector given = noise.given_others(g);
  for (Index i = 0; i < 4; ++i) {
    // p(y_i | the others) = p(y) / p(the others)
    std::vector<Index> rest;
    for (Index j = 0; j < 4; ++j)
      if (j != i) rest.push_back(j);
    const double expected =
        test::normal_log_density(y, g, gamma) - test::normal_log_density(y(rest), g(rest), gamma(rest, rest));
    EXPECT_NEAR(noise.log_density(i, given[i]), expected, 1e-12);
    const Vector weights = gamma(rest, rest).llt().solve(gamma(rest, std::vector<Index>{i}));
    EXPECT_NEAR(given[i], g[i] + weights.dot((y - g)(rest)), 1e-12);
  }
}

TEST(CorrelatedNoise, DrawsHaveItsCovariance) {
  constexpr Index draws = 20'000;
  Random random(4);
  const Matrix gamma = covariance(4), errors = CorrelatedNoise(Vector::Zero(4), gamma).sample(draws, random);
  const Matrix found = errors * errors.transpose() / draws;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const double standard_error = std::sqrt((gamma(i, i) * gamma(j, j) + gamma(i, j) * gamma(i, j)) / draws);
      EXPECT_NEAR(found(i, j), gamma(i, j), 4 * standard_error);
    }
  }
}

TEST(Noise, BadNumbersAreNamed) {
  EXPECT_INPUT_ERROR(StudentNoise({Vector::Ones(1)}, Vector::Zero(1), 4),
                     "sensor 0: expected a positive sigma, found 0");
  EXPECT_INPUT_ERROR(StudentNoise({Vector()}, Vector::Ones(1), 4),
                     "sensor 0: expected finite measurements, found others, or none");
  EXPECT_INPUT_ERROR(StudentNoise({Vector::Ones(1)}, Vector::Ones(1), 0),
                     "expected positive degrees of freedom, found 0");
  EXPECT_INPUT_ERROR(CorrelatedNoise(Vector::Zero(2), Matrix::Ones(2, 2)),
                     "expected a positive definite covariance matrix of the noise, found one that is not");
  EXPECT_INPUT_ERROR(CorrelatedNoise(Vector::Zero(2), Matrix::Ones(3, 3)),
                     "expected a covariance matrix of 2 rows and columns, one for each sensor, found 3");
}

TEST(GroupedNoise, OfOneCorrelatedAndOneNormalGroupIsThatOfTheWholeCovariance) {
  const Vector mean = Random(1).normal_vector(5), at = Random(2).normal_vector(5);
  Matrix whole = Matrix::Zero(5, 5);
  whole.topLeftCorner(3, 3) = covariance(3);
  whole.diagonal().tail(2) << 0.04, 0.25;
  const CorrelatedNoise expected(mean, whole);
  const Vector weight = whole.diagonal().tail(2).cwiseInverse();
  const GroupedNoise noise({std::make_shared<CorrelatedNoise>(mean.head(3), covariance(3)),
                            std::make_shared<NormalNoise>(
                                mean.tail(2), weight, 0.5 * (weight.array() / (2 * std::numbers::pi)).log().sum())});
  EXPECT_EQ(noise.size(), 5);
  EXPECT_TRUE(noise.is_normal());
  EXPECT_NEAR(noise.constant(), expected.constant(), 1e-12);
  EXPECT_NEAR(noise.value(at), expected.value(at), 1e-11);
  EXPECT_LT((noise.slope(at) - expected.slope(at)).norm(), 1e-12 * expected.slope(at).norm());
  EXPECT_LT((noise.standard_error() - expected.standard_error()).norm(), 1e-13);
  const Matrix draws = Random(3).normal_matrix(5, 2);
  EXPECT_LT((noise.given_others(draws) - expected.given_others(draws)).norm(), 1e-12);
  Matrix found = draws, wanted = draws;
  noise.multiply_root(at, Bend::observed, found);
  expected.multiply_root(at, Bend::observed, wanted);
  EXPECT_LT((found - wanted).norm(), 1e-12);
  noise.multiply_root_transposed(at, Bend::observed, found);
  expected.multiply_root_transposed(at, Bend::observed, wanted);
  EXPECT_LT((found - wanted).norm(), 1e-11);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(noise.log_density(i, 0.3), expected.log_density(i, 0.3), 1e-12);
    EXPECT_NEAR(noise.normal_scores(i, 0.3)[0], expected.normal_scores(i, 0.3)[0], 1e-12);
  }
  // The covariance of 4,000 errors: entries are known to some 2 % of the variances.
  Random random(4);
  const Matrix errors = noise.sample(4000, random);
  EXPECT_LT((errors * errors.transpose() / 4000 - whole).cwiseAbs().maxCoeff(), 0.1 * whole.diagonal().maxCoeff());
}

}  // namespace
}  // namespace varimesh::noise
