#include "varimesh/inverse/observations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "expect_input_error.h"
#include "varimesh/random.h"

namespace varimesh::inverse {
namespace {

double log_normal_density(double y, double mean, double sigma) {
  return -0.5 * std::pow((y - mean) / sigma, 2) - std::log(sigma) - 0.5 * std::log(2 * std::numbers::pi);
}

TEST(Observations, ReplicatesGiveTheDensityOfEveryMeasurement) {
  Random random(1);
  const Matrix y = Matrix::NullaryExpr(5, 3, [&] { return random.normal(); });
  const Vector sigma = (Vector(3) << 0.5, 1, 2).finished();
  const Vector prediction = random.normal_vector(3);
  double expected = 0;
  for (int r = 0; r < 5; ++r)
    for (int s = 0; s < 3; ++s) expected += log_normal_density(y(r, s), prediction[s], sigma[s]);
  EXPECT_NEAR(log_likelihood(observe_replicates(y, sigma), prediction), expected, 1e-12);
}

TEST(Observations, MeansGiveTheDensityOfTheMeans) {
  const Vector mean = (Vector(2) << 1, -2).finished(), count = (Vector(2) << 4, 9).finished(),
               sigma = (Vector(2) << 0.5, 3).finished();
  const Vector prediction = (Vector(2) << 1.2, -1).finished();
  const double expected = log_normal_density(1, 1.2, 0.5 / 2) + log_normal_density(-2, -1, 3.0 / 3);
  EXPECT_NEAR(log_likelihood(observe_means(mean, count, sigma), prediction), expected, 1e-13);
}

TEST(Observations, RowsAndMeansDifferOnlyByAConstant) {
  Random random(2);
  const Matrix y = Matrix::NullaryExpr(7, 4, [&] { return random.normal(); });
  const Vector sigma = Vector::Constant(4, 0.3);
  const Observations rows = observe_replicates(y, sigma);
  const Observations means = observe_means(y.colwise().mean().transpose(), Vector::Constant(4, 7), sigma);
  const Vector a = random.normal_vector(4), b = random.normal_vector(4);
  EXPECT_NEAR(log_likelihood(rows, a) - log_likelihood(rows, b), log_likelihood(means, a) - log_likelihood(means, b),
              1e-11);
}

TEST(Observations, PredictionsThatFailedAreImpossible) {
  const Observations data = observe_means(Vector::Zero(2), Vector::Ones(2), Vector::Ones(2));
  Vector prediction = Vector::Zero(2);
  prediction[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(log_likelihood(data, prediction), -std::numeric_limits<double>::infinity());
}

TEST(Observations, BadNumbersAreNamed) {
  const Vector one = Vector::Ones(2);
  const Vector bad = (Vector(2) << 1, 0).finished();
  EXPECT_INPUT_ERROR(observe_means(one, one, bad), "sensor 1: expected a positive sigma, found 0");
  EXPECT_INPUT_ERROR(observe_means(one, bad, one), "sensor 1: expected a positive count, found 0");
  EXPECT_INPUT_ERROR(observe_means(one, one, Vector::Ones(3)),
                     "expected 2 values of sigma, one for each sensor, found 3");
  EXPECT_INPUT_ERROR(observe_replicates(Matrix(0, 2), one),
                     "expected at least one measurement for each sensor, found none");
  const Vector missing = (Vector(2) << std::nan(""), 1).finished();
  EXPECT_INPUT_ERROR(observe_means(missing, one, one), "sensor 0: expected a finite measurement, found nan");
}

}  // namespace
}  // namespace varimesh::inverse
