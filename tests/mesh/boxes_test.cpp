#include "varimesh/mesh/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "varimesh/mesh/generate.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/refine.h"

namespace varimesh::mesh {
namespace {

Vector measures(const Mesh& mesh) {
  Vector all(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c) all[c] = signed_measure(mesh, c);
  return all;
}

Vector at_nodes(const Mesh& mesh, const ScalarFunction& f) {
  Vector values(mesh.num_nodes());
  for (Index v = 0; v < mesh.num_nodes(); ++v) values[v] = f(mesh.nodes[v]);
  return values;
}

/// A plate whose triangles are twelve times as long at its left as at its right.
Mesh graded_plate() {
  Mesh mesh = create_rectangle(CellType::triangle, {40, 40}, {});
  for (Point& node : mesh.nodes) node[0] = std::log1p(11 * node[0]) / std::log(12.0);
  return mesh;
}

/// A quarter of a tube of hexahedra.
Mesh bent_box() {
  Mesh mesh = create_box(CellType::hexahedron, {6, 24, 8}, {});
  for (Point& node : mesh.nodes) {
    const double radius = 1 + node[0], angle = node[1] * std::numbers::pi / 2;
    node = {radius * std::cos(angle), radius * std::sin(angle), node[2]};
  }
  return mesh;
}

struct Case {
  const char* name;
  Mesh mesh;
  Index most;
};

std::vector<Case> cases() {
  return {{"line", create_interval(1000, {-1, 2}), 37},
          {"triangles", create_rectangle(CellType::triangle, {30, 20}, {Interval{0, 3}, Interval{-1, 1}}), 100},
          {"quadrilaterals", create_rectangle(CellType::quadrilateral, {30, 20}, {}), 150},
          {"graded", graded_plate(), 700},
          {"hole", refine(create_plate_with_hole({.cell_size = 0.05})).mesh, 900},
          {"tetrahedra", create_box(CellType::tetrahedron, {6, 6, 6}, {}), 100},
          {"hexahedra", bent_box(), 500},
          {"boxes smaller than cells", create_rectangle(CellType::triangle, {3, 3}, {}), 1000}};
}

TEST(Boxes, HoldAllOfEveryCell) {
  for (const auto& [name, mesh, most] : cases()) {
    SCOPED_TRACE(name);
    const Boxes boxes = create_boxes(mesh, most);
    EXPECT_LE(boxes.mesh.num_cells(), most);
    EXPECT_GE(boxes.mesh.num_cells(), most / 2);
    ASSERT_EQ(boxes.overlap.rows(), boxes.mesh.num_cells());
    ASSERT_EQ(boxes.overlap.cols(), mesh.num_cells());
    const Vector of_cells = boxes.overlap.transpose() * Vector::Ones(boxes.mesh.num_cells());
    EXPECT_LE((of_cells - measures(mesh)).cwiseAbs().maxCoeff(), 1e-12 * of_cells.maxCoeff());
    const Vector of_boxes = boxes.overlap * Vector::Ones(mesh.num_cells());
    EXPECT_GT(of_boxes.minCoeff(), 0);
  }
}

TEST(Boxes, HaveTheirCornersInTheMesh) {
  for (const auto& [name, mesh, most] : cases()) {
    SCOPED_TRACE(name);
    const Boxes boxes = create_boxes(mesh, most);
    const PointLocator locator(mesh);
    for (const Point& node : boxes.mesh.nodes) EXPECT_TRUE(locator.find(node));
    // P1 and Q1 reproduce linear functions, which says that values belong to these very points.
    const auto plane = [](const Point& x) { return 2 + x[0] - 3 * x[1] + 0.5 * x[2]; };
    const Vector found = boxes.corners * at_nodes(mesh, plane);
    EXPECT_LE((found - at_nodes(boxes.mesh, plane)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Boxes, CoverWhatTheMeshCovers) {
  for (const auto& [name, mesh, most] : cases()) {
    SCOPED_TRACE(name);
    const Boxes boxes = create_boxes(mesh, most);
    // Chords of a curved boundary cut off less than a tenth of a box at each.
    double covered = 0;
    for (Index box = 0; box < boxes.mesh.num_cells(); ++box) covered += std::abs(signed_measure(boxes.mesh, box));
    EXPECT_NEAR(covered / measures(mesh).sum(), 1, 0.02);
  }
}

TEST(Boxes, OfABoxAreABox) {
  const Boxes boxes = create_boxes(create_rectangle(CellType::quadrilateral, {64, 64}, {}), 1024);
  EXPECT_EQ(boxes.mesh.num_cells(), 1024);
  EXPECT_NO_THROW(validate(boxes.mesh));
  for (Index box = 0; box < 1024; ++box) EXPECT_NEAR(signed_measure(boxes.mesh, box), 1. / 1024, 1e-12);
  // 2 x 2 cells each.
  EXPECT_EQ(boxes.overlap.nonZeros(), 4096);
  EXPECT_EQ(boxes.overlap.coeff(0, 65), 1. / 4096);
}

TEST(Boxes, AverageAsManyPointsInThemDo) {
  constexpr int points = 24;  // along each axis
  for (const Mesh& mesh : {create_rectangle(CellType::triangle, {97, 97}, {}), graded_plate()}) {
    const Boxes boxes = create_boxes(mesh, 400);
    ASSERT_EQ(boxes.mesh.num_cells(), 400);
    Vector of_cells(mesh.num_cells());
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const Point x = centroid(mesh, c);
      of_cells[c] = std::sin(3 * x[0]) * std::cos(2 * x[1]);
    }
    const Vector sums = boxes.overlap * of_cells, sizes = boxes.overlap * Vector::Ones(mesh.num_cells());
    const PointLocator locator(mesh);
    for (Index box = 0; box < 400; ++box) {
      const Point lower = boxes.mesh.nodes[boxes.mesh.cell(box)[0]];
      double mean = 0;
      for (int k = 0; k < points * points; ++k) {
        const Point within((k % points + 0.5) / points, (k / points + 0.5) / points, 0);
        mean += of_cells[locator.find(lower + within / 20)->cell] / (points * points);
      }
      EXPECT_NEAR(sums[box] / sizes[box], mean, 0.02);  // the field changes by 0.15 along a box
    }
  }
}

}  // namespace
}  // namespace varimesh::mesh
