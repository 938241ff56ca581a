#include "varimesh/mesh/decimate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems.h"
#include "varimesh/fem/element.h"
#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/mesh/measure.h"

namespace varimesh::mesh {
namespace {

double measure_of(const Mesh& mesh, const std::vector<Index>& cells) { return measure(mesh, cells); }

double measure_of(const Mesh& mesh) {
  std::vector<Index> all(static_cast<std::size_t>(mesh.num_cells()));
  std::iota(all.begin(), all.end(), 0);
  return measure_of(mesh, all);
}

double measure_of(const Mesh& mesh, const BoundaryPart& part) {
  double sum = 0;
  for_each_facet(mesh, part, [&](std::span<const Index> facet) { sum += fem::facet_measure(mesh, facet); });
  return sum;
}

/// A unit square or cube with the regions x < 1/2 and x > 1/2, whose nodes are off a grid.
Mesh halves(CellType type, Index n) {
  Mesh mesh = test::distorted_mesh(type, n);
  mesh.regions = {{"left half", {}}, {"right half", {}}};
  for (Index c = 0; c < mesh.num_cells(); ++c) mesh.regions[centroid(mesh, c)[0] < 0.5 ? 0 : 1].cells.push_back(c);
  return mesh;
}

TEST(Decimate, KeepsTheDomainItsSidesAndItsRegions) {
  for (const auto& [type, n] : {std::pair<CellType, Index>{CellType::triangle, 40}, {CellType::tetrahedron, 12}}) {
    const Mesh fine = halves(type, n);
    const Index wanted = fine.num_cells() / (type == CellType::triangle ? 16 : 8);
    const auto coarse = decimate(fine, wanted);
    ASSERT_TRUE(coarse);
    EXPECT_NO_THROW(validate(*coarse));
    EXPECT_LE(coarse->num_cells(), wanted);
    EXPECT_GT(coarse->num_cells(), 0.9 * wanted);
    EXPECT_NEAR(measure_of(*coarse), 1, 1e-12);
    ASSERT_EQ(coarse->boundaries.size(), fine.boundaries.size());
    for (std::size_t p = 0; p < fine.boundaries.size(); ++p) {
      EXPECT_EQ(coarse->boundaries[p].name, fine.boundaries[p].name);
      EXPECT_NEAR(measure_of(*coarse, coarse->boundaries[p]), 1, 1e-12) << fine.boundaries[p].name;
    }
    for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(measure_of(*coarse, coarse->regions[r].cells), 0.5, 1e-12);
    for (const Point& node : coarse->nodes) EXPECT_NE(std::ranges::find(fine.nodes, node), fine.nodes.end());
  }
}

TEST(Decimate, GivesCellsOfEvenSizeThatAreNotFlat) {
  const auto coarse = decimate(halves(CellType::triangle, 40), 200);
  ASSERT_TRUE(coarse);
  double smallest = 1, largest = 0, sharpest = 1;
  for (Index c = 0; c < coarse->num_cells(); ++c) {
    const double area = signed_measure(*coarse, c);
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
    const auto nodes = coarse->cell(c);
    for (std::size_t a = 0; a < 3; ++a) {
      const Point u = coarse->nodes[nodes[(a + 1) % 3]] - coarse->nodes[nodes[a]];
      const Point v = coarse->nodes[nodes[(a + 2) % 3]] - coarse->nodes[nodes[a]];
      sharpest = std::min(sharpest, u.cross(v).norm() / (u.norm() * v.norm()));
    }
  }
  EXPECT_LT(largest / smallest, 20);
  EXPECT_GT(sharpest, std::sin(8 * 3.14159 / 180));  // of a triangle with a quality of 1/4
}

TEST(Decimate, LeavesAGradedMeshGraded) {
  // In the corner at the origin cells have 0.15 of the area of those in the opposite one. Contractions go through the
  // mesh in waves, which moves this by a factor of three at most; of cells of one size it would be 1.
  Mesh fine = create_rectangle(CellType::triangle, {60, 60});
  for (Point& node : fine.nodes)
    for (const int axis : {0, 1}) node[axis] = (node[axis] + 2 * node[axis] * node[axis]) / 3;
  const auto coarse = decimate(fine, 400);
  ASSERT_TRUE(coarse);
  const auto mean_area = [&](double from, double to) {
    double sum = 0, count = 0;
    for (Index c = 0; c < coarse->num_cells(); ++c) {
      const Point x = centroid(*coarse, c);
      if (std::min(x[0], x[1]) < from || std::max(x[0], x[1]) > to) continue;
      sum += signed_measure(*coarse, c);
      ++count;
    }
    return sum / count;
  };
  EXPECT_GT(mean_area(0.75, 1) / mean_area(0, 0.25), 2);
}

TEST(Decimate, KeepsAHoleRound) {
  const Mesh fine = create_plate_with_hole({.radius = 0.2, .cell_size = 0.02, .hole_segments = 64});
  const auto coarse = decimate(fine, fine.num_cells() / 10);
  ASSERT_TRUE(coarse);
  EXPECT_NO_THROW(validate(*coarse));
  const double pi = std::acos(-1);
  // A polygon of so few sides that each turns by 20 degrees has 98 % of the circle's area.
  EXPECT_NEAR(1 - measure_of(*coarse), pi * 0.04, 0.03 * pi * 0.04);
}

TEST(Decimate, GivesAMeshOnWhichTheEquationIsSolved) {
  // -u'' = 2 along x with u = x (1 - x): second order in the size of cells, on a mesh with a sixteenth of them.
  const Mesh fine = halves(CellType::triangle, 40);
  const auto coarse = decimate(fine, fine.num_cells() / 16);
  ASSERT_TRUE(coarse);
  const fem::EllipticProblem problem(
      *coarse, fem::one_per_cell(*coarse), {{"", test::constant(2)}},
      {test::dirichlet("left", test::constant(0)), test::dirichlet("right", test::constant(0))});
  const Vector u = problem.in_mesh_order(problem.solve(Vector::Zero(coarse->num_cells())).u());
  double worst = 0;
  for (Index v = 0; v < coarse->num_nodes(); ++v) {
    const double x = coarse->nodes[v][0];
    worst = std::max(worst, std::abs(u[v] - x * (1 - x)));
  }
  EXPECT_LT(worst, 0.02);  // h^2 = 0.01, and the largest value is 0.25
}

TEST(Decimate, GivesNothingWhereItCannot) {
  EXPECT_FALSE(decimate(create_rectangle(CellType::quadrilateral, {40, 40}), 100));
  EXPECT_FALSE(decimate(create_rectangle(CellType::triangle, {1, 1}), 1));
}

}  // namespace
}  // namespace varimesh::mesh
