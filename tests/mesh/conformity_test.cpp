#include "varimesh/mesh/conformity.h"

#include <gmock/gmock.h>

#include "problems.h"
#include "varimesh/mesh/refine.h"

namespace varimesh::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Conformity, GeneratedAndDistortedMeshesAreSound) {
  for (const CellType type : test::all_cell_types) {
    EXPECT_THAT(find_faults(test::unit_mesh(type, 4)), IsEmpty());
    EXPECT_THAT(find_faults(test::distorted_mesh(type, 4)), IsEmpty());
    EXPECT_THAT(find_faults(refine(test::distorted_mesh(type, 2)).mesh), IsEmpty());
  }
  EXPECT_THAT(find_faults(create_plate_with_hole()), IsEmpty());
}

/// Two cells on the left of a side that one cell on the right has whole.
Mesh hanging() {
  Mesh mesh;
  mesh.cell_type = CellType::triangle;
  mesh.nodes = {{0, 0.5, 0}, {1, 0, 0}, {1, 0.5, 0}, {1, 1, 0}, {2, 0.5, 0}};
  mesh.cell_nodes = {0, 1, 2, 0, 2, 3, 1, 4, 3};
  return mesh;
}

TEST(Conformity, AHangingNodeIsFound) {
  EXPECT_THAT(
      find_faults(hanging()),
      ElementsAre("node 2 at (1, 0.5) lies on a side of cell 2 without being its corner (a hanging node): nothing "
                  "flows through that side"));
}

TEST(Conformity, AHangingNodeOfATetrahedronIsFound) {
  Mesh mesh;
  mesh.cell_type = CellType::tetrahedron;
  // One tetrahedron above the plane z = 0, and three below it around a node in the middle of its face.
  mesh.nodes = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {1, 1, 2}, {1, 1, 0}, {1, 1, -2}};
  mesh.cell_nodes = {0, 1, 2, 3, 1, 0, 4, 5, 2, 1, 4, 5, 0, 2, 4, 5};
  validate(mesh);
  EXPECT_THAT(find_faults(mesh), ElementsAre(HasSubstr("node 4 at (1, 1, 0) lies on a side of cell 0")));
}

TEST(Conformity, OverlappingCellsAreFound) {
  Mesh mesh = hanging();
  mesh.nodes[2] = {1.2, 0.5, 0};  // into the cell on the right
  EXPECT_THAT(find_faults(mesh), Not(IsEmpty()));
  EXPECT_THAT(find_faults(mesh)[0], HasSubstr("node 2 at (1.2, 0.5) lies inside cell 2: cells overlap"));
  // A second layer of cells with nodes of its own
  Mesh twice = test::unit_mesh(CellType::quadrilateral, 2);
  const Index nodes = twice.num_nodes();
  for (Index n = 0; n < nodes; ++n) twice.nodes.push_back(Point(twice.nodes[n] + Point(0.1, 0.1, 0)));
  const auto cells = twice.cell_nodes;
  for (const Index n : cells) twice.cell_nodes.push_back(n + nodes);
  EXPECT_THAT(find_faults(twice), Not(IsEmpty()));
}

TEST(Conformity, OverlapsThatNoNodeOrCentroidShowsAreFound) {
  // A star of two long triangles; the centroid of each is inside the other, so that one is shifted.
  Mesh star;
  star.cell_type = CellType::triangle;
  star.nodes = {{0, 0, 0}, {10, 0, 0}, {0, 1, 0}, {1, -5, 0}, {1.5, -5, 0}, {1, 5, 0}};
  star.cell_nodes = {0, 1, 2, 3, 4, 5};
  validate(star);
  EXPECT_THAT(find_faults(star), ElementsAre(HasSubstr("sides of cells 0 and 1 cross near")));
  // The same as prisms' ends in space: a long thin tetrahedron through the middle of another one.
  Mesh needle;
  needle.cell_type = CellType::tetrahedron;
  needle.nodes = {{0, 0, 0},   {10, 0, 0},    {0, 10, 0},    {0, 0, 10},
                  {1, 1, -20}, {1.2, 1, -20}, {1, 1.2, -20}, {1.05, 1.05, 30}};
  needle.cell_nodes = {0, 1, 2, 3, 4, 6, 5, 7};
  if (signed_measure(needle, 1) < 0) std::swap(needle.cell_nodes[5], needle.cell_nodes[6]);
  validate(needle);
  EXPECT_THAT(find_faults(needle)[0], HasSubstr("sides of cells 0 and 1 cross near"));
}

TEST(Conformity, SidesOfThreeCellsAndCellsFoldedOverAreFound) {
  Mesh mesh;
  mesh.cell_type = CellType::triangle;
  // Both to the left of their common side, the second one much longer than the first.
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, -1, 0}, {-3, 0.2, 0}};
  mesh.cell_nodes = {0, 1, 2, 0, 1, 4};
  EXPECT_THAT(find_faults(mesh),
              testing::Contains("cells 0 and 1 lie on the same side of the side that they share: they overlap"));
  mesh.cell_nodes = {0, 1, 2, 1, 0, 3, 0, 1, 4};
  EXPECT_THAT(find_faults(mesh), testing::Contains("cells 0, 1 and 2 have one side in common: cells overlap"));
}

TEST(Conformity, TwoNodesAtOnePlaceAreFound) {
  // Two squares that touch, but have no node in common.
  Mesh mesh;
  mesh.cell_type = CellType::quadrilateral;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}};
  mesh.cell_nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(find_faults(mesh),
              ElementsAre("nodes 1 and 4 are both at (1, 0): nothing flows between the cells on either side",
                          "nodes 2 and 7 are both at (1, 1): nothing flows between the cells on either side"));
}

}  // namespace
}  // namespace varimesh::mesh
