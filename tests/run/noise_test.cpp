// The noise of problem files: sigma and observations.noise.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "expect_input_error.h"
#include "problems.h"
#include "scratch_directory.h"
#include "variational/linear_problem.h"
#include "varimesh/diagnostics/leave_one_out.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/linearized_sensors.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/simulate.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string head = R"toml(
[mesh]
kind = "interval"
cells = 8
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 1 }
[prior]
kind = "gaussian_process"
length_scale = 0.3
[observations]
data = "data.csv"
)toml";

/// A problem on a line with this noise, and made-up data at four points unless they are given.
struct Case {
  test::ScratchDirectory directory;
  Config config;
  Problem problem;

  explicit Case(const std::string& noise, const std::string& data = "", const std::string& covariance = "",
                const std::string& sensors = "x\n0.2\n0.3\n0.5\n0.8\n") {
    directory.write("gamma.csv", covariance);
    directory.write("sensors.csv", sensors);
    config = parse_config(head + "sensors = \"sensors.csv\"\n" + noise, directory.path() / "problem.toml");
    if (!data.empty()) {
      directory.write("data.csv", data);
    } else {
      const Problem empty = build_problem(config, Data::ignored);
      directory.write("data.csv", format_data(empty, simulate(config, empty, {3, std::nullopt, 0})));
    }
    problem = build_problem(config, Data::required);
  }
  std::string words() const { return record_problem(config, problem).words.noise; }
};

const std::string readings = "x,value\n0.2,2\n0.3,-4\n0.5,0.1\n0.8,1\n";

TEST(NoiseConfig, SigmaIsAShareOfTheReading) {
  const Case percent("sigma = \"5 %\"", readings);
  EXPECT_THAT(percent.problem.observations->sigma, ElementsAre(0.1, 0.2, 0.05 * 0.1, 0.05));
  EXPECT_EQ(percent.words(),
            "Independent and normal with standard deviation 5 % of the reading (0.005 to 0.2) for each measurement.");
  const Case floor("sigma = { relative = 0.05, floor = 0.08 }", readings);
  EXPECT_THAT(floor.problem.observations->sigma, ElementsAre(0.1, 0.2, 0.08, 0.08));
  EXPECT_THAT(floor.words(), HasSubstr("5 % of the reading, at least 0.08 (0.08 to 0.2)"));
  // A column of the data overrides the file.
  const Case column("sigma = \"5 %\"", "x,value,sigma\n0.2,2,0.3\n");
  EXPECT_THAT(column.problem.observations->sigma, ElementsAre(0.3));
  // Means of several readings.
  const Case means("sigma = \"50%\"", "x,value\n0.2,1\n0.2,3\n");
  EXPECT_THAT(means.problem.observations->sigma, ElementsAre(1));
  EXPECT_THAT(means.problem.observations->weight, ElementsAre(2));
}

TEST(NoiseConfig, CovariancesAreThoseOfTheFile) {
  const Case c("noise = { kind = \"covariance\", file = \"gamma.csv\" }", readings,
               "# by pairs\n4,1,0,0\n1,2,0,0\n\n0 0 1 0.5\n0;0;0.5;3\n");
  Matrix gamma(4, 4);
  gamma << 4, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0.5, 0, 0, 0.5, 3;
  const Vector g = (Vector(4) << 1, 0, 0, 1).finished(), y = (Vector(4) << 2, -4, 0.1, 1).finished();
  EXPECT_NEAR(log_likelihood(*c.problem.observations, g), test::normal_log_density(y, g, gamma), 1e-12);
  EXPECT_THAT(c.words(), HasSubstr("with the covariance matrix in gamma.csv: standard deviation 1 to 2"));
}

TEST(NoiseConfig, KernelsCorrelateSensorsByTheirDistance) {
  const Case c("sigma = 0.1\nnoise = { kind = \"correlated\", kernel = \"matern12\", sd = 0.5, length_scale = 0.2 }",
               readings);
  const Vector x = (Vector(4) << 0.2, 0.3, 0.5, 0.8).finished(), y = (Vector(4) << 2, -4, 0.1, 1).finished();
  const Matrix gamma = Matrix::NullaryExpr(4, 4, [&](Eigen::Index i, Eigen::Index j) {
    return 0.25 * std::exp(-std::abs(x[i] - x[j]) / 0.2) + (i == j ? 0.01 : 0);
  });
  EXPECT_NEAR(log_likelihood(*c.problem.observations, Vector::Zero(4)),
              test::normal_log_density(y, Vector::Zero(4), gamma), 1e-10);
  EXPECT_EQ(c.words(),
            "Normal: a part that is correlated in space, with matern12 kernel, standard deviation 0.5 and length-scale "
            "0.2, and an independent one with standard deviation 0.1; together 0.5099 for each measurement.");
}

TEST(NoiseConfig, StudentNoiseKeepsEveryMeasurement) {
  const Case c("sigma = 0.1\nnoise = { kind = \"student\", degrees_of_freedom = 3 }", "x,value\n0.2,1\n0.2,2\n0.5,3\n");
  const Vector g = (Vector(2) << 1.1, 2.9).finished();
  const auto log_density = [](double r) { return -2 * std::log(1 + r * r / 0.03); };
  EXPECT_NEAR(log_likelihood_without_constant(*c.problem.observations, g),
              log_density(0.1) + log_density(0.9) + log_density(0.1), 1e-12);
  EXPECT_EQ(c.words(),
            "Independent, with heavy tails: Student-t with 3 degrees of freedom and scale 0.1 for each measurement.");
}

TEST(NoiseConfig, FaultsNameTheKey) {
  const auto parse = [](const std::string& noise) { return parse_config(head + noise, "p.toml"); };
  EXPECT_INPUT_ERROR(
      parse("sigma = \"five\""),
      "p.toml:15: observations.sigma: expected a number or a percentage of the reading such as \"5 %\", found 'five'");
  EXPECT_INPUT_ERROR(parse("sigma = { relative = 5, flor = 1 }"),
                     "p.toml:15: observations.sigma.flor: unknown key; did you mean 'floor'?");
  EXPECT_INPUT_ERROR(
      parse("sigma = { relative = 50 }"),
      "p.toml:15: observations.sigma.relative: expected a share of the reading of at most 10, found 50: 5 "
      "% is 0.05");
  EXPECT_INPUT_ERROR(parse("noise = { kind = \"students\" }"),
                     "p.toml:15: observations.noise.kind: expected one of 'normal', 'covariance', 'correlated', "
                     "'student', found 'students'; did you mean 'student'?");
  EXPECT_INPUT_ERROR(parse("noise = { kind = \"student\", degrees_of_freedom = 0 }"),
                     "p.toml:15: observations.noise.degrees_of_freedom: expected a number from 1 to 1000, found 0");
  EXPECT_INPUT_ERROR(parse("sigma = 1\nnoise = { kind = \"covariance\", file = \"c.csv\" }"),
                     "p.toml:15: observations.sigma: allowed only without a covariance matrix, which has the variances "
                     "on its diagonal");
}

/// What comes after the directory's name.
template <class Action>
std::string fault(const Action& action) {
  const std::string text = test::input_error(action);
  const std::size_t place = text.find("problem.toml:"), other = text.find("gamma.csv:");
  return text.substr(std::min({place, other, text.size()}));
}

TEST(NoiseConfig, FaultsOfDataNameSensorOrLine) {
  const std::string noise = "noise = { kind = \"covariance\", file = \"gamma.csv\" }";
  const auto with = [&](const std::string& matrix) {
    return fault([&] { Case(noise, "x,value\n0.2,1\n0.5,3\n", matrix); });
  };
  EXPECT_THAT(with("1,0\n"), HasSubstr("gamma.csv: expected 2 rows, one for each sensor, found 1"));
  EXPECT_THAT(with("1,0,0\n0,1,0\n"),
              HasSubstr("gamma.csv:1: expected 2 rows of 2 numbers, one for each sensor, found 3 numbers"));
  EXPECT_THAT(with("1,0\n0,1\n0,1\n"),
              HasSubstr("gamma.csv:3: expected 2 rows of 2 numbers, one for each sensor, found another row"));
  EXPECT_THAT(with("1,0\nx,1\n"), HasSubstr("gamma.csv:2: expected a finite number, found 'x'"));
  EXPECT_THAT(with("1,0\n0.5,1\n"), HasSubstr("differ from their mirror images by 0.5"));
  EXPECT_EQ(test::input_error([&] { Case(noise, "x,value\n0.2,1\n0.5,3\n", "1,2\n2,1\n"); }),
            "expected a positive definite covariance matrix of the noise, found one that is not");
  EXPECT_EQ(test::input_error([] { Case("sigma = \"5 %\"", "x,value\n0.2,0\n"); }),
            "sensor 0: its reading is 0, and so would be its noise: expected a floor, as in sigma = { relative = 0.05, "
            "floor = 0.001 }");
  EXPECT_THAT(test::input_error([] { Case("sigma = 1\nnoise = { kind = \"student\" }", "x,value,count\n0.2,1,3\n"); }),
              HasSubstr("Student-t noise needs every measurement"));
}

TEST(NoiseSimulation, DrawsHaveTheStatedCovariance) {
  constexpr Index replicates = 20'000;
  const Case c(
      "sigma = \"10 %\"\nnoise = { kind = \"correlated\", kernel = \"matern12\", sd = 0.5, length_scale = 0.2 }",
      readings);
  const Vector x = (Vector(4) << 0.2, 0.3, 0.5, 0.8).finished(), reading = (Vector(4) << 2, -4, 0.1, 1).finished();
  Random random(5);
  const Matrix errors = sample_errors(*c.problem.noise, reading, replicates, random);
  const Matrix found = errors.transpose() * errors / replicates;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const auto gamma = [&](Index a, Index b) {
        return 0.25 * std::exp(-std::abs(x[a] - x[b]) / 0.2) + (a == b ? std::pow(0.1 * reading[a], 2) : 0);
      };
      const double variance = (gamma(i, i) * gamma(j, j) + std::pow(gamma(i, j), 2)) / replicates;
      EXPECT_NEAR(found(i, j), gamma(i, j), 4 * std::sqrt(variance));
    }
  }
}

TEST(NoiseSimulation, StudentDrawsHaveTheQuantilesOfTheirDistribution) {
  Random random(6);
  const NoiseModel noise{Vector::Constant(1, 0.2), 0, {}, 2};
  const Matrix errors = sample_errors(noise, Vector::Constant(1, 7), 20'000, random);
  // P(|t| > c) = 1 - c / sqrt(2 + c^2) for two degrees of freedom
  for (const double c : {0.5, 2.0, 10.0}) {
    const double p = 1 - c / std::sqrt(2 + c * c), found = (errors.array().abs() > 0.2 * c).cast<double>().mean();
    EXPECT_NEAR(found, p, 4 * std::sqrt(p * (1 - p) / 20'000)) << c;
  }
}

TEST(NoiseLeaveOneOut, CorrelatedSensorsArePredictedByTheOthersAsInClosedForm) {
  constexpr Index sensors = 6, unknowns = 4;
  const Matrix a = test::smooth_rows(sensors, unknowns, 4);
  const Matrix gamma = Matrix::NullaryExpr(sensors, sensors, [](Eigen::Index i, Eigen::Index j) {
    return 0.3 * std::exp(-0.5 * std::abs(static_cast<double>(i - j))) + (i == j ? 0.1 : 0.0);
  });
  const Vector y = Random(3).normal_vector(sensors);
  const inverse::Observations data = inverse::observe_correlated(y, Vector::Ones(sensors), gamma);
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(std::make_shared<test::LinearModel>(a), data),
      std::make_shared<inverse::IndependentPrior>(Vector::Zero(unknowns), Vector::Ones(unknowns)));
  const auto linearized = linearize_sensors(posterior, Vector::Zero(unknowns), 1);
  ASSERT_TRUE(linearized);
  const result::LeaveOneOut found = diagnostics::leave_each_out_linearly(
      y, linearized->predicted, data.noise->standard_error(), linearized->leverage);
  const Matrix all = a * a.transpose() + gamma;  // of y before measuring
  for (Index i = 0; i < sensors; ++i) {
    std::vector<Index> rest;
    for (Index j = 0; j < sensors; ++j)
      if (j != i) rest.push_back(j);
    const Matrix inverse = all(rest, rest).inverse();
    const Vector weights = inverse * all(rest, std::vector<Index>{i});
    const double mean = weights.dot(y(rest)),
                 variance = all(i, i) - weights.dot(all(rest, std::vector<Index>{i}).col(0));
    EXPECT_NEAR(found.mean[i], mean, 1e-6);  // the search for the mode ends a thousandth of a nat from it, or nearer
    EXPECT_NEAR(found.residual[i], (y[i] - mean) / std::sqrt(variance), 1e-6);
    EXPECT_NEAR(found.elpd[i],
                test::normal_log_density(y, Vector::Zero(sensors), all) -
                    test::normal_log_density(y(rest), Vector::Zero(sensors - 1), all(rest, rest)),
                1e-6);
    // Without it the field is another one: the gain says by how much.
    const auto field = [&](const std::vector<Index>& used) {
      return Vector(a(used, Eigen::all).transpose() * all(used, used).inverse() * y(used));
    };
    std::vector<Index> every = rest;
    every.push_back(i);
    const Vector shift = -linearized->gain.col(i) * (y[i] - found.mean[i]);
    EXPECT_LT((field(rest) - field(every) - shift).norm(), 1e-6);
    EXPECT_NEAR(linearized->slope.col(i).dot(linearized->gain.col(i)), linearized->leverage[i], 1e-10);
  }
}

/// Readings at 19 points, the one in the middle wrong by 8 sigma.
std::string with_outlier() {
  std::string sensors = "x\n";
  for (int i = 1; i < 20; ++i) sensors += fmt::format("{}\n", 0.05 * i);
  const Case made("sigma = 0.01", "", "", sensors);
  const Problem empty = build_problem(made.config, Data::ignored);
  Simulation data = simulate(made.config, empty, {4, Vector::Constant(8, 0.3), 0});
  data.measurements(0, 9) += 0.08;
  return format_data(empty, data);
}

TEST(NoiseInference, StudentNoiseAcceptsAnOutlierThatNormalNoiseReports) {
  const std::string data = with_outlier();
  const std::string student = "sigma = 0.01\nnoise = { kind = \"student\" }\n[method.chains]\ndraws = 500\n";
  const auto infer_from = [&](const std::string& noise, Method method) {
    const Case c(noise, data);
    const inverse::Posterior posterior = build_posterior(c.config, c.problem);
    return infer(c.config, c.problem, posterior, method, {1, {}, false, false, false});
  };
  const auto advice = [](const result::MethodRecord& record) {
    std::string text;
    for (const result::TrustItem& item : record.trust) text += item.headline + " " + item.action + "\n";
    return text;
  };
  const result::MethodRecord reported = infer_from("sigma = 0.01", Method::fcvb);
  EXPECT_THAT(advice(reported), HasSubstr("noise = { kind = \"student\" }"));
  const result::MethodRecord accepted = infer_from(student, Method::nuts);
  EXPECT_THAT(advice(accepted), testing::Not(HasSubstr("contradict")));
  EXPECT_TRUE(accepted.leave_one_out.is_known());
  // The field is what it would be without the reading.
  const std::size_t place = data.find("\n0.5,") + 1;
  const std::string without = data.substr(0, place) + data.substr(data.find('\n', place) + 1);
  const Case rest(student, without);
  const result::MethodRecord alone = infer(rest.config, rest.problem, build_posterior(rest.config, rest.problem),
                                           Method::nuts, {1, {}, false, false, false});
  EXPECT_LT((accepted.kappa.mean - alone.kappa.mean).cwiseQuotient(alone.kappa.sd).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_GT((reported.kappa.mean - alone.kappa.mean).cwiseQuotient(alone.kappa.sd).cwiseAbs().maxCoeff(), 1);
}

}  // namespace
}  // namespace varimesh::run
