// Every kind of bad input ends 'varimesh run' with exit code 2 and one sentence that names the place, what was expected
// and what was found, and leaves nothing behind.
#include <gmock/gmock.h>

#include <functional>

#include "cli/program.h"

namespace varimesh {
namespace {

using test::run_program;
using test::ScratchDirectory;
namespace fs = std::filesystem;

const std::string good_problem = R"([mesh]
kind = "interval"
cells = 8
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[observations]
data = "data.csv"
sigma = 0.01
[prior]
kind = "gaussian_process"
length_scale = 0.3
)";
const std::string good_data = "x,value\n0.25,0.09\n0.5,0.12\n0.75,0.09\n";

/// The problem with one place of it replaced.
std::string with(const std::string& what, const std::string& by) {
  std::string text = good_problem;
  const std::size_t place = text.find(what);
  if (place == std::string::npos) throw std::logic_error("not in the problem: " + what);
  return text.replace(place, what.size(), by);
}

struct BadInput {
  std::string name;
  std::string problem = good_problem, data = good_data;
  std::string message;  ///< without "varimesh: " and the newline
  std::string arguments = "run problem.toml";
  std::function<void(const ScratchDirectory&)> prepare = {};
};

const std::string gmsh_mesh = "kind = \"gmsh\"\nfile = \"mesh.msh\"";

const std::vector<BadInput> bad_inputs = {
    {"MissingKey", with("length_scale = 0.3\n", ""), good_data, "problem.toml:12: prior: missing key 'length_scale'"},
    {"MissingTable", with("[mesh]", "[mash]"), good_data, "problem.toml:1: mash: unknown key; did you mean 'mesh'?"},
    {"Typo", with("sigma = 0.01", "sigmma = 0.01"), good_data,
     "problem.toml:11: observations.sigmma: unknown key; did you mean 'sigma'?"},
    {"WrongType", with("sigma = 0.01", "sigma = \"1 cm\""), good_data,
     "problem.toml:11: observations.sigma: expected a number or a percentage of the reading such as \"5 %\", found '1 "
     "cm'"},
    {"UnknownWord", with("gaussian_process", "gausian_process"), good_data,
     "problem.toml:13: prior.kind: expected one of 'gaussian_process', 'spde', 'independent', 'mixture', found "
     "'gausian_process'; did you mean 'gaussian_process'?"},
    {"BrokenSyntax", with("source = 1", "source = = 1"), good_data,
     "problem.toml:5: Error while parsing value: could not determine value type"},
    {"BadExpression", with("source = 1", "source = \"sin(x\""), good_data,
     "problem.toml:5: equation.source: bad expression 'sin(x': missing parenthesis at character 6"},
    {"NanInData", good_problem, "x,value\n0.25,nan\n", "data.csv:2: column 'value': expected a number, found 'nan'"},
    {"TextInData", good_problem, "x,value\n0.25,warm\n", "data.csv:2: column 'value': expected a number, found 'warm'"},
    {"RaggedRow", good_problem, "x,value\n0.25\n", "data.csv:2: expected 2 values, found 1"},
    {"MissingColumn", good_problem, "x,reading\n0.25,0.1\n",
     "data.csv: unknown column 'reading', expected 'node', 'x', 'value', 'sigma', 'count'; is this what is called "
     "'value' here?"},
    {"EmptyData", good_problem, "", "data.csv: expected a header line of column names, found an empty file"},
    {"SensorOutside", good_problem, "x,value\n1.25,0.1\n",
     "1 sensor outside the mesh by more than 0.1 of the nearest cell's diameter: data.csv:2: sensor 0 at (1.25) is "
     "0.25 outside"},
    {"UnknownBoundary", with("left =", "lefft ="), good_data,
     "problem.toml:7: boundary.lefft: the mesh has no boundary 'lefft', expected one of 'left', 'right'; did you mean "
     "'left'?"},
    {"NoDirichletValue", with("left = { dirichlet = 0 }\nright = { dirichlet = 0 }", "left = { neumann = 0 }"),
     good_data,
     "problem.toml: no boundary has a Dirichlet value or a Robin condition, and there is no reaction: a pure Neumann "
     "problem determines the solution only up to a constant"},
    {"ZeroNoise", with("sigma = 0.01", "sigma = 0"), good_data,
     "problem.toml:11: observations.sigma: expected a number greater than 0, found 0"},
    {"FewerThanOneReplicate", with("sigma = 0.01", "sigma = 0.01\nreplicates = 0"), good_data,
     "problem.toml:12: observations.replicates: expected an integer from 1 to 1000000000, found 0"},
    {"HugeNumberOfCells", with("cells = 8", "cells = 4000000000000"), good_data,
     "problem.toml:3: mesh.cells: expected an integer from 1 to 50000000, found 4000000000000"},
    {"HugeReading", good_problem, "x,value\n0.25,1e400\n",
     "data.csv:2: column 'value': expected a number, found '1e400'"},
    {"BinaryGarbageProblem",
     std::string("\x7f"
                 "ELF\x02\x01\x00\xff\xfe",
                 9),
     good_data, "problem.toml:1: expected only ASCII characters outside strings and comments"},
    {"BinaryGarbageData", good_problem, std::string("\x89PNG\r\n\x1a\n\x00\xff", 10),
     "data.csv: expected a column 'x', found '?PNG'"},
    {"TruncatedMesh", with("kind = \"interval\"\ncells = 8", gmsh_mesh), good_data,
     "mesh.msh:6: expected 4 nodes, found the end of the file after 5 bytes", "run problem.toml",
     [](const ScratchDirectory& d) {
       d.write("mesh.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n");
     }},
    {"MissingMesh", with("kind = \"interval\"\ncells = 8", gmsh_mesh), good_data,
     "problem.toml:3: mesh.file: there is no file 'mesh.msh'"},
    {"MissingData", with("data.csv", "date.csv"), good_data,
     "problem.toml:10: observations.data: there is no file 'date.csv': 'varimesh simulate' can make one"},
    {"MissingPrior", good_problem.substr(0, good_problem.find("[prior]")), good_data,
     "problem.toml: expected a table [prior], which says what is believed of kappa before measuring"},
    {"MissingProblem", good_problem, good_data, "cannot read nothing.toml: No such file or directory",
     "run nothing.toml"},
    {"DirectoryAsProblem", good_problem, good_data, ". is a directory, expected a file", "run ."},
    {"UnknownMethod", good_problem, good_data,
     "unknown method 'pmbv', expected one of 'auto', 'low_rank', 'fcvb', 'pmvb', 'mfvb', 'laplace', 'mixture', 'nuts', "
     "'hmc', "
     "'pcn'; did "
     "you mean 'pmvb'?",
     "run problem.toml --method pmbv"},
    {"UnknownOption", good_problem, good_data,
     "run: unknown option '--sed', expected one of '--help', '--method', '--budget', '--seed', '--threads', '--out', "
     "'--set', "
     "'--resume', '--force', '--quiet', '--verbose'; did you mean '--seed'?",
     "run problem.toml --sed 1"},
    {"BadOverride", good_problem, good_data, "--set: expected KEY=VALUE, such as method.seed=2, found 'seed'",
     "run problem.toml --set seed"},
    {"OverrideOfTheWrongType", good_problem, good_data, "--set method.seed: expected an integer, found a string",
     "run problem.toml --set method.seed=x"},
    {"NegativeSeed", good_problem, good_data,
     "--seed: Value -1 not in range 0 to 1000000000000000; 'varimesh --help' and 'varimesh COMMAND --help' say what is "
     "expected",
     "run problem.toml --seed -1"},
    {"OutIsAFile", good_problem, good_data, "'data.csv' is a file: expected a directory for the results",
     "run problem.toml --out data.csv"},
    {"UnwritableDirectory", good_problem, good_data,
     "cannot make the directory /proc/results: No such file or directory", "run problem.toml --out /proc/results"},
    {"TruthOfAnotherSize", good_problem + "[truth]\nkappa = [1, 2]\n", good_data,
     "problem.toml:16: truth.kappa: expected 8 entries, one for each unknown, found 2"},
    {"MixtureByNaturalGradients", good_problem, good_data,
     "--set method: a mixture has no natural gradient or Laplace approximation here: use the optimiser adam",
     "run problem.toml --method mixture --set method.fit.optimizer=natural_gradient"},
    {"PriorScaleForNuts", good_problem, good_data, "--set method: chains.scale: only pCN takes \"prior\"",
     "run problem.toml --method nuts --set method.chains.scale=prior"},
    {"ResultsThatAreNone", good_problem, good_data,
     ".: expected a directory of results, as 'varimesh run' makes it, found no summary.json", "report ."},
    {"GarbageResult", good_problem, good_data, "results/summary.json:1: expected JSON, found an error in column 13",
     "report results",
     [](const ScratchDirectory& d) {
       fs::create_directory(d.path() / "results");
       d.write("results/summary.json", "{ \"schema\": ");
     }},
};

class EveryBadInput : public testing::TestWithParam<BadInput> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryBadInput, testing::ValuesIn(bad_inputs),
                         [](const auto& input) { return input.param.name; });

TEST_P(EveryBadInput, IsOneSentenceAndNothingLeftBehind) {
  const BadInput& input = GetParam();
  const ScratchDirectory directory;
  directory.write("problem.toml", input.problem);
  directory.write("data.csv", input.data);
  if (input.prepare) input.prepare(directory);
  const std::vector<std::string> before = directory.list();
  const test::Output output = run_program(input.arguments, directory.path());
  EXPECT_EQ(output.exit_code, 2) << output.text;
  EXPECT_EQ(output.text, "varimesh: " + input.message + "\n");
  EXPECT_EQ(directory.list(), before);
}

TEST(FullDisk, IsOneSentenceAndNothingLeftBehind) {
  const ScratchDirectory directory;
  directory.write("problem.toml", good_problem);
  directory.write("data.csv", good_data);
  const std::vector<std::string> before = directory.list();
  // Files may have no more than 8 blocks, and the program hears of it instead of being killed.
  const std::string command = "cd '" + directory.path().string() + "' && trap '' XFSZ && ulimit -f 8 && '" +
                              test::program() + "' run problem.toml -m fcvb 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  char text[1000] = {};
  const std::size_t length = std::fread(text, 1, sizeof text - 1, pipe);
  const int status = pclose(pipe);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(std::string(text, length),
              testing::StartsWith("varimesh: cannot write problem-results/fcvb/posterior.nc"));
  EXPECT_EQ(directory.list(), before);
}

}  // namespace
}  // namespace varimesh
