// A conductivity that is known in part of the mesh: there are no unknowns there.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "expect_input_error.h"
#include "run/region_mesh.h"
#include "scratch_directory.h"
#include "varimesh/inverse/independent_prior.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/io/csv.h"
#include "varimesh/io/fields_file.h"
#include "varimesh/io/kappa_file.h"
#include "varimesh/mesh/extract.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/problem_difference.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/sample.h"

namespace varimesh::run {
namespace {

using testing::HasSubstr;

constexpr Index cells_along = 4;

class KnownConductivity : public testing::Test {
 protected:
  KnownConductivity() { directory_.write("mesh.msh", test::region_mesh(cells_along)); }

  /// Heat that enters everywhere and leaves at the rim, measured in ten places.
  Config parse(const std::string& coefficient, const std::string& prior) {
    std::string rows = "x,y,value\n";
    for (int s = 0; s < 10; ++s) rows += fmt::format("{},{},{}\n", 0.1 + 0.08 * s, 0.85 - 0.07 * s, 0.04 + 0.003 * s);
    directory_.write("data.csv", rows);
    return parse_config(
        "[mesh]\nkind = \"gmsh\"\nfile = \"mesh.msh\"\n[equation]\nsource = 1\n[boundary]\nrim = { dirichlet = 0 }\n"
        "[observations]\ndata = \"data.csv\"\nsigma = 0.005\n[quantities]\nmiddle = { value = [0.5, 0.5] }\n"
        "[coefficient]\n" +
            coefficient + "[prior]\n" + prior,
        directory_.path() / "problem.toml");
  }
  Problem build(const Config& config) { return build_problem(config, Data::required); }
  bool in_well(const mesh::Mesh& mesh, Index cell) {
    const auto& well = mesh.region("well").cells;
    return std::ranges::find(well, cell) != well.end();
  }

  test::ScratchDirectory directory_;
};

const std::string independent = "kind = \"independent\"\nmean = 0.5\nsigma = 0.7\n";

TEST_F(KnownConductivity, IsTheLimitOfAPriorThatIsSureThere) {
  const Config config = parse("known_conductivity = { well = \"2 + x\" }\n", independent);
  const Problem problem = build(config);
  ASSERT_EQ(problem.num_unknowns(), 24);
  // The same with 32 unknowns, of which those in the region have a prior of no width.
  std::string table = "kappa,sigma\n";
  const mesh::Mesh& mesh = problem.equation.mesh;
  std::vector<Index> unknowns;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const bool known = in_well(mesh, c);
    table += fmt::format("{},{}\n", known ? std::log(2 + centroid(mesh, c)[0]) : 0.5, known ? 1e-6 : 0.7);
    if (!known) unknowns.push_back(c);
  }
  directory_.write("sure.csv", table);
  const Config sure = parse("", "kind = \"independent\"\nmean = \"sure.csv\"\nsigma = \"sure.csv\"\n");
  const Problem all = build(sure);
  ASSERT_EQ(all.num_unknowns(), 32);
  const result::MethodRecord found = infer(config, problem, build_posterior(config, problem), Method::laplace, {}),
                             expected = infer(sure, all, build_posterior(sure, all), Method::laplace, {});
  // Both searches end within about a hundredth of an sd of the same mode.
  const Vector sd = expected.kappa.sd(unknowns);
  EXPECT_LT(((found.kappa.mean - expected.kappa.mean(unknowns)).array() / sd.array()).abs().maxCoeff(), 0.05);
  EXPECT_LT((found.kappa.sd.array() / sd.array() - 1).abs().maxCoeff(), 0.05);
  // Where the unknowns are the same, all that follows is the same to rounding.
  const Vector kappa = Random(1).normal_vector(24);
  const auto prior = build_prior(sure, all);
  Vector whole = dynamic_cast<const inverse::IndependentPrior&>(*prior).gaussian().mean();
  whole(unknowns) = kappa;
  const auto here = problem.equation.problem->solve(kappa), there = all.equation.problem->solve(whole);
  EXPECT_LT((here.u() - there.u()).lpNorm<Eigen::Infinity>(), 1e-14);
  const Vector functional = Random(2).normal_vector(problem.equation.mesh.num_nodes());
  Vector gradient, long_gradient;
  here.gradient(functional, gradient);
  there.gradient(functional, long_gradient);
  EXPECT_LT((gradient - long_gradient(unknowns)).lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_LT((here.gradients(functional) - gradient).lpNorm<Eigen::Infinity>(), 1e-13);
  Matrix direction = Matrix::Zero(32, 1);
  direction(unknowns, 0) = kappa;
  EXPECT_LT((here.derivatives(kappa) - there.derivatives(direction)).lpNorm<Eigen::Infinity>(), 1e-13);
}

TEST_F(KnownConductivity, OnALineGivesThePosteriorInClosedForm) {
  // Wood from 0 to 1/2, steel from there to 1; u(0) = 0 and a flux of 1 enters at 1:
  //     u(1/2) = 1/(2 k),  u(1) = 1/(2 k) + 1/(2 * 50).
  directory_.write("line.msh",
                   "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n0 1 \"left\"\n0 2 \"right\"\n"
                   "1 3 \"wood\"\n1 4 \"steel\"\n$EndPhysicalNames\n$Nodes\n3\n1 0 0 0\n2 0.5 0 0\n3 1 0 0\n$EndNodes\n"
                   "$Elements\n4\n1 15 2 1 1 1\n2 15 2 2 1 3\n3 1 2 3 1 1 2\n4 1 2 4 1 2 3\n$EndElements\n");
  directory_.write("line.csv", "x,value\n0.5,0.27\n1,0.3\n");
  for (const std::string steel : {"50", "\"100*x - 25\"", "{ file = \"steel.csv\" }"}) {  // 50 at the centroid
    directory_.write("steel.csv", "x,value\n0.5,20\n1,80\n");
    const Config config = parse_config(
        "[mesh]\nkind = \"gmsh\"\nfile = \"line.msh\"\n[boundary]\nleft = { dirichlet = 0 }\n"
        "right = { neumann = 1 }\n[coefficient]\nper = \"region\"\nknown_conductivity = { steel = " +
            steel +
            " }\n[observations]\ndata = \"line.csv\"\nsigma = 0.02\n[prior]\nkind = \"independent\"\n"
            "mean = 0.2\nsigma = 0.5\n",
        directory_.path() / "problem.toml");
    const Problem problem = build(config);
    ASSERT_EQ(problem.num_unknowns(), 1);
    const inverse::Posterior posterior = build_posterior(config, problem);
    const auto value = [&](const Vector& kappa) {
      return posterior.likelihood().value(kappa) + posterior.prior().log_density(kappa);
    };
    const auto log_density = [](double kappa) {
      const double a = (0.27 - 0.5 * std::exp(-kappa)) / 0.02, b = (0.3 - 0.5 * std::exp(-kappa) - 0.01) / 0.02;
      const double p = (kappa - 0.2) / 0.5;
      return -0.5 * (a * a + b * b + p * p);
    };
    for (const double kappa : {-0.5, 0.1, 0.6, 2.0})
      EXPECT_NEAR(value(Vector::Constant(1, kappa)) - value(Vector::Zero(1)), log_density(kappa) - log_density(0), 1e-9)
          << steel << ", " << kappa;
  }
}

TEST_F(KnownConductivity, FilesShowItWithoutUncertainty) {
  const Config config = parse("known_conductivity = { well = 3 }\n[truth]\nkappa = 0\n", independent);
  const Problem problem = build(config);
  const result::ProblemRecord record = record_problem(config, problem);
  EXPECT_THAT(record.words.mesh,
              HasSubstr("24 in all. The conductivity is known (grey in maps), and nothing is inferred: 3 in well."));
  EXPECT_EQ(record.num_known(), 8);
  result::MethodRecord method = infer(config, problem, build_posterior(config, problem), Method::laplace, {});
  // The cells of kappa.csv are those of the mesh, and the file is one of kappa for the same problem.
  directory_.write("kappa.csv", io::format_kappa(record, method));
  const io::CsvTable table = io::read_csv(directory_.path() / "kappa.csv");
  ASSERT_EQ(table.num_rows(), 24U);
  for (std::size_t k = 0; k < 24; ++k) {
    const auto cell = static_cast<Index>(table.column("cell")[k]);
    EXPECT_FALSE(in_well(problem.equation.mesh, cell));
    EXPECT_EQ(table.column("x")[k], centroid(problem.equation.mesh, cell)[0]);
  }
  EXPECT_EQ(read_kappa((directory_.path() / "kappa.csv").string(), 24), method.kappa.mean);
  const Point inside(0.2, 0.1, 0), outside(0.8, 0.3, 0);
  const Samples samples = sample_result({record, method}, {inside, outside});
  EXPECT_EQ(samples.names[1], "kappa_sd");
  EXPECT_NEAR(samples.values[0][0], std::log(3), 1e-15);
  EXPECT_EQ(samples.values[1][0], 0);
  EXPECT_NEAR(samples.values[6][0], 3, 1e-14);
  EXPECT_GT(samples.values[1][1], 0);
}

TEST_F(KnownConductivity, TheFieldOfAnSpdeEndsWhereItBegins) {
  const Config config = parse("known_conductivity = { well = 3 }\n", "kind = \"spde\"\nrange = 0.6\nsigma = 0.8\n");
  const Problem problem = build(config);
  const auto prior = std::dynamic_pointer_cast<const inverse::SpdePrior>(build_prior(config, problem));
  const mesh::Mesh part = mesh::extract(problem.equation.mesh, problem.equation.mesh.region("rest").cells);
  EXPECT_NO_THROW(mesh::validate(part));
  inverse::SpdeSettings settings{0.8, 0.6, 2};
  settings.means = Vector::Zero(24);
  EXPECT_EQ(Matrix(*prior->sparse_precision()), Matrix(*inverse::SpdePrior(part, settings).sparse_precision()));
}

TEST_F(KnownConductivity, MayBeOfBlocksOfWhichPartsRemain) {
  // Of 2 x 2 blocks the lower left one is known, so that three remain.
  const Problem problem =
      build(parse("per = \"block\"\nblocks = [2, 2]\nknown_conductivity = { well = 3 }\n", independent));
  EXPECT_EQ(problem.num_unknowns(), 3);
  EXPECT_TRUE(problem.equation.coefficients.is_known(problem.equation.mesh.region("well").cells.front()));
}

TEST_F(KnownConductivity, OtherValuesMakeAnotherProblemForPredictions) {
  const auto record = [&](const std::string& value) {
    const Config config = parse("known_conductivity = { well = " + value + " }\n", independent);
    return record_problem(config, build(config));
  };
  EXPECT_EQ(mesh_difference(record("3"), record("3")), "");
  EXPECT_EQ(mesh_difference(record("3"), record("4")),
            "their conductivities are known in other cells, or are others ([coefficient])");
}

TEST_F(KnownConductivity, FaultsNameTheRegion) {
  const auto fault = [&](const std::string& coefficient) {
    return test::input_error([&] { build(parse(coefficient, independent)); })
        .substr((directory_.path() / "").string().size());
  };
  EXPECT_EQ(fault("known_conductivity = { wel = 3 }\n"),
            "problem.toml:14: coefficient.known_conductivity.wel: the mesh has no region 'wel', expected one of "
            "'well', 'rest'; did you mean 'well'?");
  EXPECT_EQ(fault("known_conductivity = { well = \"x - 0.3\" }\n"),
            "problem.toml:14: coefficient.known_conductivity.well: expected a positive number in each cell, found "
            "-0.133333 at (0.166667, 0.0833333)");
  EXPECT_EQ(fault("known_conductivity = { well = 3, rest = 4 }\n"),
            "problem.toml:13: coefficient: the conductivity of every cell is known: nothing is left to infer");
  EXPECT_EQ(fault("per = \"node\"\nknown_conductivity = { well = 3 }\n"),
            "problem.toml:13: coefficient: a conductivity can be known with one unknown for each cell, block or "
            "region, not for each node");
  EXPECT_EQ(fault("known_conductivity = 3\n"),
            "problem.toml:14: coefficient.known_conductivity: expected a table with a number, an expression or a file "
            "for each region, found an integer");
}

}  // namespace
}  // namespace varimesh::run
