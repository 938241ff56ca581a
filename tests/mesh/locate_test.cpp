#include "varimesh/mesh/locate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>
#include <random>

#include "mesh/mesh_checks.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::mesh {
namespace {

std::vector<Mesh> meshes() {
  std::vector<Mesh> result = {create_interval(9, {-1, 2}), create_rectangle(CellType::triangle, {7, 5}),
                              create_rectangle(CellType::quadrilateral, {6, 7}),
                              create_box(CellType::tetrahedron, {4, 3, 5}),
                              create_box(CellType::hexahedron, {5, 4, 3})};
  for (Mesh& mesh : result) shake(mesh, 0.05);
  return result;
}

/// True if the point is on the inner side of every facet, each taken as flat: right for all but hexahedra.
bool is_inside_flat_facets(const Mesh& mesh, Index cell, const Point& point) {
  const auto node = [&](int i) { return mesh.nodes[mesh.cell(cell)[i]]; };
  for (const auto& facet : topology(mesh.cell_type).facets) {
    const Point a = node(facet[0]);
    Point normal = a - centroid(mesh, cell);
    if (mesh.dimension() == 2) {
      const Point edge = node(facet[1]) - a;
      normal = {edge.y(), -edge.x(), 0};
    }
    if (mesh.dimension() == 3) normal = (node(facet[1]) - a).cross(node(facet[2]) - a);
    if (normal.dot(point - a) > 0) return false;
  }
  return true;
}

std::vector<Point> random_points(const Mesh& mesh, int count) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> coordinate(-0.1, 1.1);
  std::vector<Point> points(count, Point::Zero());
  for (Point& point : points)
    for (int d = 0; d < mesh.dimension(); ++d) point[d] = coordinate(generator);
  return points;
}

TEST(Locate, AgreesWithASearchThroughAllCells) {
  for (const Mesh& mesh : meshes()) {
    if (mesh.cell_type == CellType::hexahedron) continue;
    const PointLocator locator(mesh);
    for (const Point& point : random_points(mesh, 500)) {
      std::optional<Index> expected;
      for (Index c = 0; c < mesh.num_cells() && !expected; ++c)
        if (is_inside_flat_facets(mesh, c, point)) expected = c;
      const auto found = locator.find(point);
      ASSERT_EQ(found.has_value(), expected.has_value()) << topology(mesh.cell_type).name << " " << point.transpose();
      if (found) {
        EXPECT_EQ(found->cell, *expected);
        EXPECT_LT((position_of(mesh, found->cell, found->reference) - point).norm(), 1e-13);
      }
    }
  }
}

TEST(Locate, FindsTheReferencePointThatWasMappedForward) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> coordinate(0.001, 0.999);
  for (const Mesh& mesh : meshes()) {
    const PointLocator locator(mesh);
    for (Index c = 0; c < mesh.num_cells(); ++c)
      for (int repeat = 0; repeat < 5; ++repeat) {
        Point reference = Point::Zero();
        for (int d = 0; d < mesh.dimension(); ++d) reference[d] = coordinate(generator);
        const bool simplex = mesh.cell_type == CellType::triangle || mesh.cell_type == CellType::tetrahedron;
        if (simplex) reference /= mesh.dimension();
        const auto found = locator.find(position_of(mesh, c, reference));
        ASSERT_TRUE(found) << topology(mesh.cell_type).name << " " << reference.transpose();
        EXPECT_EQ(found->cell, c);
        EXPECT_LT((found->reference - reference).norm(), 1e-11);
      }
  }
}

TEST(Locate, GivesNodesToTheirLowestCell) {
  for (const Mesh& mesh : meshes()) {
    const PointLocator locator(mesh);
    std::vector<Index> lowest(mesh.num_nodes(), mesh.num_cells());
    for (Index c = 0; c < mesh.num_cells(); ++c)
      for (const Index n : mesh.cell(c)) lowest[n] = std::min(lowest[n], c);
    for (Index n = 0; n < mesh.num_nodes(); ++n) {
      const auto found = locator.find(mesh.nodes[n]);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->cell, lowest[n]);
    }
  }
}

TEST(Locate, ToleratesRoundingAtTheBoundaryAndNoMore) {
  const Mesh mesh = create_rectangle(CellType::quadrilateral, {4, 4});
  const PointLocator square(mesh);
  EXPECT_TRUE(square.find({1 + 1e-12, 0.3, 0}));
  EXPECT_FALSE(square.find({1 + 1e-9, 0.3, 0}));
}

TEST(Locate, FindsNothingForPointsThatAreNotFinite) {
  const Mesh mesh = create_box(CellType::tetrahedron, {2, 2, 2});
  const PointLocator locator(mesh);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e308})
    for (int d = 0; d < 3; ++d) {
      Point point(0.5, 0.5, 0.5);
      point[d] = bad;
      EXPECT_FALSE(locator.find(point));
    }
}

TEST(Locate, WorksFarFromTheOriginAndOnThinCells) {
  Mesh mesh = create_rectangle(CellType::quadrilateral, {200, 20}, {{{1e6, 1e6 + 1}, {0, 100}}});
  const PointLocator locator(mesh);
  for (Index c = 0; c < mesh.num_cells(); c += 7) {
    const auto found = locator.find(centroid(mesh, c));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cell, c);
  }
}

TEST(Locate, WorksInTinyAndHugeDomains) {
  for (const double size : {1e-90, 1e90}) {
    const Interval side{0, size};
    const Mesh mesh = create_box(CellType::hexahedron, {3, 3, 3}, {side, side, side});
    const auto found = PointLocator(mesh).find(Point(0.5, 0.5, 0.9) * size);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cell, 22);
  }
}

TEST(Locate, ReturnsEvenWhereVolumesUnderflow) {
  const Interval side{0, 1e-110};
  EXPECT_FALSE(PointLocator(create_box(CellType::hexahedron, {3, 3, 3}, {side, side, side})).find(Point(1, 1, 1)));
}

}  // namespace
}  // namespace varimesh::mesh
