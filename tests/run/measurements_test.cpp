// [measurements]: data that are not values of u at points.
#include <gmock/gmock.h>

#include <cmath>

#include "expect_input_error.h"
#include "run/region_mesh.h"
#include "scratch_directory.h"
#include "varimesh/file.h"
#include "varimesh/run/build.h"
#include "varimesh/run/check.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/simulate.h"

namespace varimesh::run {
namespace {

using testing::ElementsAre;

const std::string line = R"([mesh]
kind = "interval"
cells = 10
[boundary]
left = { dirichlet = 1 }
right = { dirichlet = 3 }
[prior]
kind = "independent"
sigma = 0.5
)";

const std::string square = R"([mesh]
kind = "gmsh"
file = "mesh.msh"
[equation]
source = 1
[boundary]
rim = { robin = { coefficient = 3, ambient = 1 } }
[observations]
data = "data.csv"
sigma = 0.01
[prior]
kind = "independent"
sigma = 0.5
[measurements]
core = { mean = "well", measured = [1.2, 1.4], sigma = 0.1 }
loss = { flux = "rim", measured = 1, sigma = 0.2, log = false }
edge = { boundary_mean = "rim", measured = 1.1, sigma = 0.1 }
slope = { gradient = [0.3, 0.4], component = "y", measured = 0.1, sigma = 0.1 }
flow = { flux_density = [0.3, 0.4], component = "x", measured = 0.1, sigma = 0.1 }
sample = { value = [0.3, 0.4], of = "conductivity", log = true, measured = 0.2, sigma = 0.3 }
boreholes = { data = "boreholes.csv", of = "kappa", sigma = 0.3 }
)";

class Measurements : public testing::Test {
 protected:
  Measurements() {
    directory_.write("mesh.msh", test::region_mesh(6));
    directory_.write("data.csv", "x,y,value\n0.2,0.2,1.2\n0.7,0.4,1.3\n");
    directory_.write("boreholes.csv", "x,y,well,value\n0.1,0.8,BH1,0.5\n0.9,0.8,,-0.2\n0.1,0.8,BH1,0.7\n");
  }

  Config config(const std::string& text) const { return parse_config(text, directory_.path() / "problem.toml"); }
  Problem build(const std::string& text, Data data = Data::if_present) const {
    return build_problem(config(text), data);
  }

  test::ScratchDirectory directory_;
};

TEST_F(Measurements, OfALinearSolutionAreItsMeansSlopesAndFluxes) {
  // u = 1 + 2 x, kappa = 0.4
  const Problem problem = build(line + R"([measurements]
all = { mean = "everywhere", measured = 0, sigma = 1 }
out = { flux = "left", measured = 0, sigma = 1 }
log_out = { log_flux = "left", measured = 0, sigma = 1 }
end = { boundary_mean = "right", measured = 0, sigma = 1 }
slope = { gradient = [0.33], component = "x", measured = 0, sigma = 1 }
flow = { flux_density = [0.33], component = "x", measured = 0, sigma = 1 }
middle = { value = [0.5], log = true, measured = 0, sigma = 1 }
kappa = { value = [0.5], of = "kappa", measured = 0, sigma = 1 }
theta = { mean = "everywhere", of = "conductivity", measured = 0, sigma = 1 }
)");
  ASSERT_TRUE(problem.observations);
  const Vector found = evaluate(problem, Vector::Constant(10, 0.4)).prediction;
  const double theta = std::exp(0.4);
  const Vector expected{{2, 2 * theta, std::log(2 * theta), 3, 2, -2 * theta, std::log(2), 0.4, theta}};
  EXPECT_LT((found - expected).lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST_F(Measurements, AreSensorsBehindThoseAtPoints) {
  const Config given = config(square);
  const Problem problem = build_problem(given, Data::required);
  const Sensors& sensors = *problem.sensors;
  EXPECT_EQ(sensors.size(), 10);
  EXPECT_EQ(sensors.num_at_points(), 2);
  EXPECT_THAT(sensors.labels,
              ElementsAre("", "", "core", "loss", "edge", "slope", "flow", "sample", "BH1", "boreholes 2"));
  // The well is the lower left quarter, the rim all around.
  EXPECT_LT((sensors.points[2] - Point(0.25, 0.25, 0)).norm(), 1e-12);
  EXPECT_LT((sensors.points[3] - Point(0.5, 0.5, 0)).norm(), 1e-12);
  const inverse::Observations& data = *problem.observations;
  EXPECT_NEAR(data.mean[2], 1.3, 1e-15);
  EXPECT_NEAR(data.weight[2], 2 / 0.01, 1e-10);
  EXPECT_NEAR(data.mean[8], 0.6, 1e-15);
  EXPECT_NEAR(data.weight[8], 2 / 0.09, 1e-10);
  const result::ProblemRecord record = record_problem(given, problem);
  EXPECT_THAT(record.sensors.kinds, ElementsAre("", "", "mean u", "flux", "mean u", "slope of u along y",
                                                "flux density along x", "log conductivity", "kappa", "kappa"));
}

TEST_F(Measurements, KeepTheContractOfAForwardModel) {
  const Problem problem = build(square);
  const CheckReport report = check(problem, nullptr, 1);
  EXPECT_TRUE(report.passed());
  EXPECT_LT(report.model->derivative_error, 1e-6);
  EXPECT_LT(report.likelihood->gradient_error, 1e-6);
}

TEST_F(Measurements, OnARefinedMeshSeeTheSame) {
  // kappa at points is the parent's; means and fluxes change by the error of the mesh only.
  const Config given = config(square);
  const Problem problem = build_problem(given, Data::if_present);
  const result::MeshCheck found = check_mesh(given, problem, Matrix::Zero(problem.num_unknowns(), 1), 1e12);
  ASSERT_EQ(found.sensors.size(), 10);
  EXPECT_LT(std::abs(found.sensors[2]), 2e-3);
  EXPECT_LT(std::abs(found.sensors[3]), 1e-12);  // all of the source leaves
  EXPECT_EQ(found.sensors[8], 0);
}

TEST_F(Measurements, OfKappaAloneUpdateItByConjugacy) {
  // Two cells are measured with sd 0.5, as much as the prior has: mean halfway, variance halved, the rest stays.
  const Config given = config(line + R"([measurements]
first = { value = [0.05], of = "kappa", measured = 1, sigma = 0.5 }
fourth = { value = [0.35], of = "kappa", measured = -2, sigma = 0.5 }
[method]
use = "fcvb"
)");
  const Problem problem = build_problem(given, Data::required);
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(problem.model, *problem.observations), build_prior(given, problem));
  const result::MethodRecord record = infer(given, problem, posterior, Method::fcvb, {});
  for (Index c = 0; c < 10; ++c) {
    EXPECT_NEAR(record.kappa.mean[c], c == 0 ? 0.5 : c == 3 ? -1 : 0, 1e-3) << c;
    EXPECT_NEAR(record.kappa.sd[c], c == 0 || c == 3 ? 0.5 / std::sqrt(2.0) : 0.5, 2e-3) << c;
  }
}

TEST_F(Measurements, AreSimulatedToAFileFromWhichTheyAreRead) {
  std::string text = line + R"([observations]
named = "named.csv"
replicates = 3
[measurements]
all = { mean = "everywhere", sigma = 0.1 }
"a, b" = { flux = "left", sigma = 0.2 }
bores = { data = "bores.csv", of = "kappa", sigma = 0.3 }
)";
  directory_.write("bores.csv", "x\n0.11\n0.77\n");
  EXPECT_FALSE(build(text).observations);
  const Config given = config(text);
  const Problem problem = build_problem(given, Data::ignored);
  const Simulation made = simulate(given, problem, {.seed = 4, .truth = Vector::Constant(10, 0.2)});
  EXPECT_NEAR(made.noise_free[2], 0.2, 1e-15);
  directory_.write("named.csv", format_named(problem, made));
  const Problem read = build(text, Data::required);
  ASSERT_TRUE(read.observations);
  EXPECT_LT((read.observations->mean - made.measurements.colwise().mean().transpose()).norm(), 1e-14);
  EXPECT_EQ(read.observations->count, Vector::Constant(4, 3));
}

TEST_F(Measurements, StandBesideIndependentNormalReadingsOnly) {
  directory_.write("points.csv", "x,value\n0.5,2\n");
  const std::string file = (directory_.path() / "problem.toml").string();
  const std::string text = line + "[measurements]\na = { flux = \"left\", measured = 1, sigma = 1 }\n" +
                           "[observations]\ndata = \"points.csv\"\n";
  const std::string expected =
      "expected independent, normal errors with a given sigma, as [measurements] have them, found others";
  EXPECT_INPUT_ERROR(build(text + "sigma = \"5 %\"\n"), file + ":14: observations.sigma: " + expected);
  EXPECT_INPUT_ERROR(build(text + "sigma = 1\nnoise = { kind = \"student\" }\n"),
                     file + ":15: observations.noise: " + expected);
  EXPECT_THAT(build(text + "sigma = 0.5\n").noise->sigma, ElementsAre(0.5, 1));
}

TEST_F(Measurements, AreDescribedByTheNamesAndUnitsOfTheLabels) {
  const std::string text = line + R"([quantities]
out = { flux = "left" }
log_out = { log_flux = "left" }
here = { value = [0.5], of = "conductivity" }
mean = { mean = "everywhere" }
slope = { gradient = [0.5], component = "x" }
)";
  const auto labels = [&](const std::string& more) {
    std::vector<std::string> result;
    for (const auto& quantity : record_problem(config(text + more), build(text + more)).quantities)
      result.push_back(quantity.label);
    return result;
  };
  EXPECT_THAT(labels(""), ElementsAre("flux out through left", "log flux out through left", "conductivity at (0.5)",
                                      "mean u", "slope of u along x at (0.5)"));
  EXPECT_THAT(labels("[labels]\nu = \"head\"\nu_unit = \"m\"\nconductivity = \"transmissivity\"\n"
                     "conductivity_unit = \"m2/d\"\nflux_unit = \"m3/d\"\n"),
              ElementsAre("flux out through left [m3/d]", "log flux out through left", "transmissivity at (0.5) [m2/d]",
                          "mean head [m]", "slope of head along x at (0.5)"));
}

TEST_F(Measurements, BadSettingsAreNamed) {
  const std::string file = (directory_.path() / "problem.toml").string() + ":11: measurements.";
  const auto read = [&](const std::string& entry) {
    return build(line + "[measurements]\n" + entry + "\n", Data::required);
  };
  EXPECT_INPUT_ERROR(read("a = { mean = \"everywhere\", measured = 1 }"), file + "a: missing key 'sigma'");
  EXPECT_INPUT_ERROR(read("a = { measured = 1, sigma = 1 }"),
                     file +
                         "a: expected one of 'flux', 'log_flux', 'value', 'mean', 'boundary_mean', 'gradient', "
                         "'flux_density', 'max' and 'min', found none");
  EXPECT_INPUT_ERROR(read("a = { gradient = [0.5], measured = 1, sigma = 1 }"), file + "a: missing key 'component'");
  EXPECT_INPUT_ERROR(read("a = { gradient = [0.5], component = \"y\", measured = 1, sigma = 1 }"),
                     file + "a: expected a component of a mesh in 1D, found 'y'");
  EXPECT_INPUT_ERROR(read("a = { value = [2], measured = 1, sigma = 1 }"), file + "a: the point is outside the mesh");
  EXPECT_INPUT_ERROR(read("a = { mean = \"everywhere\", sigma = 1 }"),
                     file + "a: missing the key 'measured', or a file observations.named that has the value");
  EXPECT_INPUT_ERROR(read("a = { data = \"none.csv\", sigma = 1 }"),
                     file + "a: there is no file '" + (directory_.path() / "none.csv").string() + "'");
  EXPECT_INPUT_ERROR(read("a = { flux = \"left\", of = \"kappa\", measured = 1, sigma = 1 }"),
                     file + "a.of: allowed only beside a value, mean, max or min");
  directory_.write("named.csv", "name,value\nb,2\n");
  EXPECT_INPUT_ERROR(read("a = { flux = \"left\", sigma = 1 }\n[observations]\nnamed = \"named.csv\""),
                     (directory_.path() / "named.csv").string() +
                         ":2: 'b' is none of the problem's [measurements], or is there twice");
}

}  // namespace
}  // namespace varimesh::run
