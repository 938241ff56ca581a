// Reaction and Robin conditions of problem files.
#include <gmock/gmock.h>

#include <cmath>

#include "expect_input_error.h"
#include "run/region_mesh.h"
#include "scratch_directory.h"
#include "varimesh/run/build.h"
#include "varimesh/run/check.h"
#include "varimesh/run/evaluate.h"
#include "varimesh/run/record_problem.h"

namespace varimesh::run {
namespace {

/// A rod in air at 20 degrees, heated at its left end: theta u'' = c (u - 20), u = 20 + 80 cosh(m (1 - x)) / cosh(m)
/// with an insulated right end.
const std::string rod = R"([mesh]
kind = "interval"
cells = 200
[equation]
reaction = 9
source = 180
[boundary]
left = { dirichlet = 100 }
[quantities]
loss = { flux = "left" }
end = { value = [1] }
)";

const std::string plate = R"([mesh]
kind = "gmsh"
file = "mesh.msh"
[equation]
source = 1
reaction = { well = "1 + x" }
[boundary]
rim = { robin = { coefficient = "2 + y", ambient = { file = "air.csv", column = "t" } } }
[observations]
sensors = "nodes"
sigma = 0.01
[quantities]
out = { flux = "rim" }
)";

class Reaction : public testing::Test {
 protected:
  Reaction() {
    directory_.write("mesh.msh", test::region_mesh(8));
    directory_.write("air.csv", "x,y,t\n0,0,1\n1,0,2\n0,1,3\n1,1,4\n");
  }

  Config config(const std::string& text) const { return parse_config(text, directory_.path() / "problem.toml"); }

  test::ScratchDirectory directory_;
};

TEST_F(Reaction, OfARodInAirIsTheHyperbolicCosine) {
  const Problem problem = build_problem(config(rod), Data::if_present);
  const Evaluation found = evaluate(problem, Vector::Zero(200));
  // Errors of order h^2 = 2.5e-5, times 80 m^2.
  EXPECT_NEAR(found.quantities[1], 20 + 80 / std::cosh(3), 1e-2);
  EXPECT_NEAR(found.quantities[0], -80 * 3 * std::tanh(3), 1e-2);
}

TEST_F(Reaction, AndRobinConditionsPassEveryCheckWithoutADirichletValue) {
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  const CheckReport report = check(problem, nullptr, 1);
  EXPECT_TRUE(report.passed());
  EXPECT_LT(report.flux_balance_error, 1e-12);
  EXPECT_EQ(record_problem(given, problem).words.equation,
            "-div(exp(kappa) grad u) + c u = 1, c = 1 + x in well; outflow 2 + y times u less as in air.csv on rim; "
            "insulated elsewhere.");
  EXPECT_EQ(record_problem(config(rod), build_problem(config(rod), Data::if_present)).words.equation,
            "-div(exp(kappa) grad u) + 9 u = 180; u = 100 on left; insulated elsewhere.");
}

TEST_F(Reaction, OfARefinedMeshHasTheSameTerms) {
  const Config given = config(plate);
  const Problem problem = build_problem(given, Data::if_present);
  const Equation fine = build_refined_equation(given, problem.equation, 1);
  // sum_i ground_i = int c + int h does not depend on the mesh.
  EXPECT_NEAR(fine.problem->network().ground().sum(), problem.equation.problem->network().ground().sum(), 1e-12);
}

TEST_F(Reaction, FilesItReadsAreInTheFingerprint) {
  const auto fingerprint = [&] {
    const Config given = config(plate);
    return record_problem(given, build_problem(given, Data::if_present)).fingerprint;
  };
  const std::string before = fingerprint();
  directory_.write("air.csv", "x,y,t\n0,0,1\n1,0,2\n0,1,3\n1,1,5\n");
  EXPECT_NE(fingerprint(), before);
}

TEST_F(Reaction, BadSettingsAreNamed) {
  const auto build = [&](const std::string& boundary) {
    return build_problem(config("[mesh]\nkind = \"interval\"\ncells = 4\n" + boundary), Data::if_present);
  };
  const std::string file = (directory_.path() / "problem.toml").string();
  EXPECT_INPUT_ERROR(build("[boundary]\nleft = { robin = 2 }\n"),
                     file + ":5: boundary.left.robin: expected a table, found an integer");
  EXPECT_INPUT_ERROR(build("[boundary]\nleft = { robin = { ambient = 2 } }\n"),
                     file + ":5: boundary.left.robin: missing key 'coefficient'");
  EXPECT_INPUT_ERROR(build("[boundary]\nleft = { robin = { coefficient = -2 } }\n"),
                     file + ": expected a Robin coefficient on boundary 'left' of at least 0, found -2 at (0)");
  EXPECT_INPUT_ERROR(build("[equation]\nreaction = \"x < 2 ? -1 : 0\"\n"),
                     file + ": expected a reaction of at least 0, found -1 at (0.0281754)");
  EXPECT_INPUT_ERROR(build("[equation]\nreaction = { core = 1 }\n"),
                     file +
                         ":5: equation.reaction.core: the mesh has no region 'core': it has no named ones (in "
                         "Gmsh, physical groups)");
}

}  // namespace
}  // namespace varimesh::run
