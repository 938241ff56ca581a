#include "varimesh/run/leave_one_out.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "run/made_up_problem.h"
#include "varimesh/diagnostics/leave_one_out.h"
#include "varimesh/run/linearized_sensors.h"

namespace varimesh::run {
namespace {

const std::string line = R"toml(
[mesh]
kind = "interval"
cells = 8
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[observations]
data = "data.csv"
sensors = "nodes"
sigma = 0.01
[prior]
kind = "gaussian_process"
length_scale = 0.3
[quantities]
log_flux = { log_flux = "left" }
[method]
draws = 1000
[method.chains]
chains = 2
draws = 2000
)toml";

/// Thirty sensors in a plate of 800 unknowns, of which data say little: no normal distribution is close to that
/// posterior.
const std::string few = R"toml(
[mesh]
kind = "rectangle"
cells = [20, 20]
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 1 }
[observations]
data = "data.csv"
sensors = "sensors.csv"
sigma = 0.02
[prior]
kind = "gaussian_process"
kernel = "matern32"
length_scale = 0.25
)toml";

/// Made-up data of a problem; `moved` sensors are off by so many standard errors.
struct Case : test::MadeUpProblem {
  Case(const std::string& text, std::uint64_t seed, std::optional<std::pair<Index, double>> moved = std::nullopt)
      : MadeUpProblem(text, sensors(), seed, {}, [&](const NoiseModel& noise, Matrix& measurements) {
          if (moved) measurements(0, moved->first) += moved->second * noise.sigma[moved->first];
        }) {}

  static std::string sensors() {
    std::string rows = "x,y\n";
    for (int i = 0; i < 30; ++i) rows += fmt::format("{},{}\n", 0.1 + 0.16 * (i % 6), 0.1 + 0.2 * (i / 6));
    return rows;
  }

  result::MethodRecord infer(Method method, int threads = 1) const {
    return run::infer(config, problem, *posterior, method, {threads, {}, false});
  }

  /// The same inference, in which a sensor has no weight.
  result::MethodRecord infer_without(Index sensor, Method method) const {
    Problem without = problem;
    without.observations->weight[sensor] *= 1e-12;
    return run::infer(config, without, build_posterior(config, without), method, {1, {}, false, false});
  }
};

/// 4,000 draws of chains, some hundred effective, and weights that halve them at worst: a quarter of an sd is some five
/// standard errors.
void expect_as_repeated(const result::LeaveOneOut& found, const result::MethodRecord& repeated, Index sensor) {
  EXPECT_NEAR(found.mean[sensor], repeated.predicted.mean[sensor], 0.25 * repeated.predicted.sd[sensor]);
  EXPECT_NEAR(found.sd[sensor] / repeated.predicted.sd[sensor], 1, 0.25);
}

TEST(LeaveOneOutRun, DrawsAreMovedWhereASensorContradictsTheOthers) {
  // Without a sensor that is further off, draws would have to move further than weights can follow.
  const Case c(line, 3, std::pair(Index{4}, 5.0));
  const result::MethodRecord record = c.infer(Method::nuts), repeated = c.infer_without(4, Method::nuts);
  const Vector alone = record.predicted_draws.row(4);
  const Vector standard_error = c.problem.observations->weight.cwiseSqrt().cwiseInverse();
  EXPECT_GT(diagnostics::weights_without(c.problem.observations->mean[4], alone, standard_error[4], Vector(0)).khat,
            result::largest_usable_khat);
  EXPECT_GE(record.leave_one_out.matched, 1);
  EXPECT_LE(record.leave_one_out.khat[4], result::largest_usable_khat);
  expect_as_repeated(record.leave_one_out, repeated, 4);
  // What moving the draws says of the field and the quantity is what the repeated inference says.
  const auto place = std::ranges::find(record.leave_one_out.worst, 4, &result::SensorInfluence::sensor);
  ASSERT_NE(place, record.leave_one_out.worst.end());
  const result::SensorInfluence& influence = *place;
  const Vector shift = (repeated.kappa.mean - record.kappa.mean).cwiseQuotient(record.kappa.sd);
  EXPECT_NEAR(influence.field, shift.lpNorm<Eigen::Infinity>(), 0.25 * shift.lpNorm<Eigen::Infinity>() + 0.2);
  const double moved = (repeated.quantities[0].mean - record.quantities[0].mean) / record.quantities[0].sd;
  EXPECT_NEAR(influence.quantities[0], moved, 0.25 * std::abs(moved) + 0.2);
}

TEST(LeaveOneOutRun, TheLinearizedModelPredictsASensorAsARepeatedLaplaceDoes) {
  const Case c(line, 3);
  const auto linearized = linearize_sensors(*c.posterior, Vector::Zero(8), 1);
  ASSERT_TRUE(linearized);
  const Vector standard_error = c.problem.observations->weight.cwiseSqrt().cwiseInverse();
  const result::LeaveOneOut found = diagnostics::leave_each_out_linearly(
      c.problem.observations->mean, linearized->predicted, standard_error, linearized->leverage);
  for (const Index sensor : {2, 4, 6}) {
    // The mode itself, by which the model's curvature over a few sds is all that differs.
    const Vector mode = c.infer_without(sensor, Method::laplace).kappa.mean;
    EXPECT_NEAR(found.mean[sensor], c.problem.model->predict(mode)[sensor], 0.3 * found.sd[sensor]);
    const Vector moved =
        linearized->kappa - (c.problem.observations->mean[sensor] - found.mean[sensor]) * linearized->gain.col(sensor);
    EXPECT_LT((moved - mode).norm(), 0.3 * (linearized->kappa - mode).norm() + 0.02);
  }
}

TEST(LeaveOneOutRun, DoesNotDependOnThreads) {
  const Case c(line, 3, std::pair(Index{4}, 8.0));
  const result::MethodRecord one = c.infer(Method::fcvb, 1), three = c.infer(Method::fcvb, 3);
  EXPECT_EQ(one.leave_one_out.residual, three.leave_one_out.residual);
}

std::vector<std::string> headlines(const result::MethodRecord& record) {
  std::vector<std::string> list;
  for (const auto& item : record.trust) list.push_back(item.headline);
  return list;
}

TEST(LeaveOneOutRun, AnApproximationDoesNotBlameTheDataAndPutsTheSensorThatIsOffFirst) {
  int named = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_THAT(headlines(Case(few, seed).infer(Method::laplace)), testing::Contains("The data are explained."))
        << "seed " << seed;
    const result::MethodRecord moved = Case(few, seed, std::pair(Index{14}, 8.0)).infer(Method::laplace);
    EXPECT_EQ(moved.leave_one_out.worst.front().sensor, 14) << "seed " << seed;
    named += std::ranges::any_of(headlines(moved),
                                 [](const auto& headline) { return headline.find("contradict") != std::string::npos; });
  }
  // Moved by 8 sigma, a sensor of leverage h shows 8 sqrt(1 - h) sds, give or take one, of which 3.6 are needed.
  EXPECT_GE(named, 2);
}

}  // namespace
}  // namespace varimesh::run
