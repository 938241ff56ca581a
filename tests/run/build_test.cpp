#include "varimesh/run/build.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "expect_input_error.h"
#include "varimesh/run/check.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/simulate.h"

namespace varimesh::run {
namespace {

const std::string square = R"([mesh]
kind = "rectangle"
cells = [6, 6]
[equation]
source = "1 + x"
[boundary]
left = { dirichlet = 0 }
top = { neumann = "x" }
[observations]
sensors = "nodes"
sigma = 0.01
replicates = 3
[prior]
kind = "gaussian_process"
length_scale = [0.3, 0.5]
[quantities]
outflow = { flux = "left" }
log_outflow = { log_flux = "left" }
log_inflow = { log_flux = "top" }
)";

Problem build(const std::string& text, Data data = Data::if_present) {
  return build_problem(parse_config(text, "problem.toml"), data);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(Build, MakesEverythingThatTheFileDescribes) {
  const Problem problem = build(square);
  EXPECT_EQ(problem.num_unknowns(), 72);
  EXPECT_EQ(problem.sensors->size(), 49);
  EXPECT_FALSE(problem.observations);
  const auto solution = problem.equation.problem->solve(Vector::Zero(72));
  // Source 3/2 and inflow 1/2 leave through the left side.
  EXPECT_NEAR(problem.quantities[0].value(solution), 2, 1e-12);
  EXPECT_NEAR(problem.quantities[1].value(solution), std::log(2), 1e-12);
  EXPECT_TRUE(std::isnan(problem.quantities[2].value(solution)));
  EXPECT_TRUE(check(problem, nullptr, 1).passed());
}

TEST(Build, LogarithmOfAFluxHasItsDerivative) {
  // With the top held as well, the flux through the left depends on kappa.
  const Problem problem =
      build(replaced(square, "top = { neumann = \"x\" }", "top = { dirichlet = \"x\" }\nright = { dirichlet = 1 }"));
  const fem::EllipticProblem& equation = *problem.equation.problem;
  const Vector kappa = 0.3 * Random(5).normal_vector(72);
  for (const Quantity& quantity : {problem.quantities[0], problem.quantities[1]}) {
    Vector gradient;
    EXPECT_EQ(quantity.value_and_gradient(equation.solve(kappa), gradient), quantity.value(equation.solve(kappa)));
    constexpr double h = 1e-5;
    Vector differences(72);
    for (Index c = 0; c < 72; ++c) {
      const Vector step = h * Vector::Unit(72, c);
      differences[c] =
          (quantity.value(equation.solve(kappa + step)) - quantity.value(equation.solve(kappa - step))) / (2 * h);
    }
    EXPECT_LT((gradient - differences).norm(), 1e-6 * differences.norm()) << quantity.name;
  }
}

TEST(Build, FaultsNameTheSetting) {
  EXPECT_INPUT_ERROR(build(replaced(square, "left = {", "lefft = {")),
                     "problem.toml:7: boundary.lefft: the mesh has no boundary 'lefft', expected one of 'left', "
                     "'right', 'bottom', 'top'; did you mean 'left'?");
  EXPECT_INPUT_ERROR(build(replaced(square, "flux = \"left\"", "flux = \"hole\"")),
                     "problem.toml:17: quantities.outflow: the mesh has no boundary 'hole', expected one of 'left', "
                     "'right', 'bottom', 'top'");
  EXPECT_INPUT_ERROR(build(replaced(square, "left = { dirichlet = 0 }\n", "")),
                     "problem.toml: no boundary has a Dirichlet value: a pure Neumann problem determines the solution "
                     "only up to a constant");
  EXPECT_INPUT_ERROR(build(replaced(square, "\"1 + x\"", "{ core = 1 }")),
                     "problem.toml:5: equation.source.core: the mesh has no region 'core': it has no named ones");
  EXPECT_INPUT_ERROR(
      build(replaced(square, "sensors = \"nodes\"", "data = \"nowhere.csv\""), Data::required),
      "problem.toml:10: observations.data: there is no file 'nowhere.csv': 'varimesh simulate' can make one");
}

TEST(Build, ExpressionsKnowTheMeshsDimension) {
  const std::string line =
      "[mesh]\nkind = \"interval\"\ncells = 3\n[equation]\nsource = \"y\"\n[boundary]\nleft = { dirichlet = 0 }\n";
  EXPECT_THAT(test::input_error([&] { build(line); }),
              testing::HasSubstr("problem.toml:5: equation.source: bad expression 'y'"));
}

TEST(Build, AMissingDataFileIsOnlyFineWithSensorsToFallBackOn) {
  const std::string with_both = replaced(square, "sensors = \"nodes\"", "sensors = \"nodes\"\ndata = \"nowhere.csv\"");
  EXPECT_EQ(build(with_both).sensors->size(), 49);
  EXPECT_INPUT_ERROR(
      build(replaced(square, "sensors = \"nodes\"", "data = \"nowhere.csv\"")),
      "problem.toml:10: observations.data: there is no file 'nowhere.csv': 'varimesh simulate' can make one");
  EXPECT_INPUT_ERROR(build(replaced(square, "sensors = \"nodes\"", "sensors = \"nowhere.csv\"")),
                     "problem.toml:10: observations.sensors: there is no file 'nowhere.csv'");
}

TEST(Build, AMissingMeshFileIsNamedWithItsKey) {
  EXPECT_INPUT_ERROR(build("[mesh]\nkind = \"gmsh\"\nfile = \"nowhere.msh\"\n"),
                     "problem.toml:3: mesh.file: there is no file 'nowhere.msh'");
}

TEST(Build, AnExpressionThatFailsWhenEvaluatedNamesItsPlaceOnce) {
  const std::string message = test::input_error([] { build(replaced(square, "\"1 + x\"", "\"1 / (x - x)\"")); });
  EXPECT_THAT(message, testing::StartsWith("problem.toml:5: equation.source: "));
  EXPECT_THAT(message.substr(1), testing::Not(testing::HasSubstr("problem.toml")));
}

TEST(Build, KappaIsANumberOrAFile) {
  EXPECT_EQ(read_kappa("0.5", 3), Vector::Constant(3, 0.5));
  EXPECT_EQ(read_kappa("-1e-3", 2), Vector::Constant(2, -1e-3));
  const auto file = std::filesystem::path(testing::TempDir()) / "kappa_test.csv";
  std::ofstream(file) << "theta\n1\n2\n";
  EXPECT_NEAR(read_kappa(file.string(), 2)[1], std::log(2), 1e-15);
  EXPECT_INPUT_ERROR(read_kappa(file.string(), 3), file.string() + ": expected 3 rows, one for each unknown, found 2");
  std::ofstream(file) << "theta\n1\n-2\n";
  EXPECT_INPUT_ERROR(read_kappa(file.string(), 2), file.string() + ":3: theta: expected a positive number, found -2");
  EXPECT_INPUT_ERROR(read_kappa("inf", 2), "kappa: expected a finite number, found inf");
  EXPECT_INPUT_ERROR(read_kappa("1,5", 2), "kappa: expected a number or a CSV file, found '1,5', which is neither");
  std::filesystem::remove(file);
}

TEST(Simulate, DependsOnTheSeedAloneAndHasTheStatedNoise) {
  const Config config = parse_config(replaced(square, "replicates = 3", "replicates = 400"), "problem.toml");
  const Problem problem = build_problem(config, Data::ignored);
  const Simulation a = simulate(config, problem, {7, {}, 0}), b = simulate(config, problem, {7, {}, 0});
  EXPECT_EQ(a.truth, b.truth);
  EXPECT_EQ(a.measurements, b.measurements);
  EXPECT_NE(a.truth, simulate(config, problem, {8, {}, 0}).truth);
  const Matrix noise = (a.measurements.rowwise() - a.noise_free.transpose()) / 0.01;
  // 49 x 400 standard normals: 5 standard errors
  EXPECT_NEAR(noise.mean(), 0, 5 / std::sqrt(49 * 400.0));
  EXPECT_NEAR(noise.array().square().mean(), 1, 5 * std::sqrt(2 / (49 * 400.0)));
}

TEST(Simulate, OnARefinedMeshApproachesTheSameReadings) {
  const Config config = parse_config(square, "problem.toml");
  const Problem problem = build_problem(config, Data::ignored);
  Random random(1);
  const Vector truth = build_prior(config, problem)->sample(random);
  std::vector<Vector> readings;
  for (int level = 0; level <= 3; ++level) readings.push_back(simulate(config, problem, {1, truth, level}).noise_free);
  // The differences between levels shrink: towards the exact solution for a piecewise constant coefficient.
  const double first = (readings[1] - readings[0]).norm(), last = (readings[3] - readings[2]).norm();
  EXPECT_GT(first, 1e-4);
  EXPECT_LT(last, first / 3);
}

TEST(Evaluate, SolvesWithoutMeasurementsAndFailsClearlyWithoutSolution) {
  const Problem problem = build(square);
  const Evaluation evaluation = evaluate(problem, Vector::Zero(72));
  EXPECT_FALSE(evaluation.log_likelihood);
  EXPECT_EQ(evaluation.prediction.size(), 49);
  EXPECT_NEAR(evaluation.quantities[0], 2, 1e-12);
  EXPECT_INPUT_ERROR(
      evaluate(problem, Vector::Constant(72, 1e4)),
      "the equation cannot be solved at this kappa: exp(kappa) overflows, underflows or varies too much");
}

TEST(Check, PassesOnManyUnknownsOnConstantPredictionsAndOnHighContrast) {
  const std::string fine = replaced(replaced(square, "cells = [6, 6]", "cells = [120, 120]"), "sensors = \"nodes\"",
                                    "sensors = \"sensor.csv\"");
  const auto directory = std::filesystem::path(testing::TempDir()) / "check_test";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "sensor.csv") << "x,y\n0.3,0.7\n";
  const auto passes = [&](const std::string& text, bool with_prior) {
    const Config config = parse_config(text, directory / "problem.toml");
    const Problem problem = build_problem(config, Data::if_present);
    return check(problem, with_prior ? build_prior(config, problem).get() : nullptr, 1).passed();
  };
  EXPECT_TRUE(passes(fine, false));
  // Without source, and one value all around, u does not depend on kappa.
  EXPECT_TRUE(passes(replaced(replaced(square, "\"1 + x\"", "0"), "neumann = \"x\"", "dirichlet = 0"), false));
  EXPECT_TRUE(passes(replaced(square, "length_scale = [0.3, 0.5]", "length_scale = 0.1\nsigma = 5"), true));
  std::filesystem::remove_all(directory);
}

TEST(Check, FindsAnUnsolvableProblem) {
  const Config config =
      parse_config(replaced(square, "length_scale = [0.3, 0.5]", "length_scale = 0.3\nsigma = 1000"), "p.toml");
  const Problem problem = build_problem(config, Data::if_present);
  const CheckReport report = check(problem, build_prior(config, problem).get(), 1);
  EXPECT_FALSE(report.solvable);
  EXPECT_FALSE(report.passed());
}

}  // namespace
}  // namespace varimesh::run
