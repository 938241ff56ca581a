// Terms of f by name: totals on regions, rates at points, densities from files.
#include <gmock/gmock.h>

#include <cmath>

#include "expect_input_error.h"
#include "run/region_mesh.h"
#include "scratch_directory.h"
#include "varimesh/run/build.h"
#include "varimesh/run/evaluate.h"

namespace varimesh::run {
namespace {

const std::string line = R"([mesh]
kind = "interval"
cells = 10
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
)";

const std::string square = R"([mesh]
kind = "gmsh"
file = "mesh.msh"
[boundary]
rim = { dirichlet = 0 }
[quantities]
out = { flux = "rim" }
)";

class Sources : public testing::Test {
 protected:
  Sources() { directory_.write("mesh.msh", test::region_mesh(8)); }

  Evaluation evaluate_at_zero(const std::string& text) const {
    const Problem problem = build_problem(parse_config(text, directory_.path() / "problem.toml"), Data::if_present);
    return evaluate(problem, Vector::Zero(problem.num_unknowns()));
  }

  test::ScratchDirectory directory_;
};

TEST_F(Sources, APointOnALineGivesTheGreensFunctionAtEveryNode) {
  // -u'' = P delta(x - a):  u = P x (1 - a) up to a, and P a (1 - x) from there on; linear elements have it exactly
  // at nodes, also if a is none.
  const double a = 0.437, rate = -3;
  const Vector u = evaluate_at_zero(line + "[sources]\npump = { point = [0.437], total = -3 }\n").u;
  for (Index v = 0; v <= 10; ++v) {
    const double x = 0.1 * v;
    EXPECT_NEAR(u[v], rate * (x <= a ? x * (1 - a) : a * (1 - x)), 1e-13) << x;
  }
}

TEST_F(Sources, PointsInThePlaneAddUpAndTheirRatesLeave) {
  const std::string first = "a = { point = [0.3, 0.2], total = 2 }\n",
                    second = "b = { point = [0.71, 0.64], total = -5 }\n";
  const Evaluation a = evaluate_at_zero(square + "[sources]\n" + first);
  const Evaluation b = evaluate_at_zero(square + "[sources]\n" + second);
  const Evaluation both = evaluate_at_zero(square + "[sources]\n" + first + second);
  EXPECT_LT((both.u - a.u - b.u).lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_NEAR(a.quantities[0], 2, 1e-12);
  EXPECT_NEAR(both.quantities[0], -3, 1e-12);
}

TEST_F(Sources, WhatAPointDoesElsewhereIsWhatThatPlaceDoesToIt) {
  // G(x, y) = G(y, x)
  const auto at = [&](const std::string& source, const std::string& sensor) {
    return evaluate_at_zero(square + "there = { value = " + sensor + " }\n[sources]\np = { point = " + source +
                            ", total = 1 }\n")
        .quantities[1];
  };
  const std::string x = "[0.3, 0.2]", y = "[0.71, 0.64]";
  EXPECT_NEAR(at(x, y), at(y, x), 1e-14);
  EXPECT_GT(at(x, y), 0);
}

TEST_F(Sources, ATotalOnARegionIsSpreadOverTheRegionsOwnArea) {
  const Evaluation total = evaluate_at_zero(square + "[sources]\nsink = { region = \"well\", total = -500 }\n");
  EXPECT_NEAR(total.quantities[0], -500, 1e-10);
  // The region is a quarter of the unit square.
  const Evaluation density = evaluate_at_zero(square + "[equation]\nsource = { well = -2000 }\n");
  EXPECT_LT((total.u - density.u).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_NEAR(evaluate_at_zero(square + "[sources]\nrain = { total = 7 }\n").quantities[0], 7, 1e-12);
}

TEST_F(Sources, DensitiesComeFromRastersAndTables) {
  // x + 10 y at the centres of pixels, of which the upper rows come first.
  directory_.write("rain.asc",
                   "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n"
                   "15.5 16.5\n5.5 6.5\n");
  directory_.write("rain.csv", "x,y,mm\n0,0,0\n1,0,1\n0,1,10\n1,1,11\n");
  const Vector expected = evaluate_at_zero(square + "[equation]\nsource = \"x + 10*y\"\n").u;
  const Vector table =
      evaluate_at_zero(square + "[sources]\nrain = { density = { file = \"rain.csv\", column = \"mm\" } }\n").u;
  EXPECT_LT((table - expected).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_EQ(evaluate_at_zero(square + "[equation]\nsource = { file = \"rain.csv\", column = \"mm\" }\n").u, table);
  // Beyond the outermost centres, 0.5, a raster goes on with its value there.
  const Vector raster = evaluate_at_zero(square + "[sources]\nrain = { density = { file = \"rain.asc\" } }\n").u;
  const Vector clamped = evaluate_at_zero(square + "[equation]\nsource = \"max(x, 0.5) + 10*max(y, 0.5)\"\n").u;
  EXPECT_LT((raster - clamped).lpNorm<Eigen::Infinity>(), 1e-12);
}

TEST_F(Sources, FaultsNameTheTerm) {
  const auto fault = [&](const std::string& term) {
    return test::input_error([&] { evaluate_at_zero(line + "[sources]\np = " + term + "\n"); })
        .substr((directory_.path() / "").string().size());
  };
  EXPECT_EQ(fault("{ point = [2], total = 1 }"), "problem.toml:8: sources.p: the point is outside the mesh");
  EXPECT_EQ(fault("{ point = [0.1, 0], total = 1 }"),
            "problem.toml:8: sources.p: expected 1 coordinate of a point, as the mesh has dimensions, found 2");
  EXPECT_EQ(fault("{ point = [0.1] }"),
            "problem.toml:8: sources.p: expected either 'total' or 'density', found neither");
  EXPECT_EQ(fault("{ point = [0.1], density = 1 }"),
            "problem.toml:8: sources.p.density: expected a 'total' at a point, which has no extent, found a density");
  EXPECT_EQ(
      fault("{ region = \"core\", total = 1 }"),
      "problem.toml:8: sources.p: the mesh has no region 'core': it has no named ones (in Gmsh, physical groups)");
  EXPECT_EQ(fault("{ density = { file = \"no.csv\" } }").substr(0, 43), "problem.toml:8: sources.p.density: there is");
}

}  // namespace
}  // namespace varimesh::run
