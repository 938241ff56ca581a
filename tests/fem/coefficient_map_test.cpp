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
  const auto centroids = coefficient_centroids(mesh, one_per_block(mesh, {2, 2}));
  ASSERT_EQ(centroids.size(), 4U);
  EXPECT_LT((centroids[3] - Point(0.75, 0.75, 0)).norm(), 1e-14);
}

TEST(CoefficientMap, RefinementKeepsTheParentsUnknown) {
  EXPECT_THAT(refine(CoefficientMap{2, {1, 0}}, {0, 0, 1, 1}).of_cell, ElementsAre(1, 1, 0, 0));
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
