// A conductivity that depends on the direction, as a problem file says it.
#include <gmock/gmock.h>

#include <numbers>

#include "expect_input_error.h"
#include "run/region_mesh.h"
#include "scratch_directory.h"
#include "varimesh/fem/coefficient_map.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/problem_difference.h"
#include "varimesh/run/record_problem.h"

namespace varimesh::run {
namespace {

using testing::HasSubstr;

class CoefficientAnisotropy : public testing::Test {
 protected:
  CoefficientAnisotropy() { directory_.write("mesh.msh", test::region_mesh(4)); }

  Config parse(const std::string& coefficient, const std::string& mesh = "kind = \"gmsh\"\nfile = \"mesh.msh\"\n",
               const std::string& boundary = "rim") {
    return parse_config("[mesh]\n" + mesh + "[equation]\nsource = 1\n[boundary]\n" + boundary +
                            " = { dirichlet = 0 }\n[coefficient]\n" + coefficient,
                        directory_.path() / "problem.toml");
  }
  Problem build(const Config& config) { return build_problem(config, Data::ignored); }
  /// D of a cell of the region "well" and of one of "rest".
  std::vector<Eigen::Matrix3d> tensors(const Problem& problem) {
    const mesh::Mesh& mesh = problem.equation.mesh;
    return {problem.equation.coefficients.tensor(mesh.region("well").cells.front()),
            problem.equation.coefficients.tensor(mesh.region("rest").cells.front())};
  }

  test::ScratchDirectory directory_;
};

TEST_F(CoefficientAnisotropy, IsThatOfAnAxisOrOfATensorEverywhereOrByRegion) {
  // 10 along 30 degrees: 1 + 9 a a', a = (cos 30, sin 30)
  const double s = std::numbers::sqrt3;
  Eigen::Matrix3d layered = Eigen::Matrix3d::Identity();
  layered.topLeftCorner<2, 2>() << 7.75, 2.25 * s, 2.25 * s, 3.25;
  const auto everywhere = tensors(build(parse("anisotropy = { ratio = 10, angle = 30 }\n")));
  EXPECT_LT((everywhere[0] - layered).norm(), 1e-14);
  EXPECT_LT((everywhere[1] - layered).norm(), 1e-14);
  const auto by_region = tensors(build(parse("[coefficient.anisotropy.rest]\ntensor = [[2, 0.5], [0.5, 1]]\n")));
  EXPECT_EQ(by_region[0], Eigen::Matrix3d::Identity());
  EXPECT_EQ(by_region[1].topLeftCorner(2, 2), (Matrix{{2, 0.5}, {0.5, 1}}));
  const Problem box = build(
      parse("anisotropy = { ratio = 0.1, direction = [0, 0, 2] }\n", "kind = \"box\"\ncells = [2, 2, 2]\n", "left"));
  EXPECT_LT((box.equation.coefficients.tensor(0) - Eigen::Matrix3d(Eigen::Vector3d(1, 1, 0.1).asDiagonal())).norm(),
            1e-15);
}

TEST_F(CoefficientAnisotropy, OfTheSameMeasureInEveryDirectionIsAFactor) {
  // D = 4: as if kappa were larger by log 4.
  const Problem four = build(parse("anisotropy = { tensor = [[4, 0], [0, 4]] }\n")), plain = build(parse(""));
  const Vector kappa = Random(1).normal_vector(four.num_unknowns());
  const auto found = four.equation.problem->solve(kappa);
  const auto expected = plain.equation.problem->solve(kappa.array() + std::log(4));
  EXPECT_LT((found.u() - expected.u()).lpNorm<Eigen::Infinity>(), 1e-14);
}

TEST_F(CoefficientAnisotropy, StaysOnARefinedMesh) {
  const Config config = parse("anisotropy.rest = { ratio = 5, angle = 90 }\n");
  const Problem problem = build(config);
  const Equation fine = build_refined_equation(config, problem.equation, 1);
  for (const Index c : fine.mesh.region("rest").cells) EXPECT_NEAR(fine.coefficients.tensor(c)(1, 1), 5, 1e-14);
  for (const Index c : fine.mesh.region("well").cells) EXPECT_EQ(fine.coefficients.tensor(c)(1, 1), 1);
}

TEST_F(CoefficientAnisotropy, IsSaidInWordsAndMakesAnotherProblemForPredictions) {
  const auto record = [&](const std::string& coefficient) {
    const Config config = parse(coefficient);
    return record_problem(config, build(config));
  };
  const result::ProblemRecord layered = record("anisotropy = { ratio = 10, angle = 30 }\n");
  EXPECT_THAT(layered.words.equation, HasSubstr("-div(exp(kappa) D grad u) = 1; "));
  EXPECT_THAT(layered.words.equation, HasSubstr(" D is 10 along an axis at 30 degrees to the x axis and 1 across."));
  EXPECT_THAT(record("anisotropy.rest = { tensor = [[2, 0.5], [0.5, 1]] }\n").words.equation,
              HasSubstr(" D = [2, 0.5; 0.5, 1] in rest."));
  EXPECT_EQ(mesh_difference(layered, record("anisotropy = { ratio = 10, angle = 30 }\n")), "");
  for (const std::string other : {"", "anisotropy = { ratio = 10, angle = 31 }\n"})
    EXPECT_EQ(mesh_difference(layered, record(other)),
              "their conductivities depend on the direction in other ways ([coefficient])");
}

TEST_F(CoefficientAnisotropy, FaultsNameTheirPlace) {
  const auto fault = [&](const std::string& coefficient,
                         const std::string& mesh = "kind = \"gmsh\"\nfile = \"mesh.msh\"\n",
                         const std::string& boundary = "rim") {
    return test::input_error([&] { build(parse(coefficient, mesh, boundary)); })
        .substr((directory_.path() / "").string().size());
  };
  EXPECT_EQ(fault("anisotropy = { ratio = 2 }\n"),
            "problem.toml:9: coefficient.anisotropy: expected the angle of the long axis to the x axis, in degrees, "
            "found none");
  EXPECT_EQ(fault("anisotropy = { tensor = [[1, 2], [2, 1]] }\n"),
            "problem.toml:9: coefficient.anisotropy.tensor: expected a tensor that is symmetric and positive definite, "
            "found [1, 2, 2, 1]");
  EXPECT_EQ(fault("anisotropy = { tensor = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }\n"),
            "problem.toml:9: coefficient.anisotropy.tensor: expected 2 rows of 2 numbers on a mesh of 2 dimensions");
  EXPECT_EQ(fault("anisotropy.clay = { ratio = 2, angle = 0 }\n"),
            "problem.toml:9: coefficient.anisotropy.clay: the mesh has no region 'clay', expected one of 'well', "
            "'rest'");
  EXPECT_EQ(fault("anisotropy = { tensor = [[1, 0], [0, 1]], ratio = 3 }\n"),
            "problem.toml:9: coefficient.anisotropy.ratio: unknown key; the keys here are 'tensor'");
  EXPECT_EQ(fault("anisotropy = { ratio = 2, angle = 0 }\n", "kind = \"interval\"\ncells = 4\n", "left"),
            "problem.toml:9: coefficient.anisotropy: expected no anisotropy on a line, which has one direction only");
  EXPECT_EQ(fault("anisotropy = { ratio = 2, direction = [0, 0, 0] }\n", "kind = \"box\"\ncells = [1, 1, 1]\n", "left"),
            "problem.toml:9: coefficient.anisotropy: expected a direction that is not zero");
}

}  // namespace
}  // namespace varimesh::run
