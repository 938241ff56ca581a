#include "varimesh/mesh/generate.h"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>

#include "mesh/mesh_checks.h"
#include "varimesh/error.h"

namespace varimesh::mesh {
namespace {

template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Generate, IntervalHasEqualCellsAndBothEnds) {
  const Mesh mesh = create_interval(3, {-1, 2});
  EXPECT_EQ(mesh.num_cells(), 3);
  EXPECT_EQ(mesh.nodes[1], Point(0, 0, 0));
  EXPECT_DOUBLE_EQ(total_measure(mesh), 3);
  EXPECT_EQ(mesh.boundary("left").facet_nodes, std::vector<Index>{0});
  EXPECT_EQ(mesh.boundary("right").facet_nodes, std::vector<Index>{3});
  EXPECT_NO_THROW(validate(mesh));
}

TEST(Generate, RectanglesTileTheirDomainWithoutGaps) {
  for (const CellType type : {CellType::triangle, CellType::quadrilateral}) {
    const Mesh mesh = create_rectangle(type, {4, 3}, {{{-1, 1}, {0, 0.6}}});
    EXPECT_NO_THROW(validate(mesh));
    EXPECT_EQ(mesh.num_nodes(), 20);
    EXPECT_EQ(mesh.num_cells(), type == CellType::triangle ? 24 : 12);
    EXPECT_NEAR(total_measure(mesh), 1.2, 1e-14);
    EXPECT_TRUE(is_conforming_with_boundary(mesh));
    EXPECT_EQ(euler_characteristic(mesh), 1);
  }
}

TEST(Generate, BoxesTileTheirDomainWithoutGaps) {
  for (const CellType type : {CellType::tetrahedron, CellType::hexahedron}) {
    const Mesh mesh = create_box(type, {3, 2, 4}, {{{0, 1}, {-1, 1}, {2, 2.5}}});
    EXPECT_NO_THROW(validate(mesh));
    EXPECT_EQ(mesh.num_nodes(), 60);
    EXPECT_EQ(mesh.num_cells(), type == CellType::tetrahedron ? 144 : 24);
    EXPECT_NEAR(total_measure(mesh), 1, 1e-14);
    EXPECT_TRUE(is_conforming_with_boundary(mesh));
    EXPECT_EQ(euler_characteristic(mesh), 1);
  }
}

TEST(Generate, NodesAndCellsAreNumberedXFastest) {
  const Mesh mesh = create_rectangle(CellType::triangle, {2, 2});
  EXPECT_EQ(mesh.nodes[1], Point(0.5, 0, 0));
  EXPECT_EQ(mesh.nodes[3], Point(0, 0.5, 0));
  const std::vector<Index> first(mesh.cell_nodes.begin(), mesh.cell_nodes.begin() + 12);
  EXPECT_EQ(first, (std::vector<Index>{0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4}));

  const Mesh box = create_box(CellType::tetrahedron, {2, 2, 2});
  for (Index c = 0; c < box.num_cells(); ++c) {
    const Point x = centroid(box, c);
    const Index hexahedron = (x.x() > 0.5) + 2 * (x.y() > 0.5) + 4 * (x.z() > 0.5);
    EXPECT_EQ(c / 6, hexahedron);
  }
}

TEST(Generate, EachSideLiesWhereItsNameSays) {
  const Mesh mesh = create_box(CellType::hexahedron, {2, 3, 4});
  const std::pair<const char*, std::pair<int, double>> sides[] = {
      {"left", {0, 0}}, {"right", {0, 1}}, {"front", {1, 0}}, {"back", {1, 1}}, {"bottom", {2, 0}}, {"top", {2, 1}}};
  const std::size_t facets[] = {12, 12, 8, 8, 6, 6};
  for (std::size_t s = 0; s < 6; ++s) {
    const auto& [name, plane] = sides[s];
    EXPECT_EQ(mesh.boundary(name).facet_nodes.size(), 4 * facets[s]);
    for (const Index n : mesh.boundary(name).facet_nodes) EXPECT_EQ(mesh.nodes[n][plane.first], plane.second);
  }
}

TEST(Generate, RefusesBadCountsAndExtents) {
  EXPECT_EQ(message([] { create_interval(0); }), "the number of cells in x is 0, expected at least 1");
  EXPECT_EQ(message([] { create_rectangle(CellType::triangle, {3, -1}); }),
            "the number of cells in y is -1, expected at least 1");
  constexpr Index most = std::numeric_limits<Index>::max();
  EXPECT_EQ(message([] { create_box(CellType::tetrahedron, {most, most, most}); }),
            "the mesh would have more than 50000000 cells, expected fewer");
  EXPECT_EQ(message([] { create_rectangle(CellType::triangle, {5001, 5000}); }),
            "the mesh would have more than 50000000 cells, expected fewer");
  EXPECT_EQ(message([] { create_interval(2, {1, 1}); }),
            "the extent in x is [1, 1], expected finite numbers, the first below the second");
  EXPECT_EQ(message([] { create_interval(2, {0, std::numeric_limits<double>::infinity()}); }),
            "the extent in x is [0, inf], expected finite numbers, the first below the second");
  EXPECT_EQ(message([] { create_interval(8, {1, 1.0000000000000002}); }),
            "the extent in x is [1, 1.0000000000000002], too short to be split into 8 cells");
  EXPECT_EQ(message([] { create_rectangle(CellType::hexahedron, {1, 1}); }),
            "a rectangle is made of triangles or quadrilaterals, found hexahedra");
  EXPECT_EQ(message([] { create_box(CellType::triangle, {1, 1, 1}); }),
            "a box is made of tetrahedra or hexahedra, found triangles");
}

TEST(PlateWithHole, DefaultHasTheSizesOfThePaper) {
  const Mesh mesh = create_plate_with_hole();
  EXPECT_EQ(mesh.num_nodes(), 125);
  EXPECT_EQ(mesh.num_cells(), 208);
  EXPECT_EQ(mesh.boundary("hole").facet_nodes.size(), 28u);
  for (const char* side : {"left", "right", "bottom", "top"}) EXPECT_EQ(mesh.boundary(side).facet_nodes.size(), 14u);
}

TEST(PlateWithHole, IsASquareWithoutAPolygon) {
  for (const Index segments : {6, 14, 40}) {
    const PlateWithHole options{0.3, 0.08, segments};
    const Mesh mesh = create_plate_with_hole(options);
    const double polygon = 0.5 * segments * 0.09 * std::sin(2 * M_PI / segments);
    EXPECT_NEAR(total_measure(mesh), 1 - polygon, 1e-12);
    EXPECT_TRUE(is_conforming_with_boundary(mesh));
    EXPECT_EQ(euler_characteristic(mesh), 0);
    EXPECT_EQ(mesh.boundary("hole").facet_nodes.size(), 2u * segments);
    for (const Index n : mesh.boundary("hole").facet_nodes)
      EXPECT_NEAR((mesh.nodes[n] - Point(0.5, 0.5, 0)).norm(), 0.3, 1e-12);
    for (const Index n : mesh.boundary("left").facet_nodes) EXPECT_EQ(mesh.nodes[n].x(), 0);
    for (const Index n : mesh.boundary("top").facet_nodes) EXPECT_EQ(mesh.nodes[n].y(), 1);
  }
}

TEST(PlateWithHole, IsTheSameEachTimeAndLeavesTheLocaleAlone) {
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const Mesh first = create_plate_with_hole(), second = create_plate_with_hole();
  EXPECT_EQ(first.nodes, second.nodes);
  EXPECT_EQ(first.cell_nodes, second.cell_nodes);
  EXPECT_EQ(locale, std::setlocale(LC_ALL, nullptr));
}

TEST(PlateWithHole, RefusesBadOptions) {
  EXPECT_EQ(message([] { create_plate_with_hole({0.5, 0.1, 0}); }),
            "the hole's radius is 0.5, expected a number between 0 and 0.5");
  EXPECT_EQ(message([] { create_plate_with_hole({0.2, 1e-5, 0}); }),
            "the plate's cell size is 1e-05, expected a number from 0.00068 to 1");
  EXPECT_EQ(message([] { create_plate_with_hole({0.2, std::numeric_limits<double>::quiet_NaN(), 0}); }),
            "the plate's cell size is nan, expected a number from 0.00068 to 1");
  EXPECT_EQ(message([] { create_plate_with_hole({0.2, 0.1, 2}); }),
            "the hole has 2 segments, expected 0 (from the cell size) or 3 to 10000");
}

}  // namespace
}  // namespace varimesh::mesh
