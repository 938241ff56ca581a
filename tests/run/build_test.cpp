#include "varimesh/run/build.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "expect_input_error.h"
#include "scratch_directory.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/run/check.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/record_problem.h"
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

TEST(RecordProblem, HasTheFingerprintOfTheBytesThatTheProblemIsMadeOf) {
  const test::ScratchDirectory directory;
  directory.write("mean.csv", "kappa\n0\n1\n2\n3\n");
  const std::string text =
      "[mesh]\nkind = \"interval\"\ncells = 4\n[boundary]\nleft = { dirichlet = 0 }\n[observations]\ndata = "
      "\"data.csv\"\nsigma = 0.1\n[prior]\nkind = \"independent\"\nmean = \"mean.csv\"\n";
  const auto parse = [&] { return parse_config(text, directory.path() / "problem.toml"); };
  const auto fingerprint = [&](const Config& config) {
    return record_problem(config, build_problem(config, Data::required)).fingerprint;
  };
  directory.write("data.csv", "x,value\n0.5,0.1\n");
  const std::string first = fingerprint(parse());
  EXPECT_EQ(fingerprint(parse()), first);
  // Files that are replaced between any two steps: what was read is what is used and what is named.
  const Config config = parse();
  const Problem problem = build_problem(config, Data::required);
  directory.write("data.csv", "x,value\n0.5,0.2\n");
  EXPECT_EQ(record_problem(config, problem).fingerprint, first);
  directory.write("mean.csv", "kappa\n9\n9\n9\n9\n");
  EXPECT_EQ(record_problem(config, problem).fingerprint, first);
  EXPECT_EQ(build_problem(config, Data::required).observations->mean[0], 0.1);
  EXPECT_EQ(dynamic_cast<const inverse::IndependentPrior&>(*build_prior(config, problem)).gaussian().mean(),
            Vector::LinSpaced(4, 0, 3));
  // The mean is read before the fingerprint or after it, never in two states.
  const std::string second = fingerprint(parse());
  EXPECT_NE(second, first);
  directory.write("data.csv", "x,value\n0.5,0.1\n");
  directory.write("mean.csv", "kappa\n0\n1\n2\n3\n");
  EXPECT_EQ(fingerprint(parse()), first);
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
                     "problem.toml: no boundary has a Dirichlet value or a Robin condition, and there is no reaction: "
                     "a pure Neumann problem determines the solution only up to a constant");
  EXPECT_INPUT_ERROR(build(replaced(square, "\"1 + x\"", "{ core = 1 }")),
                     "problem.toml:5: equation.source.core: the mesh has no region 'core': it has no named ones (in "
                     "Gmsh, physical groups)");
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

std::shared_ptr<const inverse::Prior> prior_of(const std::string& text, const std::filesystem::path& file) {
  const Config config = parse_config(text, file);
  return build_prior(config, build_problem(config, Data::ignored));
}

/// Four cells and this prior.
std::string line_with_prior(const std::string& prior) {
  return "[mesh]\nkind = \"interval\"\ncells = 4\n[boundary]\nleft = { dirichlet = 0 }\n[prior]\n" + prior;
}

TEST(BuildPrior, TakesAMeanAndASigmaForEachUnknown) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "prior_test";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "prior.csv") << "theta,sigma\n1,1\n2,0.5\n1,2\n4,1\n";
  const auto file = directory / "problem.toml";
  const Vector kappa = Random(1).normal_vector(4);
  const Vector mean = Eigen::Vector4d(0, std::log(2), 0, std::log(4)), sigma = Eigen::Vector4d(1, 0.5, 2, 1);
  const double expected = inverse::IndependentPrior(mean, sigma).log_density(kappa);
  const std::string kind = "kind = \"independent\"\n";
  const auto from_file = prior_of(line_with_prior(kind + "mean = \"prior.csv\"\nsigma = \"prior.csv\""), file);
  EXPECT_NEAR(from_file->log_density(kappa), expected, 1e-14);
  const auto from_list = prior_of(line_with_prior(kind + "mean = \"prior.csv\"\nsigma = [1, 0.5, 2, 1]"), file);
  EXPECT_NEAR(from_list->log_density(kappa), expected, 1e-14);

  EXPECT_INPUT_ERROR(prior_of(line_with_prior(kind + "mean = [1, 2]"), "p.toml"),
                     "p.toml:8: prior.mean: expected 4 entries, one for each unknown, found 2");
  EXPECT_INPUT_ERROR(prior_of(line_with_prior(kind + "sigma = \"nowhere.csv\""), "p.toml"),
                     "p.toml:8: prior.sigma: there is no file 'nowhere.csv'");
  std::ofstream(directory / "bad.csv") << "sigma\n1\n2\n-1\n1\n";
  EXPECT_INPUT_ERROR(prior_of(line_with_prior(kind + "sigma = \"bad.csv\""), file),
                     (directory / "bad.csv").string() + ":4: sigma: expected a positive number, found -1");
  EXPECT_INPUT_ERROR(prior_of(line_with_prior(kind + "mean = \"bad.csv\""), file),
                     (directory / "bad.csv").string() + ": expected a column 'kappa', found 'sigma'");
  std::filesystem::remove_all(directory);
}

TEST(BuildPrior, TakesAMixture) {
  const auto prior =
      prior_of(line_with_prior("kind = \"mixture\"\ncomponents = [{ weight = 1, mean = -1, sigma = 0.5 },"
                               "{ weight = 3, mean = [1, 2, 3, 4], sigma = [1, 1, 2, 2] }]"),
               "p.toml");
  const inverse::IndependentPrior first(Vector::Constant(4, -1), Vector::Constant(4, 0.5)),
      second(Eigen::Vector4d(1, 2, 3, 4), Eigen::Vector4d(1, 1, 2, 2));
  const Vector kappa = Random(2).normal_vector(4);
  EXPECT_NEAR(prior->log_density(kappa),
              std::log(0.25 * std::exp(first.log_density(kappa)) + 0.75 * std::exp(second.log_density(kappa))), 1e-13);
  EXPECT_INPUT_ERROR(prior_of(line_with_prior("kind = \"mixture\"\ncomponents = [{ sigma = [1] }]"), "p.toml"),
                     "p.toml:8: prior.components[0].sigma: expected 4 entries, one for each unknown, found 1");
}

TEST(BuildPrior, TakesAFieldOnTheCells) {
  const std::string spde = replaced(square, "kind = \"gaussian_process\"\nlength_scale = [0.3, 0.5]",
                                    "kind = \"spde\"\nrange = 0.4\nsigma = 0.7\nmean = 2");
  const auto prior = prior_of(spde, "p.toml");
  const inverse::SpdePrior expected(mesh::create_rectangle(mesh::CellType::triangle, {6, 6}), {0.7, 0.4, 2, 2});
  const Vector kappa = Random(3).normal_vector(72);
  EXPECT_EQ(prior->log_density(kappa), expected.log_density(kappa));
  EXPECT_INPUT_ERROR(
      prior_of(replaced(spde, "[prior]", "[coefficient]\nper = \"block\"\nblocks = [2, 2]\n[prior]"), "p.toml"),
      "p.toml:16: prior: kind = \"spde\" is a field on cells or nodes: it takes per = \"cell\" or \"node\" in "
      "[coefficient], not blocks or regions");
  EXPECT_INPUT_ERROR(prior_of(replaced(spde, "mean = 2", "order = 1"), "p.toml"),
                     "p.toml:13: prior: expected an order from 2 to 4, so that nu = order - 2/2 is positive, found 1");
}

const std::string on_nodes = "[coefficient]\nper = \"node\"\n";

TEST(BuildPrior, TakesAFieldOnTheNodes) {
  // The process at the nodes, with the kernel that a file gets which names none.
  const auto prior = prior_of(on_nodes + square, "p.toml");
  const auto nodes = mesh::create_rectangle(mesh::CellType::triangle, {6, 6}).nodes;
  const inverse::GaussianProcess expected({inverse::KernelType::matern32, 1, {0.3, 0.5, 0.5}, 1}, nodes, 0, 1e-6);
  const Vector kappa = 0.1 * Random(3).normal_vector(49);
  EXPECT_EQ(prior->log_density(kappa), expected.log_density(kappa));
  // A normal distribution for each.
  const std::string independent = on_nodes + line_with_prior("kind = \"independent\"\nmean = [1, 2, 3, 4, 5]");
  EXPECT_EQ(prior_of(independent, "p.toml")->size(), 5);
  EXPECT_INPUT_ERROR(prior_of(on_nodes + line_with_prior("kind = \"independent\"\nmean = [1, 2, 3, 4]"), "p.toml"),
                     "p.toml:10: prior.mean: expected 5 entries, one for each unknown, found 4");
  // A Matern field.
  const inverse::SpdePrior field(mesh::create_interval(4), {.range = 0.4, .support = inverse::FieldSupport::nodes});
  const Vector at_nodes = Random(4).normal_vector(5);
  EXPECT_EQ(prior_of(on_nodes + line_with_prior("kind = \"spde\"\nrange = 0.4"), "p.toml")->log_density(at_nodes),
            field.log_density(at_nodes));
}

TEST(BuildPrior, TakesAFieldWithAnisotropy) {
  const auto spde = [](const std::string& keys) {
    return replaced(square, "kind = \"gaussian_process\"\nlength_scale = [0.3, 0.5]",
                    "kind = \"spde\"\nrange = 0.4\n" + keys);
  };
  const auto prior = prior_of(spde("anisotropy = { ratio = 3, angle = 60 }"), "p.toml");
  const inverse::SpdePrior expected(mesh::create_rectangle(mesh::CellType::triangle, {6, 6}),
                                    {.range = 0.4, .anisotropy = {{.ratio = 3, .angle = 60}}});
  const Vector kappa = Random(3).normal_vector(72);
  EXPECT_EQ(prior->log_density(kappa), expected.log_density(kappa));
  EXPECT_INPUT_ERROR(
      prior_of(spde("anisotropy = { ratio = 3 }"), "p.toml"),
      "p.toml:16: prior.anisotropy: expected the angle of the long axis to the x axis, in degrees, found none");
  EXPECT_INPUT_ERROR(
      prior_of(spde("anisotropy = { ratio = 3, direction = [1, 0, 0] }"), "p.toml"),
      "p.toml:16: prior.anisotropy: expected an angle on a plane mesh, found a direction, which is for space");
  EXPECT_INPUT_ERROR(prior_of(spde("anisotropy.sand = { ratio = 3, angle = 0 }"), "p.toml"),
                     "p.toml:16: prior.anisotropy.sand: the mesh has no region 'sand': it has no named ones (in Gmsh, "
                     "physical groups)");
  EXPECT_INPUT_ERROR(
      prior_of(spde("barriers = [\"wall\"]"), "p.toml"),
      "p.toml:16: prior.barriers[0]: the mesh has no region 'wall': it has no named ones (in Gmsh, physical groups)");
}

TEST(DescribePrior, NamesAnisotropyAndBarriers) {
  const auto words = [](const std::string& keys) {
    return describe_prior(parse_config(replaced(square, "kind = \"gaussian_process\"\nlength_scale = [0.3, 0.5]",
                                                "kind = \"spde\"\nrange = 0.4\n" + keys),
                                       "p.toml"));
  };
  const std::string field = "A Matern field by its SPDE, mean 0, sd 1, range 0.4, order 2";
  EXPECT_EQ(words(""), field + ".");
  EXPECT_EQ(words("anisotropy = { ratio = 3, angle = 60 }"), field + ", 3 times as long along an axis everywhere.");
  EXPECT_EQ(words("anisotropy.sand = { ratio = 3, angle = 60 }\nbarriers = [\"wall\"]"),
            field + ", 3 times as long along an axis in sand, not across wall.");
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

TEST(Simulate, OnARefinedMeshInterpolatesAFieldOnNodes) {
  // Without source, u rises over an interval of length h with kappa from a to b in proportion to its resistance,
  // h (exp(-a) - exp(-b)) / (b - a): the cells' means approach that with order 2.
  const Config config = parse_config(on_nodes + R"([mesh]
kind = "interval"
cells = 4
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 1 }
[observations]
sensors = "nodes"
sigma = 0.01
)",
                                     "problem.toml");
  const Problem problem = build_problem(config, Data::ignored);
  const Vector truth{{0, 1, 0.5, -1, 2}};
  Vector exact = Vector::Zero(5);
  for (Index c = 0; c < 4; ++c) {
    const double a = truth[c], b = truth[c + 1];
    exact[c + 1] = exact[c] + 0.25 * (std::exp(-a) - std::exp(-b)) / (b - a);
  }
  exact /= exact[4];
  std::vector<double> errors;
  for (int level = 0; level <= 4; ++level)
    errors.push_back((simulate(config, problem, {1, truth, level}).noise_free - exact).norm());
  EXPECT_GT(errors[0], 1e-2);
  for (int level = 1; level < 4; ++level) EXPECT_NEAR(errors[level] / errors[level + 1], 4, 0.2);
  EXPECT_EQ(format_truth(problem, truth), "x,kappa\n0,0\n0.25,1\n0.5,0.5\n0.75,-1\n1,2\n");
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
  EXPECT_TRUE(passes(on_nodes + square, true));
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
