// Second-order Gmsh meshes by their corners, and files of other formats.
#include <gmock/gmock.h>

#include "expect_input_error.h"
#include "varimesh/mesh/gmsh.h"
#include "varimesh/mesh/other_format.h"

namespace varimesh::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A square of two second-order triangles, corners 1 to 4, with two second-order lines as its left and right side.
const std::string square_2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "left"
2 8 "all"
$EndPhysicalNames
$Nodes
9
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0.5 0 0
6 1 0.5 0
7 0.5 1 0
8 0 0.5 0
9 0.5 0.5 0
$EndNodes
$Elements
3
1 8 2 7 1 4 1 8
2 9 2 8 1 1 2 3 5 6 9
3 9 2 8 1 1 3 4 9 7 8
$EndElements
)";

TEST(SecondOrder, IsReadByItsCornersOnRequest) {
  const Mesh mesh = parse_gmsh(square_2, "a.msh", true);
  EXPECT_EQ(mesh.cell_type, CellType::triangle);
  EXPECT_THAT(mesh.cell_nodes, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_EQ(mesh.num_nodes(), 4);
  EXPECT_EQ(mesh.nodes[3], Point(0, 1, 0));
  EXPECT_THAT(mesh.boundary("left").facet_nodes, ElementsAre(3, 0));
  EXPECT_THAT(mesh.region("all").cells, ElementsAre(0, 1));
}

TEST(SecondOrder, IsRefusedOtherwiseWithAHint) {
  EXPECT_INPUT_ERROR(
      parse_gmsh(square_2, "a.msh"),
      "a.msh:23: expected first-order points, lines, triangles, quadrilaterals, tetrahedra or hexahedra, found "
      "Gmsh element type 8 (3-node second-order line): export the mesh with `gmsh -order 1`, or read its "
      "corners by corners_only = true in [mesh]");
}

TEST(SecondOrder, OfFormatFourIsReadByItsCornersToo) {
  const std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n1 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0.5 0 0\n$EndNodes\n"
      "$Elements\n1 1 1 1\n1 1 8 1\n1 1 2 3\n$EndElements\n";
  const Mesh mesh = parse_gmsh(text, "a.msh", true);
  EXPECT_EQ(mesh.num_nodes(), 2);
  EXPECT_THAT(mesh.cell_nodes, ElementsAre(0, 1));
}

TEST(OtherFormat, IsNamedWithACommandThatConvertsIt) {
  for (const auto& [start, name, suffix] : std::vector<std::array<const char*, 3>>{
           {"# vtk DataFile Version 5.1\n", "a VTK file", "vtk"},
           {"<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">", "a VTK file", "vtu"},
           {"*HEADING\nAbaqus DataFile", "an Abaqus file", "inp"},
           {"MeshVersionFormatted 2\n", "a Medit file", "mesh"},
           {"\x89HDF\r\n\x1a\n", "an HDF5 file", "med"}})
    EXPECT_THAT(
        test::input_error([&] { parse_gmsh(start, "a.msh"); }),
        testing::AllOf(HasSubstr(std::string("a.msh: expected a Gmsh .msh file, found what looks like ") + name),
                       HasSubstr(std::string("meshio convert --output-format gmsh22 mesh.") + suffix + " mesh.msh")));
  EXPECT_THAT(describe_other_format(square_2), IsEmpty());
  EXPECT_THAT(describe_other_format(""), IsEmpty());
}

}  // namespace
}  // namespace varimesh::mesh
