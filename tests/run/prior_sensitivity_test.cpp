#include "varimesh/run/prior_sensitivity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "run/made_up_problem.h"
#include "variational/linear_problem.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/prior_alternatives.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

using Change = result::PriorAlternative::Change;
using Level = result::TrustItem::Level;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Index n = 12, sensors = 5;
constexpr double normal_95 = 1.6448536269514722;

std::shared_ptr<const inverse::GaussianProcess> process(inverse::KernelType type, double length, double sigma) {
  std::vector<Point> points;
  for (Index i = 0; i < n; ++i) points.emplace_back((i + 0.5) / n, 0, 0);
  return std::make_shared<inverse::GaussianProcess>(inverse::Kernel{type, sigma, {length, 1, 1}, 1}, points, 0.3, 1e-6);
}

/// The answer is the posterior itself, and there is one quantity, linear: the sum of the field.
struct Linear {
  std::shared_ptr<const inverse::GaussianProcess> prior = process(inverse::KernelType::matern32, 0.3, 1);
  test::LinearGaussian own = test::linear_gaussian(prior, test::smooth_rows(sensors, n, 3), 0.2);

  result::PriorSensitivity compare(const std::vector<NamedPrior>& others, int threads = 1,
                                   const result::FitObserver& observer = {}) const {
    const auto likelihood = std::make_shared<inverse::GaussianLikelihood>(
        std::make_shared<test::LinearModel>(own.a),
        inverse::observe_means(own.y, Vector::Ones(sensors), Vector::Constant(sensors, own.sigma)));
    variational::FitOptions options;
    options.family = variational::FamilyKind::full_covariance;
    options.optimizer = variational::Optimizer::laplace;
    const AnswerScale scale{own.covariance.diagonal().cwiseSqrt(), Vector::Constant(1, quantity_sd(own))};
    return compare_priors(
        likelihood, prior, others, [](const Matrix& kappa) { return Matrix(kappa.colwise().sum()); }, scale, options,
        threads, observer);
  }

  static double quantity_sd(const test::LinearGaussian& problem) { return std::sqrt(problem.covariance.sum()); }
};

NamedPrior named(Change change, const std::shared_ptr<const inverse::Prior>& prior) {
  return {change, "another", [prior] { return prior; }};
}

class OtherPrior : public testing::TestWithParam<std::tuple<inverse::KernelType, double, double>> {};
INSTANTIATE_TEST_SUITE_P(Changes, OtherPrior,
                         testing::Values(std::tuple(inverse::KernelType::matern12, 0.3, 1.0),
                                         std::tuple(inverse::KernelType::matern32, 0.15, 1.0),
                                         std::tuple(inverse::KernelType::matern32, 0.6, 1.0),
                                         std::tuple(inverse::KernelType::matern32, 0.3, 2.0)));

TEST_P(OtherPrior, ChangesALinearModelAsDenseAlgebraSays) {
  const Linear linear;
  const auto [kernel, length, sigma] = GetParam();
  const auto other = process(kernel, length, sigma);
  const test::LinearGaussian expected = test::linear_gaussian(other, linear.own.a, linear.own.y, linear.own.sigma);
  const result::PriorSensitivity found = linear.compare({named(Change::rougher, other)});
  ASSERT_EQ(found.alternatives.size(), 1U);
  const result::PriorAlternative& alternative = found.alternatives[0];
  ASSERT_TRUE(alternative.is_fitted()) << alternative.failure;

  EXPECT_NEAR(alternative.log_evidence, expected.log_evidence - linear.own.log_evidence, 1e-6);
  const Vector sd = linear.own.covariance.diagonal().cwiseSqrt(), other_sd = expected.covariance.diagonal().cwiseSqrt();
  const Vector shift = (expected.mean - linear.own.mean).cwiseQuotient(sd);
  EXPECT_NEAR(alternative.field_shift, shift.lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_NEAR(std::abs(shift[alternative.unknown]), shift.lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_LT((found.shift - shift).norm(), 1e-6);
  EXPECT_EQ(alternative.outside, (shift.array().abs() > normal_95).cast<double>().mean());
  EXPECT_NEAR(alternative.own_shift,
              (expected.mean - linear.own.mean).cwiseQuotient(other_sd).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_NEAR(std::log(alternative.sd_ratio), (other_sd.array() / sd.array()).log().mean(), 1e-6);

  // 100 antithetic draws know the mean of a linear quantity exactly, and its sd to 10 % or so.
  const double quantity_sd = Linear::quantity_sd(linear.own);
  EXPECT_NEAR(alternative.quantity_mean[0], expected.mean.sum(), 1e-6);
  EXPECT_NEAR(alternative.quantity_shift[0], (expected.mean - linear.own.mean).sum() / quantity_sd, 1e-6);
  EXPECT_NEAR(alternative.quantity_sd[0] / Linear::quantity_sd(expected), 1, 0.3);
  EXPECT_NEAR(found.quantity_mean[0], linear.own.mean.sum(), 1e-6);
}

TEST(PriorSensitivity, IntervalsHoldWhatDrawsOfTheOtherPosteriorSay) {
  const Linear linear;
  const auto other = process(inverse::KernelType::matern12, 0.1, 1.5);
  const test::LinearGaussian expected = test::linear_gaussian(other, linear.own.a, linear.own.y, linear.own.sigma);
  const double held = linear.compare({named(Change::rougher, other)}).alternatives[0].held;
  constexpr Index draws = 20'000;
  Random random(5);
  const Eigen::LLT<Matrix> root(expected.covariance);
  const Vector sd = linear.own.covariance.diagonal().cwiseSqrt();
  double inside = 0;
  for (Index s = 0; s < draws; ++s) {
    const Vector kappa = expected.mean + root.matrixL() * random.normal_vector(n);
    inside += ((kappa - linear.own.mean).cwiseQuotient(sd).array().abs() <= normal_95).cast<double>().mean();
  }
  // A share over draws has a standard error below 0.5 / sqrt(20000) = 0.0035.
  EXPECT_NEAR(held, inside / draws, 0.014);
}

TEST(PriorSensitivity, NothingChangesWithTheSamePrior) {
  const Linear linear;
  const result::PriorAlternative same = linear.compare({named(Change::shorter, linear.prior)}).alternatives[0];
  EXPECT_EQ(same.log_evidence, 0);
  EXPECT_EQ(same.field_shift, 0);
  EXPECT_EQ(same.outside, 0);
  EXPECT_EQ(same.sd_ratio, 1);
  EXPECT_EQ(same.quantity_shift[0], 0);
  EXPECT_NEAR(same.held, 0.9, 1e-6);
}

TEST(PriorSensitivity, DoesNotDependOnThreads) {
  const Linear linear;
  const std::vector<NamedPrior> others = {named(Change::rougher, process(inverse::KernelType::matern12, 0.3, 1)),
                                          named(Change::shorter, process(inverse::KernelType::matern32, 0.1, 1)),
                                          named(Change::wider, process(inverse::KernelType::matern32, 0.3, 2))};
  const result::PriorSensitivity one = linear.compare(others, 1), four = linear.compare(others, 4);
  EXPECT_EQ(one.shift, four.shift);
  EXPECT_EQ(one.shown, four.shown);
  for (std::size_t k = 0; k < others.size(); ++k) {
    EXPECT_EQ(one.alternatives[k].log_evidence, four.alternatives[k].log_evidence);
    EXPECT_EQ(one.alternatives[k].quantity_sd, four.alternatives[k].quantity_sd);
    EXPECT_EQ(one.alternatives[k].held, four.alternatives[k].held);
  }
}

TEST(PriorSensitivity, APriorThatMakesNoSenseIsLeftOutAlone) {
  const Linear linear;
  const NamedPrior broken{Change::longer, "broken", [] {
                            return process(inverse::KernelType::matern32, -1, 1);  // throws
                          }};
  const result::PriorSensitivity found =
      linear.compare({broken, named(Change::rougher, process(inverse::KernelType::matern12, 0.3, 1))});
  EXPECT_THAT(found.alternatives[0].failure, HasSubstr("length"));
  EXPECT_TRUE(found.alternatives[1].is_fitted());
  EXPECT_EQ(found.shown, 1);
}

TEST(PriorSensitivity, StopsWhenTheObserverSaysSo) {
  const Linear linear;
  const result::PriorSensitivity found =
      linear.compare({named(Change::shorter, linear.prior)}, 1, [](const result::TracePoint&) { return false; });
  EXPECT_FALSE(found.is_known());
  EXPECT_THAT(found.skipped, HasSubstr("interrupted"));
}

/// A problem with 64 sensors, on a square, of a field that is known.
struct Square : test::MadeUpProblem {
  Square(const std::string& prior, const std::function<double(const Point&)>& field, const std::string& method = "")
      : MadeUpProblem(head + prior + "\n[method]\n" + method, sensors(), 1, [&](const Problem& empty) {
          const std::vector<Point> places =
              fem::coefficient_positions(empty.equation.mesh, empty.equation.coefficients);
          Vector truth(empty.num_unknowns());
          for (std::size_t i = 0; i < places.size(); ++i) truth[static_cast<Eigen::Index>(i)] = field(places[i]);
          return truth;
        }) {}

  static std::string sensors() {
    std::string rows = "x,y\n";
    for (int i = 0; i < 64; ++i) rows += fmt::format("{},{}\n", (i % 8 + 0.5) / 8, (i / 8 + 0.5) / 8);
    return rows;
  }
  inline static const std::string head = R"toml(
[mesh]
kind = "rectangle"
cells = [12, 12]
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 1 }
[observations]
data = "data.csv"
sensors = "sensors.csv"
sigma = 0.002
[quantities]
log_flux = { log_flux = "left" }
[prior]
)toml";

  result::MethodRecord infer(int threads = 1) const {
    return run::infer(config, problem, *posterior, Method::laplace, {threads, {}, false, false});
  }
};

/// Ten times the conductivity in a disc.
double inclusion(const Point& x) { return std::hypot(x[0] - 0.6, x[1] - 0.45) < 0.15 ? std::log(10.0) : 0; }

std::vector<result::TrustItem> of_prior(const result::MethodRecord& record) {
  std::vector<result::TrustItem> found;
  for (const result::TrustItem& item : record.trust) {
    if (item.kind == result::TrustItem::Kind::prior) found.push_back(item);
  }
  return found;
}

TEST(PriorSensitivity, ASmoothPriorIsWarnedOfWhereThereIsAnInclusion) {
  const Square square("kind = \"gaussian_process\"\nkernel = \"squared_exponential\"\nlength_scale = 0.2", inclusion);
  const result::MethodRecord record = square.infer(), again = square.infer(3);
  const std::vector<result::TrustItem> found = of_prior(record);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].level, Level::warn);
  EXPECT_EQ(found[0].headline, "The field rests on the assumed smoothness.");
  EXPECT_THAT(found[0].explanation, HasSubstr("valid only if the field is as smooth as assumed"));
  EXPECT_THAT(found[0].explanation, HasSubstr("kernel matern12"));
  // The rougher kernel says so on its own, and where: at the inclusion or its rim.
  const auto rougher =
      std::ranges::find(record.prior_sensitivity.alternatives, "kernel matern12", &result::PriorAlternative::name);
  ASSERT_NE(rougher, record.prior_sensitivity.alternatives.end());
  EXPECT_GT(rougher->field_shift, 3);
  EXPECT_EQ(record.prior_sensitivity.shift, again.prior_sensitivity.shift);
}

TEST(PriorSensitivity, IsLookedAtOnlyIfWanted) {
  const std::string prior = "kind = \"gaussian_process\"\nlength_scale = 0.3";
  const result::MethodRecord off = Square(prior, inclusion, "sensitivity = false").infer();
  EXPECT_FALSE(off.prior_sensitivity.is_known());
  EXPECT_TRUE(of_prior(off).empty());
  const Square square(prior, inclusion);
  const result::MethodRecord also =
      run::infer(square.config, square.problem, *square.posterior, Method::laplace, {1, {}, false, false, false});
  EXPECT_TRUE(of_prior(also).empty());
}

TEST(PriorSensitivity, IsLeftOutWhereItWouldTakeLongUnlessAskedFor) {
  const test::ScratchDirectory directory;
  const Config config = parse_config(R"toml(
[mesh]
kind = "interval"
cells = 1800
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
)toml",
                                     directory.path() / "problem.toml");
  Problem problem = build_problem(config, Data::ignored);
  const Index count = problem.model->num_predictions();
  problem.observations = inverse::observe_means(Vector::Zero(count), Vector::Ones(count), Vector::Ones(count));
  result::MethodRecord record;
  record.kappa.mean = Vector::Zero(problem.num_unknowns());
  record.kappa.sd = Vector::Ones(problem.num_unknowns());
  const result::PriorSensitivity found = question_prior(config.method, ConfiguredProblem(config, problem),
                                                        build_posterior(config, problem), record, 1, {});
  EXPECT_FALSE(found.is_known());
  EXPECT_THAT(found.skipped, HasSubstr("method.sensitivity = true"));
}

std::vector<std::string> names(const std::string& prior) {
  const Square square(prior, inclusion);
  std::vector<std::string> list;
  for (const AlternativePrior& alternative : alternative_priors(square.config, square.problem))
    list.push_back(alternative.name);
  return list;
}

TEST(PriorAlternatives, AreHalfAndDoubleAndRougher) {
  EXPECT_THAT(names("kind = \"gaussian_process\"\nlength_scale = [0.2, 0.4]"),
              ElementsAre("kernel matern12", "half the length-scale (0.1 x 0.2)", "double the length-scale (0.4 x 0.8)",
                          "half the sd (0.5)", "double the sd (2)"));
  EXPECT_THAT(names("kind = \"gaussian_process\"\nkernel = \"squared_exponential\"\nlength_scale = 0.2"),
              testing::IsSupersetOf({"kernel matern32", "kernel matern12"}));
  EXPECT_THAT(names("kind = \"gaussian_process\"\nkernel = \"matern12\"\nlength_scale = 0.2"),
              testing::Contains("a quarter of the length-scale (0.05)"));
  EXPECT_THAT(names("kind = \"spde\"\nrange = 0.4\norder = 3"),
              ElementsAre("order 2", "half the range (0.2)", "double the range (0.8)", "half the sd (0.5)",
                          "double the sd (2)"));
  EXPECT_THAT(names("kind = \"spde\"\nrange = 0.4"), testing::Contains("a quarter of the range (0.1)"));
  EXPECT_THAT(names("kind = \"independent\""), ElementsAre("half the sd", "double the sd"));
}

/// What is said of one alternative.
std::vector<result::TrustItem> judged(const result::PriorAlternative& other) {
  result::ProblemRecord problem;
  problem.mesh = mesh::create_interval(4);
  problem.positions = problem.mesh.nodes;
  result::MethodRecord record;
  record.prior_sensitivity.alternatives = {other};
  judge_prior(problem, record);
  return record.trust;
}

TEST(TrustPrior, EvidenceDismissesNoRougherPriorWhoseErrorBarsExcludeTheAnswer) {
  result::PriorAlternative other;
  other.change = Change::rougher;
  other.field_shift = 5;
  other.own_shift = 2.5;
  other.log_evidence = -500;
  ASSERT_EQ(judged(other).size(), 1U);
  EXPECT_EQ(judged(other)[0].level, Level::warn);
  EXPECT_THAT(judged(other)[0].explanation, HasSubstr("cannot exclude a jump or an inclusion"));
  other.own_shift = 1;
  EXPECT_EQ(judged(other)[0].headline, "The data speak against other priors.");
  other.own_shift = 2.5;
  other.change = Change::longer;
  EXPECT_EQ(judged(other)[0].level, Level::good);
  other.log_evidence = -1;
  EXPECT_EQ(judged(other)[0].level, Level::warn);
  EXPECT_THAT(judged(other)[0].explanation, HasSubstr("do not tell the two apart"));
}

TEST(TrustPrior, SmallMovesAreNoReasonToWarn) {
  result::PriorAlternative other;
  other.field_shift = 1.5;
  other.outside = 0.02;
  EXPECT_EQ(judged(other)[0].level, Level::good);
  other.outside = 0.3;
  EXPECT_EQ(judged(other)[0].level, Level::warn);
}

TEST(TrustPrior, ErrorBarsThatADataSetCannotTellFromWiderOnesAreCalledConditional) {
  // Nothing moves, but a prior that the data allow as well would put a fifth of the field outside of the intervals.
  result::PriorAlternative other;
  other.change = Change::rougher;
  other.field_shift = 0.7;
  other.held = 0.78;
  EXPECT_EQ(judged(other)[0].level, Level::good);
  EXPECT_EQ(judged(other)[0].headline, "The error bars hold if the field is as smooth as assumed.");
  EXPECT_EQ(result::verdict(judged(other), {}),
            "The answer can be used, for the field, if the field is as smooth as assumed.");
  other.change = Change::wider;
  EXPECT_EQ(judged(other)[0].headline, "The error bars hold if the field varies no more than assumed.");
  other.held = 0.85;
  EXPECT_EQ(judged(other)[0].headline, "Other priors lead to much the same field.");
  other.held = 0.78;
  other.log_evidence = -4;
  EXPECT_EQ(judged(other)[0].headline, "Other priors lead to much the same field.");
}

TEST(TrustPrior, WhatWasLeftOutIsMentioned) {
  result::MethodRecord record;
  judge_prior({}, record);
  EXPECT_TRUE(record.trust.empty()) << "nobody asked";
  record.prior_sensitivity.skipped = "it would take long";
  judge_prior({}, record);
  EXPECT_THAT(record.trust.back().explanation, HasSubstr("it would take long"));
}

}  // namespace
}  // namespace varimesh::run
