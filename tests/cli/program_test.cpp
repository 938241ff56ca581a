#include "cli/program.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "varimesh/io/csv.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string line_problem = R"([mesh]
kind = "interval"
cells = 16
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[observations]
data = "data.csv"
sensors = "nodes"
sigma = 0.01
replicates = 2
[prior]
kind = "gaussian_process"
kernel = "squared_exponential"
length_scale = 0.2
[quantities]
log_flux = { log_flux = "left" }
)";

TEST(Program, HelpAndVersionAreThere) {
  const ScratchDirectory directory;
  const auto help = run_program("--help", directory.path());
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"check", "evaluate", "serve", "simulate", "--version", "Exit codes"})
    EXPECT_THAT(help.text, HasSubstr(word));
  EXPECT_EQ(run_program("--version", directory.path()).text, "varimesh " VARIMESH_VERSION "\n");
  for (const char* command : {"check", "evaluate", "simulate"})
    EXPECT_THAT(run_program(std::string(command) + " --help", directory.path()).text,
                HasSubstr("The problem file (TOML)"));
}

TEST(Program, SimulateCheckEvaluate) {
  const ScratchDirectory directory;
  directory.write("problem.toml", line_problem);
  ASSERT_EQ(run_program("simulate problem.toml --seed 3 --refine 1", directory.path()).exit_code, 0);
  EXPECT_THAT(directory.list(), ElementsAre("data.csv", "problem.toml", "truth.csv"));
  EXPECT_EQ(io::read_csv(directory.path() / "data.csv").num_rows(), 34U);

  const auto check = run_program("check problem.toml", directory.path());
  EXPECT_EQ(check.exit_code, 0) << check.text;
  for (const char* word : {"16 lines, 17 nodes, 1D", "17, 34 measurements", "tridiagonal", "all checks passed"})
    EXPECT_THAT(check.text, HasSubstr(word));

  const auto evaluate = run_program("evaluate problem.toml --kappa truth.csv --json --out out", directory.path());
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.text;
  const auto json = nlohmann::json::parse(evaluate.text);
  EXPECT_LT(json["log_likelihood_without_constant"].get<double>(), 0);
  EXPECT_TRUE(json["quantities"]["log_flux"].is_number());
  EXPECT_EQ(io::read_csv(directory.path() / "out/u.csv").num_rows(), 17U);
  EXPECT_EQ(io::read_csv(directory.path() / "out/predictions.csv").num_rows(), 17U);
}

TEST(Program, SimulationsAreReproducibleAndNotOverwritten) {
  const ScratchDirectory directory;
  directory.write("problem.toml", line_problem);
  ASSERT_EQ(run_program("simulate problem.toml --seed 3", directory.path()).exit_code, 0);
  const std::string first = directory.read("data.csv");
  const auto refused = run_program("simulate problem.toml --seed 4", directory.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.text, "varimesh: 'data.csv' exists: expected a new file, or the option --force\n");
  EXPECT_EQ(directory.read("data.csv"), first);
  ASSERT_EQ(run_program("simulate problem.toml --seed 3 --force", directory.path()).exit_code, 0);
  EXPECT_EQ(directory.read("data.csv"), first);
  ASSERT_EQ(run_program("simulate problem.toml --seed 4 --force", directory.path()).exit_code, 0);
  EXPECT_NE(directory.read("data.csv"), first);
}

TEST(Program, BadInputIsOneSentenceAndExitCodeTwo) {
  const ScratchDirectory directory;
  directory.write("problem.toml", line_problem);
  directory.write("bad.toml", "[mesh]\nkind = \"interval\"\ncels = 3\n");
  directory.write("short.csv", "kappa\n1\n");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"check bad.toml", "varimesh: bad.toml:3: mesh.cels: unknown key"},
      {"check nowhere.toml", "varimesh: cannot read nowhere.toml: No such file or directory"},
      {"check .", "varimesh: . is a directory, expected a file"},
      {"evaluate problem.toml --kappa 1,5",
       "varimesh: kappa: expected a number or a CSV file, found '1,5', which is neither"},
      {"simulate problem.toml --kappa short.csv",
       "varimesh: short.csv: expected 16 rows, one for each unknown, found 1"},
      {"simulate problem.toml --kappa 1e6", "varimesh: the equation cannot be solved at this truth"},
      {"simulate problem.toml --data nowhere/data.csv",
       "varimesh: cannot write nowhere/data.csv: No such file or directory"},
      {"simulate problem.toml --refine 9", "--refine"},
      {"", "varimesh: A subcommand is required"},
      {"check", "varimesh: problem is required"},
      {"simulate problem.toml --seed -1", "varimesh: "},
      {"simulate problem.toml --data same.csv --truth ./same.csv",
       "varimesh: 'same.csv' would hold both data and truth: expected two files"},
      {"chekc problem.toml",
       "varimesh: unknown command 'chekc', expected one of 'new', 'run', 'predict', 'report', 'sample', 'check', "
       "'evaluate', 'serve', 'design', 'evidence', 'simulate', 'calibrate', 'reproduce', 'completion', 'man'; did you "
       "mean 'check'?"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto output = run_program(arguments, directory.path());
    EXPECT_EQ(output.exit_code, 2) << arguments << "\n" << output.text;
    EXPECT_THAT(output.text, HasSubstr(message)) << arguments;
  }
  EXPECT_THAT(directory.list(), ElementsAre("bad.toml", "problem.toml", "short.csv"));  // nothing half-written
}

TEST(Program, EvaluatesWithoutMeasurements) {
  const ScratchDirectory directory;
  directory.write("problem.toml", line_problem);
  const auto output = run_program("evaluate problem.toml --kappa 0 --out out", directory.path());
  EXPECT_EQ(output.exit_code, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("none: there are no measurements"));
  EXPECT_EQ(io::read_csv(directory.path() / "out/predictions.csv").columns,
            (std::vector<std::string>{"node", "predicted"}));
}

TEST(Program, SensorsMayHaveTheirOwnNoise) {
  const ScratchDirectory directory;
  directory.write("sensors.csv", "x,sigma\n0.25,1e-9\n0.75,0.5\n");
  std::string problem = line_problem;
  problem.replace(problem.find("\"nodes\"\nsigma = 0.01"), std::string("\"nodes\"\nsigma = 0.01").size(),
                  "\"sensors.csv\"");
  directory.write("problem.toml", problem);
  ASSERT_EQ(run_program("simulate problem.toml", directory.path()).exit_code, 0);
  const io::CsvTable data = io::read_csv(directory.path() / "data.csv");
  EXPECT_NEAR(data.column("value")[0], data.column("value")[1], 1e-7);
  EXPECT_GT(std::abs(data.column("value")[2] - data.column("value")[3]), 1e-3);
  EXPECT_EQ(run_program("check problem.toml", directory.path()).exit_code, 0);
}

TEST(Program, ShippedExamplesPassTheirChecks) {
  for (const char* example : {"aristoff-bangerth", "poisson-1d", "plate-with-hole", "groundwater", "heat-source"}) {
    const auto output =
        run_program("check problem.toml", std::filesystem::path(VARIMESH_SOURCE_DIR) / "examples" / example);
    EXPECT_EQ(output.exit_code, 0) << output.text;
  }
}

}  // namespace
}  // namespace varimesh
