#include "varimesh/fem/coefficient_map.h"

#include <gmock/gmock.h>

#include "expect_input_error.h"
#include "problems.h"

namespace varimesh::fem {
namespace {

using mesh::CellType;
using testing::ElementsAre;

TEST(CoefficientMap, BlocksAreNumberedXFastest) {
  // The benchmark's rule: block = floor(8 x) + 8 floor(8 y).
  const auto mesh = mesh::create_rectangle(CellType::quadrilateral, {32, 32});
  const CoefficientMap map = one_per_block(mesh, {8, 8});
  EXPECT_EQ(map.num_coefficients, 64);
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const Point x = centroid(mesh, c);
    EXPECT_EQ(map.of_cell[c], static_cast<Index>(8 * x[0]) + 8 * static_cast<Index>(8 * x[1]));
  }
}

TEST(CoefficientMap, RegionsBecomeUnknownsInTheirOrder) {
  auto mesh = mesh::create_interval(4);
  mesh.regions = {{"steel", {2, 3}}, {"wood", {0, 1}}};
  EXPECT_THAT(one_per_region(mesh).of_cell, ElementsAre(1, 1, 0, 0));
}

TEST(CoefficientMap, CentroidsAreThoseOfTheUnion) {
  const auto mesh = mesh::create_rectangle(CellType::triangle, {4, 4});
  const auto centroids = coefficient_positions(mesh, one_per_block(mesh, {2, 2}));
  ASSERT_EQ(centroids.size(), 4U);
  EXPECT_LT((centroids[3] - Point(0.75, 0.75, 0)).norm(), 1e-14);
}

TEST(CoefficientMap, RefinementKeepsTheParentsUnknown) {
  const auto fine = mesh::refine(mesh::create_interval(2));
  EXPECT_THAT(refine(CoefficientMap{2, {1, 0}}, fine).of_cell, ElementsAre(1, 1, 0, 0));
}

TEST(CoefficientMap, LeavesOutUnknownsWhoseCellsAreAllKnown) {
  const CoefficientMap map = fix(CoefficientMap{3, {0, 0, 1, 1, 2, 2}}, {5, 2, 3}, Vector{{7, -1, 7}});
  EXPECT_EQ(map.num_coefficients, 2);
  EXPECT_THAT(map.known, ElementsAre(-1, 7));
  EXPECT_THAT(map.of_cell, ElementsAre(0, 0, 2, 3, 1, 3));
  EXPECT_TRUE(map.is_known(2) && !map.is_known(4));
  const auto mesh = mesh::create_interval(6);
  EXPECT_NEAR(coefficient_volumes(mesh, map).sum(), 0.5, 1e-15);
  EXPECT_NEAR(coefficient_positions(mesh, map)[1][0], 0.75, 1e-15);
  EXPECT_THAT(refine(map, mesh::refine(mesh)).known, ElementsAre(-1, 7));
  EXPECT_INPUT_ERROR(fix(map, {0, 0}, Vector{{1, 1}}), "cell 0 is in two regions: expected one");
}

TEST(CoefficientMap, ACellTakesTheMeanOfItsNodes) {
  for (const CellType type : test::all_cell_types) {
    const auto mesh = test::distorted_mesh(type, 3);
    const CoefficientMap map = one_per_node(mesh);
    EXPECT_TRUE(map.on_nodes());
    EXPECT_EQ(map.num_coefficients, mesh.num_nodes());
    EXPECT_EQ(coefficient_positions(mesh, map), mesh.nodes);
    const Vector kappa = Random(1).normal_vector(mesh.num_nodes());
    const Vector found = cell_means(mesh, map) * kappa;
    ASSERT_EQ(found.size(), mesh.num_cells());
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      double sum = 0;
      for (const Index v : mesh.cell(c)) sum += kappa[v];
      EXPECT_NEAR(found[c], sum / static_cast<double>(mesh.cell(c).size()), 1e-15) << topology(type).name;
    }
  }
}

TEST(CoefficientMap, RefinementInterpolatesAFieldOnNodes) {
  // A linear function is what it is at every node of the finer meshes, and at the means of the cells' nodes.
  const auto linear = [](const Point& x) { return 1 + 2 * x[0] - 3 * x[1] + 0.5 * x[2]; };
  for (const CellType type : test::all_cell_types) {
    auto mesh = test::distorted_mesh(type, 2);
    CoefficientMap map = one_per_node(mesh);
    const auto coarse_nodes = mesh.nodes;
    Vector kappa(mesh.num_nodes());
    for (Index v = 0; v < mesh.num_nodes(); ++v) kappa[v] = linear(mesh.nodes[v]);
    for (int level = 0; level < 2; ++level) {
      auto fine = mesh::refine(mesh);
      map = refine(map, fine);
      mesh = std::move(fine.mesh);
    }
    EXPECT_EQ(map.num_coefficients, kappa.size());
    EXPECT_EQ(coefficient_positions(mesh, map), coarse_nodes);
    const Vector at_nodes = map.at_nodes * kappa, in_cells = cell_means(mesh, map) * kappa;
    ASSERT_EQ(at_nodes.size(), mesh.num_nodes());
    for (Index v = 0; v < mesh.num_nodes(); ++v) EXPECT_NEAR(at_nodes[v], linear(mesh.nodes[v]), 1e-14);
    for (Index c = 0; c < mesh.num_cells(); ++c) EXPECT_NEAR(in_cells[c], linear(centroid(mesh, c)), 1e-14);
  }
}

TEST(CoefficientMap, VolumesSumToTheDomainsAndStayWithTheUnknowns) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 2);
    const mesh::RefinedMesh fine = mesh::refine(mesh);
    for (const CoefficientMap& map : {one_per_cell(mesh), one_per_node(mesh)}) {
      const Vector volumes = coefficient_volumes(mesh, map);
      EXPECT_EQ(volumes.size(), map.num_coefficients);
      EXPECT_NEAR(volumes.sum(), 1, 1e-13);
      EXPECT_NEAR(coefficient_volumes(fine.mesh, refine(map, fine)).sum(), 1, 1e-13);
    }
  }
  const mesh::Mesh line = mesh::create_interval(2);
  EXPECT_EQ(coefficient_volumes(line, one_per_node(line)), Eigen::Vector3d(0.25, 0.5, 0.25));
}

TEST(CoefficientMap, FaultsAreNamed) {
  auto mesh = mesh::create_interval(4);
  EXPECT_INPUT_ERROR(one_per_block(mesh, {2, 2}), "expected 1 numbers of blocks, one for each axis, found 2");
  EXPECT_INPUT_ERROR(one_per_block(mesh, {0}), "expected a positive number of blocks, found 0");
  EXPECT_INPUT_ERROR(one_per_block(mesh, {5}), "expected at most as many blocks as cells (4), found 5");
  EXPECT_INPUT_ERROR(one_per_block(mesh, {3}), "");  // 4 cells in 3 blocks are fine
  EXPECT_INPUT_ERROR(one_per_region(mesh), "the mesh has no named regions: expected one for each unknown");
  mesh.regions = {{"a", {0, 1, 2}}};
  EXPECT_INPUT_ERROR(one_per_region(mesh), "cell 3 is in no named region: expected one");
  mesh.regions = {{"a", {0, 1, 2}}, {"b", {2, 3}}};
  EXPECT_INPUT_ERROR(one_per_region(mesh), "cell 2 is in region 'a' and in region 'b': expected one");

  // Triangles of a 2 x 2 square have centroids at thirds of the squares: none in the middle of three columns.
  const auto square = mesh::create_rectangle(CellType::quadrilateral, {2, 2});
  EXPECT_INPUT_ERROR(one_per_block(square, {3, 1}),
                     "block 1 contains no cell's centroid: use fewer blocks or a finer mesh");
}

}  // namespace
}  // namespace varimesh::fem
