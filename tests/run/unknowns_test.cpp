// Unknown scalars of problem files, besides the coefficient.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/run/check.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/simulate.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A rod whose conductivity is known to a millionth: u = q x (1 - x) / 2 + a (1 - x), at nodes exactly.
const std::string rod = R"([mesh]
kind = "interval"
cells = 8
[equation]
source = "q"
[boundary]
left = { dirichlet = "a" }
right = { dirichlet = 0 }
[coefficient]
per = "block"
blocks = [1]
[observations]
data = "data.csv"
sigma = 0.02
[prior]
kind = "independent"
sigma = 1e-6
[unknowns]
q = { prior = { kind = "normal", mean = 1, sigma = 2 }, unit = "W" }
a = { prior = { kind = "normal", mean = 0, sigma = 0.5 } }
[method]
draws = 4000
[method.chains]
chains = 2
draws = 2000
)";

/// Every place that an unknown can stand in, alone, in products and in nonlinear expressions; unknowns are marked.
const std::string plate_text = R"toml([mesh]
kind = "rectangle"
cells = [5, 4]
[equation]
source = "@q * exp(-((x - 0.3)^2 + (y - 0.6)^2) / @w)"
reaction = "0.1 + @q * @w"
[sources]
well = { point = [0.7, 0.3], total = @well }
rain = { total = @rain }
dew = { density = "@w^2 * x" }
[boundary]
left = { dirichlet = "@a * y" }
top = { neumann = "@a + @q * x" }
right = { robin = { coefficient = "@h * (1 + y)", ambient = "@a + 1" } }
[observations]
sensors = "sensors.csv"
sigma = 0.01
[quantities]
out_left = { flux = "left" }
out_right = { flux = "right" }
out_top = { flux = "top" }
[prior]
kind = "gaussian_process"
length_scale = 0.4
sigma = 0.5
[truth]
kappa = 0.2
)toml";

/// The text with something else for every mark.
std::string mark(std::string text, const std::vector<std::pair<std::string, std::string>>& marks) {
  for (const auto& [from, to] : marks) {
    for (auto p = text.find(from); p != std::string::npos; p = text.find(from)) text.replace(p, from.size(), to);
  }
  return text;
}

const std::string plate = mark(plate_text, {{"@well", "\"3 * @a\""}, {"@rain", "\"@q - 2 * @a\""}, {"@", ""}}) + R"(
q = 2.5
w = 0.3
a = 0.7
h = 1.4
[unknowns]
q = { prior = { kind = "log_normal", median = 2, sigma = 0.3 } }
w = { prior = { kind = "uniform", from = 0.1, to = 0.4 } }
a = { prior = { kind = "normal", mean = 1, sigma = 0.5 } }
h = { prior = { kind = "log_normal", median = 1.5, sigma = 0.2 } }
)";
const std::string known_plate =
    mark(plate_text, {{"@well", "2.1"}, {"@rain", "1.1"}, {"@q", "2.5"}, {"@w", "0.3"}, {"@a", "0.7"}, {"@h", "1.4"}});

class Unknowns : public testing::Test {
 protected:
  Unknowns() { directory_.write("sensors.csv", "x,y\n0.3,0.4\n0.8,0.7\n0.55,0.1\n"); }

  Config config(const std::string& text) const { return parse_config(text, directory_.path() / "problem.toml"); }
  std::string file() const { return (directory_.path() / "problem.toml").string(); }

  test::ScratchDirectory directory_;
};

Vector at(const std::vector<double>& values) { return Eigen::Map<const Vector>(values.data(), std::ssize(values)); }

TEST_F(Unknowns, GiveTheAnswersOfTheirValuesWrittenIn) {
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  ASSERT_EQ(problem.num_unknowns(), 40 + 4);
  const Evaluation found = evaluate(problem, complete(given, problem, Vector::Constant(40, 0.2)));

  const Config without = config(known_plate);
  const Evaluation expected = evaluate(build_problem(without, Data::if_present), Vector::Constant(40, 0.2));
  EXPECT_LT((found.u - expected.u).norm(), 1e-13 * expected.u.norm());
  EXPECT_LT((found.prediction - expected.prediction).norm(), 1e-13);
  for (std::size_t k = 0; k < expected.quantities.size(); ++k)
    EXPECT_NEAR(found.quantities[k], expected.quantities[k], 1e-12);
  EXPECT_THAT(std::vector(found.quantities.begin() + 3, found.quantities.end()),
              testing::Pointwise(testing::DoubleNear(1e-13), {2.5, 0.3, 0.7, 1.4}));
}

TEST_F(Unknowns, PassTheContractsOfModelAndLikelihood) {
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  const CheckReport report = check(problem, build_prior(given, problem).get(), 1);
  EXPECT_TRUE(report.passed());
  EXPECT_LT(report.flux_balance_error, 1e-12);
  ASSERT_TRUE(report.model);
  EXPECT_TRUE(report.model->holds(1e-6)) << report.model->derivative_error;
}

TEST_F(Unknowns, HaveQuantitiesWhoseGradientsAreThoseOfDifferences) {
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  Random random(3);
  const Vector x = build_prior(given, problem)->sample(random),
               direction = random.normal_vector(problem.num_unknowns());
  for (const Quantity& quantity : problem.quantities) {
    const auto value = [&](double t) { return quantity.value(problem.equation.problem->solve(x + t * direction)); };
    Vector gradient;
    quantity.value_and_gradient(problem.equation.problem->solve(x), gradient);
    constexpr double h = 1e-5;
    EXPECT_NEAR(gradient.dot(direction), (value(h) - value(-h)) / (2 * h), 1e-6 * (1 + gradient.norm()))
        << quantity.name;
  }
}

TEST_F(Unknowns, OnARefinedMeshAreTheSame) {
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  const Equation fine = build_refined_equation(given, problem.equation, 1);
  EXPECT_EQ(fine.problem->num_unknowns(), problem.num_unknowns());
  const Vector x = complete(given, problem, Vector::Constant(40, 0.2));
  const double coarse_flux = problem.quantities[0].value(problem.equation.problem->solve(x));
  // First order in the mesh size at corners; the terms themselves agree to a few per cent.
  EXPECT_NEAR(build_quantities(given, fine)[0].value(fine.problem->solve(x)), coarse_flux, 0.1 * std::abs(coarse_flux));
}

class LinearRod : public Unknowns, public testing::WithParamInterface<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, LinearRod,
                         testing::Values(Method::pmvb, Method::fcvb, Method::low_rank, Method::laplace, Method::nuts),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST_P(LinearRod, HasThePosteriorOfLinearRegression) {
  const std::vector<double> x{0.125, 0.25, 0.5, 0.75, 0.875}, y{0.62, 0.55, 0.49, 0.26, 0.15};
  std::string rows = "x,value\n";
  Matrix design(5, 2);
  for (Index s = 0; s < 5; ++s) {
    rows += fmt::format("{},{}\n", x[s], y[s]);
    design.row(s) << x[s] * (1 - x[s]) / 2, 1 - x[s];
  }
  directory_.write("data.csv", rows);
  // Precision D'D / sigma^2 + diag(1 / 4, 4), mean its inverse times D'y / sigma^2 + (1/4, 0)
  Matrix precision = design.transpose() * design / 4e-4;
  precision.diagonal() += Vector{{0.25, 4}};
  const Matrix covariance = precision.inverse();
  const Vector mean = covariance * (design.transpose() * at(y) / 4e-4 + Vector{{0.25, 0}});

  const Config given = config(rod);
  const Problem problem = build_problem(given, Data::required);
  const inverse::Posterior posterior = build_posterior(given, problem);
  const result::MethodRecord record = infer(given, problem, posterior, GetParam(), {1, {}, false});
  ASSERT_TRUE(record.has_answer()) << record.message;
  ASSERT_EQ(record.kappa.mean.size(), 3);
  // The stopping rule of fits, 0.01 nats, allows a mean 0.14 sds off, and an sd of 10 %; chains have 4,000 draws.
  for (Index k = 0; k < 2; ++k) {
    const double sd = std::sqrt(covariance(k, k));
    EXPECT_NEAR(record.kappa.mean[1 + k], mean[k], 0.14 * sd);
    EXPECT_NEAR(record.kappa.sd[1 + k], sd, 0.1 * sd);
    EXPECT_NEAR(record.quantities[static_cast<std::size_t>(k)].mean, mean[k], 0.2 * sd);  // of draws
    EXPECT_NEAR(record.quantities[static_cast<std::size_t>(k)].sd, sd, 0.15 * sd);
  }
}

TEST_F(Unknowns, AreReadBackFromResults) {
  const Config made = config(plate);
  const Problem empty = build_problem(made, Data::ignored);
  const Simulation simulation = simulate(made, empty, {1, complete(made, empty, Vector::Constant(40, 0.2)), 0});
  directory_.write("data.csv", format_data(empty, simulation));
  std::string text = plate;
  text.replace(text.find("sensors ="), 9, "data = \"data.csv\"\nsensors =");
  const Config given = config(text);
  const Problem problem = build_problem(given, Data::required);
  const inverse::Posterior posterior = build_posterior(given, problem);
  const result::ProblemRecord record = record_problem(given, problem);
  EXPECT_THAT(record.words.prior, HasSubstr(" q: log-normal with median 2 and sd 0.3 of the logarithm. w: uniform from "
                                            "0.1 to 0.4. a: normal with mean 1 and sd 0.5."));
  const result::MethodRecord answer = infer(given, problem, posterior, Method::fcvb, {1, {}, false});
  ASSERT_TRUE(answer.has_answer()) << answer.message;
  write_result(directory_.path() / "result", record, answer);
  const std::optional<StoredResult> stored = find_result(directory_.path() / "result");
  ASSERT_TRUE(stored);
  ASSERT_EQ(stored->problem.scalars.size(), 4U);
  EXPECT_EQ(stored->problem.scalars[1].name, "w");
  EXPECT_EQ(stored->problem.scalars[1].prior.transform, given.unknowns[1].prior.transform);
  EXPECT_EQ(stored->method.kappa.mean, answer.kappa.mean);
  EXPECT_EQ(stored->method.draws.chain(0).col(7), answer.draws.chain(0).col(7));
  EXPECT_EQ(stored->method.prior_draws, answer.prior_draws);
  EXPECT_EQ(stored->problem.truth->kappa, record.truth->kappa);
  EXPECT_EQ(stored->method.components.front()->mean(), answer.components.front()->mean());
}

TEST_F(Unknowns, UnderMixturesHaveTheProductOfAllPriors) {
  std::string text = plate;
  const std::string normal = "{ kind = \"normal\", mean = 1, sigma = 0.5 }";
  text.replace(text.find(normal), normal.size(),
               "{ kind = \"mixture\", components = [{ mean = 1, sigma = 0.5 }, { weight = 3, mean = 4, sigma = 2 }] }");
  const Config given = config(text);
  const Problem problem = build_problem(given, Data::if_present);
  const auto prior = build_prior(given, problem);
  const auto* mixture = dynamic_cast<const inverse::GaussianMixturePrior*>(prior.get());
  ASSERT_NE(mixture, nullptr);
  EXPECT_THAT(std::vector<double>(mixture->weights().begin(), mixture->weights().end()), ElementsAre(0.25, 0.75));
  const auto density = [](double x, double mean, double sigma) {
    return std::exp(-0.5 * std::pow((x - mean) / sigma, 2)) / sigma;
  };
  // The variable of a moves, all else stays: the ratio of densities is that of its own mixture.
  Vector x = complete(given, problem, Vector::Constant(40, 0.2)), other = x;
  other[42] = 3.3;
  const auto own = [&](double a) { return 0.25 * density(a, 1, 0.5) + 0.75 * density(a, 4, 2); };
  EXPECT_NEAR(prior->log_density(other) - prior->log_density(x), std::log(own(3.3) / own(x[42])), 1e-10);
}

TEST_F(Unknowns, ThatMakeNoSenseAreNamed) {
  const auto with = [&](const std::string& what, const std::string& text) {
    std::string changed = rod;
    changed.replace(changed.find(what), what.size(), text);
    return changed;
  };
  EXPECT_INPUT_ERROR(config(with("\"q\"", "\"qq\"")),
                     file() +
                         ":5: equation.source: bad expression 'qq': unknown name 'qq' at character 1; did you "
                         "mean 'q'?");
  EXPECT_INPUT_ERROR(config(with("a = {", "x = {")),
                     file() + ":20: unknowns.x: the name has a meaning of its own: expected another one");
  EXPECT_INPUT_ERROR(config(with("q = {", "sin = {")),
                     file() + ":19: unknowns.sin: the name has a meaning of its own: expected another one");
  EXPECT_INPUT_ERROR(config(with("kind = \"normal\", mean = 1, sigma = 2", "kind = \"uniform\", from = 2, to = 1")),
                     file() + ":19: unknowns.q.prior.to: expected more than 2, found 1");
}

}  // namespace
}  // namespace varimesh::run
