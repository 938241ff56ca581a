#include "varimesh/run/trust.h"

#include <gmock/gmock.h>

#include <cmath>

#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"

namespace varimesh::run {
namespace {

using Level = result::TrustItem::Level;

/// A problem of which only the sensors and their measurements matter.
Problem measured(const Vector& mean, double standard_error) {
  Problem problem;
  problem.equation.mesh = mesh::create_interval(4);
  problem.sensors.emplace();
  problem.sensors->points.assign(static_cast<std::size_t>(mean.size()), Point(0.5, 0, 0));
  problem.observations =
      inverse::observe_means(mean, Vector::Ones(mean.size()), Vector::Constant(mean.size(), standard_error));
  return problem;
}

/// What is said of 60 measurements of a linear model that follows each with leverage h: in squared standard errors,
/// residuals have the variance 1 - h and predictions h; of new measurements residuals have 1 + h. The noise is `scale`
/// times the stated one.
result::TrustItem verdict(double h, double scale, DataKind kind, std::uint64_t seed) {
  constexpr Index m = 60;
  Random random(seed);
  const double spread = kind == DataKind::inferred_from ? std::sqrt(1 - h) : std::sqrt(1 + h);
  const Problem problem = measured(0.1 * scale * spread * random.normal_vector(m), 0.1);
  result::MethodRecord record;
  record.predicted = {Vector::Zero(m), Vector::Constant(m, 0.1 * std::sqrt(h))};
  judge_predictions(problem, kind, 0, nullptr, record);
  return record.trust.back();
}

class Leverage : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Shares, Leverage, testing::Values(0.05, 0.5, 0.9));

TEST_P(Leverage, DataOfTheirOwnModelAreExplained) {
  // A chi-square of 60 degrees is three of its sds above its mean once in 250 cases: more than two of 40 are no chance.
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    alarms += verdict(GetParam(), 1, DataKind::inferred_from, seed).headline != "The data are explained.";
    alarms += verdict(GetParam(), 1, DataKind::new_data, seed).headline != "The new data are predicted.";
  }
  EXPECT_LE(alarms, 2);
}

TEST_P(Leverage, TwiceTheStatedNoiseIsFound) {
  const result::TrustItem item = verdict(GetParam(), 2, DataKind::inferred_from, 1);
  EXPECT_EQ(item.headline, "The data are not explained.") << item.explanation;
  EXPECT_EQ(verdict(GetParam(), 2, DataKind::new_data, 1).headline, "The new data are not predicted.");
}

TEST(Trust, NoiseFarBelowTheStatedOneIsFound) {
  EXPECT_EQ(verdict(0.2, 0.3, DataKind::inferred_from, 1).headline,
            "The data are explained better than their noise allows.");
}

TEST(Trust, OneSensorFarOffIsNamed) {
  Vector y = Vector::Zero(40);
  y[7] = 0.8;
  const Problem problem = measured(y, 0.1);
  result::MethodRecord record;
  record.predicted = {Vector::Zero(40), Vector::Constant(40, 0.01)};
  judge_predictions(problem, DataKind::inferred_from, 0, nullptr, record);
  EXPECT_EQ(record.trust.back().headline, "The data are not explained.");
  EXPECT_EQ(record.trust.back().level, Level::bad);
  EXPECT_FALSE(record.trust.back().action.empty());
  EXPECT_THAT(record.trust.back().explanation, testing::HasSubstr("8.0 at sensor 7 at (0.5)"));
}

TEST(Trust, TruthIsCountedInSds) {
  const auto judged = [](Index beyond) {
    result::MethodRecord record;
    record.kappa.mean = Vector::Zero(100);
    record.kappa.sd = Vector::Ones(100);
    result::Truth truth{Vector::Zero(100), Vector(0), Vector(0)};
    truth.kappa.head(beyond).setConstant(2.5);
    judge_predictions(Problem{}, DataKind::inferred_from, 0, &truth, record);
    return record.trust.back();
  };
  EXPECT_EQ(judged(10).headline, "The truth is covered.");
  EXPECT_THAT(judged(10).explanation, testing::HasSubstr("90 of 100"));
  EXPECT_EQ(judged(50).level, Level::warn);
}

TEST(Trust, EveryEndHasAVerdictAndAdviceUnlessItIsGood) {
  for (const result::Status status : {result::Status::converged, result::Status::iteration_limit,
                                      result::Status::diverged, result::Status::interrupted}) {
    result::MethodRecord record;
    record.status = status;
    record.message = "so it is";
    judge_fit(record);
    ASSERT_EQ(record.trust.size(), 1U);
    EXPECT_EQ(record.trust[0].action.empty(), status == result::Status::converged);
    EXPECT_THAT(record.trust[0].explanation, testing::HasSubstr("so it is"));
  }
}

}  // namespace
}  // namespace varimesh::run
