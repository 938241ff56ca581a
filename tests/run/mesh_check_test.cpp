#include "varimesh/run/mesh_check.h"

#include <gmock/gmock.h>

#include <limits>

#include "scratch_directory.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// -u'' = 1 on so many cells, held at zero at both ends, measured in the middle of the first and of the last cell.
struct Line {
  test::ScratchDirectory directory;
  Config config;
  Problem problem;

  explicit Line(int cells) {
    const double first = 0.5 / cells;
    directory.write("data.csv", "x,value\n" + std::to_string(first) + ",0\n" + std::to_string(1 - first) + ",0\n");
    config = parse_config("[mesh]\nkind = \"interval\"\ncells = " + std::to_string(cells) +
                              "\n[equation]\nsource = 1\n[boundary]\nleft = { dirichlet = 0 }\nright = { dirichlet = 0 "
                              "}\n[observations]\ndata = \"data.csv\"\nsigma = 0.001\n[quantities]\nq = { flux = "
                              "\"left\" }\n",
                          directory.path() / "problem.toml");
    problem = build_problem(config, Data::required);
  }
};

TEST(MeshCheck, FindsTheErrorOfLinearInterpolation) {
  // Linear elements are exact at the nodes; in the middle of a cell of size h they are off by h^2 / 8, and that is a
  // node of the refined mesh.
  const Line line(8);
  const result::MeshCheck check = check_mesh(line.config, line.problem, Matrix::Zero(8, 1), unlimited);
  ASSERT_TRUE(check.is_known());
  EXPECT_EQ(check.refined_cells, 16);
  ASSERT_EQ(check.sensors.size(), 2);
  EXPECT_NEAR(check.sensors[0], 1.0 / 512, 1e-12);
  EXPECT_NEAR(check.sensors[1], 1.0 / 512, 1e-12);
  // A flux out of half the source is exact on any mesh.
  EXPECT_NEAR(check.quantities[0], 0, 1e-12);
  EXPECT_NEAR(check.quantities_before[0], 0.5, 1e-12);
  const MeshShares shares = mesh_shares(check, Vector::Constant(2, 0.001));
  EXPECT_NEAR(shares.largest, 1000.0 / 512, 1e-9);
  EXPECT_NEAR(shares.root_mean_square, 1000.0 / 512, 1e-9);
}

TEST(MeshCheck, AFineMeshHasASmallError) {
  const Line line(200);
  const result::MeshCheck check = check_mesh(line.config, line.problem, Matrix::Zero(200, 1), unlimited);
  EXPECT_LT(mesh_shares(check, Vector::Constant(2, 0.001)).largest, 0.01);
}

TEST(MeshCheck, OfSeveralFieldsTheLargestChangeIsKept) {
  const Line line(8);
  Matrix fields = Matrix::Zero(8, 2);
  fields.col(1).setConstant(std::log(0.5));  // u is twice as large, and so is its error
  const result::MeshCheck check = check_mesh(line.config, line.problem, fields, unlimited);
  EXPECT_NEAR(check.sensors[0], 2.0 / 512, 1e-12);
}

TEST(MeshCheck, IsSkippedWhereMemoryIsShort) {
  const Line line(8);
  const result::MeshCheck check = check_mesh(line.config, line.problem, Matrix::Zero(8, 1), 10);
  EXPECT_FALSE(check.is_known());
  EXPECT_THAT(check.skipped, testing::HasSubstr("memory"));
}

TEST(MeshCheck, MadeUpDataOfThisVeryMeshAreNotCalledTooFineForIt) {
  Line line(8);
  const result::Truth truth{Vector::Zero(8), Vector(0), Vector(0)};
  result::MethodRecord record;
  record.quantities.resize(1);  // of no density: fixed by the loads
  record.mesh_check = check_mesh(line.config, line.problem, truth.kappa, unlimited);
  const Vector here = line.problem.model->predict(truth.kappa), refined = here + record.mesh_check.sensors;
  const auto judged = [&](const Vector& data, double sigma, const result::Truth* known) {
    line.problem.observations = inverse::observe_means(data, Vector::Ones(2), Vector::Constant(2, sigma));
    record.trust.clear();
    judge_mesh(ConfiguredProblem(line.config, line.problem), known, record);
    return record.trust.front();
  };
  // Changes of 1/512 are four standard errors at each of two sensors: 16 nats for the mesh that the data are of.
  EXPECT_EQ(judged(here, 0.0005, &truth).level, result::TrustItem::Level::good);
  EXPECT_THAT(judged(here, 0.0005, &truth).headline, testing::StartsWith("The data were made on this very mesh"));
  EXPECT_EQ(judged(refined, 0.0005, &truth).headline, "The mesh is too coarse for the data.");
  EXPECT_EQ(judged(here, 0.0005, nullptr).headline, "The mesh is too coarse for the data.");
  // Two standard errors each: 4 nats do not tell the meshes apart.
  EXPECT_EQ(judged(here, 0.001, &truth).headline, "The mesh is too coarse for the data.");
}

}  // namespace
}  // namespace varimesh::run
