#include "varimesh/run/trust.h"

#include <gmock/gmock.h>

#include <cmath>

#include "bare_problem.h"
#include "varimesh/diagnostics/leave_one_out.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"
#include "varimesh/run/infer_steps.h"

namespace varimesh::run {
namespace {

using Level = result::TrustItem::Level;

/// A problem of which only the sensors and their measurements matter.
BareProblem measured(const Vector& mean, double standard_error) {
  result::ProblemRecord record;
  record.mesh = mesh::create_interval(4);
  record.sensors.points.assign(static_cast<std::size_t>(mean.size()), Point(0.5, 0, 0));
  return BareProblem(
      record, inverse::observe_means(mean, Vector::Ones(mean.size()), Vector::Constant(mean.size(), standard_error)));
}

result::LeaveOneOut left_out(const InverseProblem& problem, const Vector& predicted, const Vector& leverage) {
  return diagnostics::leave_each_out_linearly(problem.observations()->mean, predicted,
                                              problem.observations()->weight.cwiseSqrt().cwiseInverse(), leverage);
}

/// What is said of 60 measurements of a linear model that follows each with leverage h: in squared standard errors,
/// residuals have the variance 1 - h and predictions h; of new measurements residuals have 1 + h. The noise is `scale`
/// times the stated one.
result::TrustItem verdict(double h, double scale, DataKind kind, std::uint64_t seed) {
  constexpr Index m = 60;
  Random random(seed);
  const double spread = kind == DataKind::inferred_from ? std::sqrt(1 - h) : std::sqrt(1 + h);
  const BareProblem problem = measured(0.1 * scale * spread * random.normal_vector(m), 0.1);
  result::MethodRecord record;
  record.predicted = {Vector::Zero(m), Vector::Constant(m, 0.1 * std::sqrt(h))};
  record.leave_one_out = left_out(problem, Vector::Zero(m), Vector::Constant(m, h));
  judge_predictions(problem, kind, 0, nullptr, record);
  return record.trust.back();
}

class Leverage : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Shares, Leverage, testing::Values(0.05, 0.5, 0.9));

TEST_P(Leverage, DataOfTheirOwnModelAreExplained) {
  // Too large, too small or with an outlier once in 80 cases, of new data once in 250: more than two of 40 are no
  // chance.
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    alarms += verdict(GetParam(), 1, DataKind::inferred_from, seed).headline != "The data are explained.";
    alarms += verdict(GetParam(), 1, DataKind::new_data, seed).headline != "The new data are predicted.";
  }
  EXPECT_LE(alarms, 2);
}

TEST_P(Leverage, TwiceTheStatedNoiseIsFound) {
  // As a whole, or, where a few sensors hold what freedom is left (six degrees at h = 0.9), by these.
  const result::TrustItem item = verdict(GetParam(), 2, DataKind::inferred_from, 1);
  EXPECT_THAT(item.headline, testing::AnyOf("The data are not explained.", testing::HasSubstr("contradict")));
  EXPECT_NE(item.level, Level::good) << item.explanation;
  EXPECT_EQ(verdict(GetParam(), 2, DataKind::new_data, 1).headline, "The new data are not predicted.");
}

TEST(Trust, NoiseFarBelowTheStatedOneIsFound) {
  EXPECT_EQ(verdict(0.2, 0.3, DataKind::inferred_from, 1).headline,
            "The data are explained better than their noise allows.");
}

/// Forty sensors that agree, but for those that are moved by so many standard errors.
result::MethodRecord judged_with(const std::vector<std::pair<Index, double>>& moved,
                                 const std::vector<result::SensorInfluence>& influence = {}) {
  Random random(4);
  Vector y = 0.1 * random.normal_vector(40);
  for (const auto& [sensor, by] : moved) y[sensor] = 0.1 * by;
  const BareProblem problem = measured(y, 0.1);
  result::MethodRecord record;
  record.leave_one_out = left_out(problem, Vector::Zero(40), Vector::Constant(40, 0.01));
  record.leave_one_out.worst = influence;
  judge_data(problem, record);
  return record;
}

TEST(Trust, OneSensorFarOffIsNamed) {
  const result::TrustItem item = judged_with({{7, 8}}).trust.back();
  EXPECT_EQ(item.headline, "Sensor 7 contradicts the others.");
  EXPECT_EQ(item.level, Level::warn);
  EXPECT_EQ(item.kind, result::TrustItem::Kind::sensors);
  EXPECT_THAT(item.numbers, testing::Contains(std::pair<std::string, double>("sensor", 7)));
  EXPECT_FALSE(item.action.empty());
  EXPECT_THAT(item.explanation, testing::HasSubstr("sensor 7 at (0.5): 8.0 sds too high"));
}

TEST(Trust, SensorsFarOffAreNamedInOrderWithTheirInfluence) {
  const result::TrustItem item =
      judged_with({{7, 6}, {30, -9}}, {{30, 2.5, Vector(0)}, {7, 0.1, Vector(0)}}).trust.back();
  EXPECT_EQ(item.headline, "2 sensors contradict the others.");
  EXPECT_EQ(item.level, Level::bad) << "one of them moves the field by more than an sd";
  EXPECT_THAT(item.explanation,
              testing::ContainsRegex("sensor 30 .*9.0 sds too low; without it the field moves by up to 2.5 sds.*"
                                     "sensor 7 .*6.0 sds too high"));
}

TEST(Trust, AnOutlierThatChanceBringsOnceInAHundredDataSetsIsNoReasonToRejectTheAnswer) {
  // Of 40 sensors one is beyond 3.7 sds once in 100 data sets, beyond 4.2 once in 1,000.
  const result::SensorInfluence decisive = {7, 2.5, Vector(0)};
  EXPECT_EQ(judged_with({{7, 3.9}}, {decisive}).trust.back().headline, "Sensor 7 contradicts the others.");
  EXPECT_EQ(judged_with({{7, 3.9}}, {decisive}).trust.back().level, Level::warn);
  EXPECT_EQ(judged_with({{7, 4.5}}, {decisive}).trust.back().level, Level::bad);
}

TEST(Trust, PredictionsThatAreNotFiniteCannotBeJudged) {
  const BareProblem problem = measured(Vector::Zero(3), 0.1);
  result::MethodRecord record;
  judge_data(problem, record);
  EXPECT_EQ(record.trust.back().headline, "The fit to the data cannot be judged.");
}

TEST(Trust, AMeshIsJudgedByTheNoiseAndTheSdsOfQuantities) {
  const BareProblem problem = measured(Vector::Zero(3), 0.1);
  result::MethodRecord record;
  const auto judged = [&](const Vector& change) {
    record.trust.clear();
    record.mesh_check.refined_cells = 8;
    record.mesh_check.sensors = change;
    judge_mesh(problem, nullptr, record);
    return record.trust.back();
  };
  EXPECT_EQ(judged(Eigen::Vector3d(0.01, -0.02, 0)).headline, "The mesh is fine enough for the data.");
  EXPECT_EQ(judged(Eigen::Vector3d(0.01, -0.04, 0)).level, Level::warn);
  const result::TrustItem coarse = judged(Eigen::Vector3d(0.01, -0.18, 0));
  EXPECT_EQ(coarse.headline, "The mesh is too coarse for the data.");
  EXPECT_THAT(coarse.explanation, testing::HasSubstr("up to 1.8 standard errors (sensor 1 at (0.5))"));
  EXPECT_THAT(coarse.action, testing::HasSubstr("2 times: that divides the error by about 16"));
}

TEST(Trust, AMeshThatWasNotRefinedIsMentioned) {
  const BareProblem problem = measured(Vector::Zero(3), 0.1);
  result::MethodRecord record;
  judge_mesh(problem, nullptr, record);
  EXPECT_TRUE(record.trust.empty()) << "nobody asked";
  record.mesh_check.skipped = "it would take too long";
  judge_mesh(problem, nullptr, record);
  EXPECT_THAT(record.trust.back().explanation, testing::HasSubstr("it would take too long"));
}

TEST(Trust, TruthIsCountedInSds) {
  const auto judged = [](Index beyond) {
    result::MethodRecord record;
    record.kappa.mean = Vector::Zero(100);
    record.kappa.sd = Vector::Ones(100);
    result::Truth truth{Vector::Zero(100), Vector(0), Vector(0)};
    truth.kappa.head(beyond).setConstant(2.5);
    judge_predictions(BareProblem(result::ProblemRecord()), DataKind::inferred_from, 0, &truth, record);
    return record.trust.back();
  };
  EXPECT_EQ(judged(10).headline, "The truth is covered.");
  EXPECT_THAT(judged(10).explanation, testing::HasSubstr("90 of 100"));
  EXPECT_EQ(judged(50).level, Level::warn);
}

/// What is said of a fit N(0, 1) of four independent unknowns, each of which is N(shift, sd^2) in truth.
result::TrustItem verdict_on_fit(double shift, double sd) {
  constexpr Index count = 4000;
  Random random(8);
  variational::ImportanceCheck check;
  check.draws = random.normal_matrix(4, count);
  check.log_posterior = check.log_likelihood = Vector::Zero(count);
  const auto ratios = 0.5 * check.draws.array().square() - 0.5 * ((check.draws.array() - shift) / sd).square();
  check.psis = diagnostics::psis(ratios.colwise().sum().transpose());
  check.log_weights = check.psis.log_weights;
  result::MethodRecord record;
  record.kappa = {Vector::Zero(4), Vector::Ones(4), Vector::Zero(4), Vector::Zero(4), Vector::Zero(4)};
  record_weighted_draws(check, record);
  EXPECT_LT(record.khat->value, diagnostics::proven_khat);
  judge_weights(check, Method::fcvb, record);
  return record.trust.front();
}

TEST(Trust, AFitIsCalledCloseOnlyIfItsWeightsLeaveTheFieldWhereItIs) {
  EXPECT_EQ(verdict_on_fit(0, 1).level, Level::good);
  EXPECT_EQ(verdict_on_fit(0.05, 0.97).level, Level::good);
  // By 0.2 sds everywhere, though the weights have a thin tail.
  const result::TrustItem moved = verdict_on_fit(0.2, 1);
  EXPECT_EQ(moved.level, Level::warn);
  EXPECT_EQ(moved.headline, "The fit is off for the field.");
  EXPECT_FALSE(moved.action.empty());
  const auto shift = std::ranges::find(moved.numbers, "shift", [](const auto& number) { return number.first; });
  ASSERT_NE(shift, moved.numbers.end());
  EXPECT_NEAR(shift->second, 0.2, 4 / std::sqrt(4000));
  // Sds that are a sixth too large.
  EXPECT_EQ(verdict_on_fit(0, 1 / 1.17).level, Level::warn);
}

TEST(Trust, EveryEndHasAVerdictAndAdviceUnlessItIsGood) {
  for (const result::Status status : {result::Status::converged, result::Status::iteration_limit,
                                      result::Status::diverged, result::Status::interrupted}) {
    result::MethodRecord record;
    record.status = status;
    record.message = "so it is";
    judge_end(record);
    ASSERT_EQ(record.trust.size(), 1U);
    EXPECT_EQ(record.trust[0].action.empty(), status == result::Status::converged);
    EXPECT_THAT(record.trust[0].explanation, testing::HasSubstr("so it is"));
  }
}

}  // namespace
}  // namespace varimesh::run
