#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "varimesh/error.h"
#include "varimesh/mesh/gmsh.h"

namespace varimesh::mesh {
namespace {

std::string fault(std::string_view bytes) {
  try {
    parse_gmsh(bytes, "a.msh");
  } catch (const InputError& error) {
    return error.what();
  }
  return "a mesh";
}

/// A text file of format 2.2 from the lines of its nodes and elements.
std::string file_2(const std::string& nodes, const std::string& elements) {
  const auto section = [](const std::string& name, const std::string& lines) {
    return "$" + name + "\n" + std::to_string(std::count(lines.begin(), lines.end(), '\n')) + "\n" + lines + "$End" +
           name + "\n";
  };
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + section("Nodes", nodes) + section("Elements", elements);
}

/// A text file of format 4.1 with these sections.
std::string file_4(const std::string& sections) { return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n" + sections; }

const std::string square = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n";
const std::string nodes_4 = "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n";

TEST(GmshFaults, TheFilesTheyAreMadeFromAreMeshes) {
  EXPECT_EQ(fault(file_2(square, "1 3 0 1 2 3 4\n")), "a mesh");
  EXPECT_EQ(fault(file_4(nodes_4 + "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n")), "a mesh");
}

TEST(GmshFaults, AnotherVersion) {
  EXPECT_EQ(fault("$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"),
            "a.msh:2: expected Gmsh format 4.1 or 2.2, found '4.0': export the mesh with `gmsh -format msh41`");
  EXPECT_EQ(fault("$NOD\n1\n1 0 0 0\n$ENDNOD\n"),
            "a.msh:1: expected Gmsh format 4.1 or 2.2, found '1.0': export the mesh with `gmsh -format msh41`");
}

TEST(GmshFaults, ABadHeader) {
  EXPECT_EQ(fault(""), "a.msh:1: expected $MeshFormat, found the end of the file");
  EXPECT_EQ(fault("$Nodes\n"), "a.msh:1: expected $MeshFormat before any other section, found none");
  EXPECT_EQ(fault("$MeshFormat\n2.2 2 8\n"), "a.msh:2: expected 0 (text) or 1 (binary), found 2");
  EXPECT_EQ(fault("$MeshFormat\n2.2 0 4\n"), "a.msh:2: expected the size of a number in bytes, 8, found 4");
  EXPECT_EQ(fault("$MeshFormat\n2.2 0 8\n$EndNodes\n"), "a.msh:3: expected $EndMeshFormat, found '$EndNodes'");
  EXPECT_EQ(fault(std::string("$MeshFormat\n2.2 1 8\n\2\0\0\0\n", 25)),
            "a.msh: byte 20: expected the integer 1 in the file's byte order, found 2");
}

TEST(GmshFaults, AMissingOrRepeatedSection) {
  EXPECT_EQ(fault(file_4("")), "a.msh:4: expected $Nodes, found the end of the file");
  EXPECT_EQ(fault(file_4(nodes_4)), "a.msh:14: expected $Elements, found the end of the file");
  EXPECT_EQ(fault(file_4(nodes_4 + nodes_4)), "a.msh:14: expected one $Nodes, found a second");
  EXPECT_EQ(fault(file_4("$Foo\n")), "a.msh:4: expected the end of section 'Foo', found none");
  EXPECT_EQ(fault(file_4("Foo\n")), "a.msh:4: expected the start of a section, found 'Foo'");
  EXPECT_EQ(fault(file_4("$PartitionedEntities\n")),
            "a.msh:4: expected a mesh in one piece, found $PartitionedEntities: export it without partitions");
}

TEST(GmshFaults, ATruncatedFile) {
  const std::string text = file_2(square, "1 3 0 1 2 3 4\n");
  EXPECT_EQ(fault(text.substr(0, text.find("$EndElements") - 5)),
            "a.msh:13: expected a node of an element, found the end of the file");
  EXPECT_EQ(fault(text.substr(0, text.find("$EndElements"))),
            "a.msh:14: expected $EndElements, found the end of the file");
  EXPECT_EQ(fault(std::string("$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n1\n\1\0\0\0", 53)),
            "a.msh: byte 47: expected 1 nodes, found the end of the file after 4 bytes");
}

TEST(GmshFaults, CountsBeyondTheFile) {
  EXPECT_EQ(fault("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999\n1 0 0 0\n"),
            "a.msh:5: expected 99999999 nodes, found the end of the file after 9 bytes");
  EXPECT_EQ(fault("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n-1\n"),
            "a.msh:5: expected 0 to 100000000 nodes, found the count -1");
  EXPECT_EQ(fault(file_4("$Nodes\n1 9000000000000000000 1 3\n")),
            "a.msh:5: expected 0 to 100000000 nodes, found the count 9000000000000000000");
  EXPECT_EQ(fault(file_4("$Nodes\n1 1 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n")),
            "a.msh:6: expected a block of at most 1 nodes, found 3");
}

TEST(GmshFaults, ABadNumber) {
  EXPECT_EQ(fault(file_2("1 0 zero 0\n", "1 15 0 1\n")), "a.msh:6: expected a coordinate of a node, found 'zero'");
  EXPECT_EQ(fault(file_2("1 0 nan 0\n", "1 15 0 1\n")),
            "a.msh:6: expected a coordinate of a node that is finite, found nan");
  EXPECT_EQ(fault(file_2("1 0 1e999 0\n", "1 15 0 1\n")), "a.msh:6: expected a coordinate of a node, found '1e999'");
}

TEST(GmshFaults, AnElementTypeThatIsNotRead) {
  EXPECT_EQ(fault(file_2(square, "1 9 0 1 2 3 1 2 3\n")),
            "a.msh:13: expected first-order points, lines, triangles, quadrilaterals, tetrahedra or hexahedra, "
            "found Gmsh element type 9 (6-node second-order triangle): export the mesh with `gmsh -order 1`, or read "
            "its corners by corners_only = true in [mesh]");
  EXPECT_EQ(fault(file_2(square, "1 77 0 1 2 3\n")),
            "a.msh:13: expected first-order points, lines, triangles, quadrilaterals, tetrahedra or hexahedra, "
            "found Gmsh element type 77");
}

TEST(GmshFaults, CellsOfTwoTypes) {
  EXPECT_EQ(fault(file_2(square + "5 2 0 0\n", "1 3 0 1 2 3 4\n8 2 0 2 5 3\n")),
            "a.msh: element 1 is a quadrilateral and element 8 is a triangle, expected cells of one type");
}

TEST(GmshFaults, MixedDimensions) {
  EXPECT_EQ(fault(file_2(square + "5 2 0 0\n", "1 3 0 1 2 3 4\n8 1 0 2 5\n")),
            "a.msh: mixed-dimension mesh: element 8 is a line that belongs to no quadrilateral, expected only facets "
            "of the cells; in Gmsh, every part of the domain needs a physical group");
  EXPECT_EQ(fault(file_2(square, "1 3 0 1 2 3 4\n8 1 1 3 2 4\n")),
            "a.msh: mixed-dimension mesh: element 8 is a line that belongs to no quadrilateral, expected only facets "
            "of the cells; in Gmsh, every part of the domain needs a physical group");
  EXPECT_EQ(fault(file_2("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n", "1 4 0 1 2 3 4\n6 3 0 2 3 4 5\n")),
            "a.msh: mixed-dimension mesh: element 6 is a quadrilateral that belongs to no tetrahedron, "
            "expected only facets of the cells; in Gmsh, every part of the domain needs a physical group");
}

TEST(GmshFaults, NodesThatAreMissingRepeatedOrUnused) {
  EXPECT_EQ(fault(file_2(square, "1 3 0 1 2 3 44\n")), "a.msh: element 1 has node 44, which is not in $Nodes");
  EXPECT_EQ(fault(file_2(square + "2 5 5 0\n", "1 3 0 1 2 3 4\n")), "a.msh: node 2 is defined twice");
  EXPECT_EQ(fault(file_2(square + "50 0.5 0.5 0\n", "1 3 0 1 2 3 4\n")),
            "a.msh: node 50 belongs to no element, expected every node to be a corner of one");
}

TEST(GmshFaults, InvertedCells) {
  EXPECT_EQ(fault(file_2(square, "6 3 0 1 4 3 2\n")),
            "a.msh: element 6 is inverted or degenerate: expected a positive area, found -1; "
            "reverse the orientation of its curve, surface or volume in Gmsh");
  EXPECT_EQ(fault(file_2("1 0 0 0\n2 3 0 0\n", "6 1 0 2 1\n")),
            "a.msh: element 6 is inverted or degenerate: expected a positive length, found -3; "
            "reverse the orientation of its curve, surface or volume in Gmsh");
}

TEST(GmshFaults, CellsOutsideTheirPlaneOrAxis) {
  EXPECT_EQ(
      fault(file_2("1 0 0 0\n2 1 0 0\n3 1 1 0.5\n", "1 2 0 1 2 3\n")),
      "a.msh: node 3 has z = 0.5 and node 1 has 0, expected triangles that lie in a plane of constant z; if there "
      "should be cells of a higher dimension, give them a physical group, for Gmsh saves only what has one");
  EXPECT_EQ(fault(file_2("1 0 2 0\n2 1 3 0\n", "1 1 0 1 2\n")),
            "a.msh: node 2 has y = 3 and node 1 has 2, expected lines that lie along the x axis; if there should be "
            "cells of a higher dimension, give them a physical group, for Gmsh saves only what has one");
}

TEST(GmshFaults, AnEmptyMesh) {
  EXPECT_EQ(fault(file_2("", "")),
            "a.msh: expected lines, triangles, quadrilaterals, tetrahedra or hexahedra, found an empty mesh");
  EXPECT_EQ(fault(file_2(square, "1 15 0 1\n")),
            "a.msh: expected lines, triangles, quadrilaterals, tetrahedra or hexahedra, found an empty mesh");
}

TEST(GmshFaults, BlocksThatContradictThemselves) {
  EXPECT_EQ(fault(file_4(nodes_4 + "$Elements\n1 1 1 1\n1 1 2 1\n1 1 2 3\n$EndElements\n")),
            "a.msh:16: expected elements of dimension 1 as their entity 1 has, found Gmsh element type 2");
  EXPECT_EQ(fault(file_4(nodes_4 + "$Elements\n1 2 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n")),
            "a.msh:17: expected 2 elements in all blocks, found 1");
  EXPECT_EQ(fault(file_4("$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n")),
            "a.msh:6: expected the dimension of an entity, 0 to 3, found 4");
}

TEST(GmshFaults, APhysicalNameWithoutQuotes) {
  EXPECT_EQ(fault("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 plate\n$EndPhysicalNames\n"),
            "a.msh:6: expected the name of physical group 1 in quotes, found none");
}

TEST(GmshFaults, TwoGroupsOfOneName) {
  const std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"p\"\n2 2 \"p\"\n$EndPhysicalNames\n"
      "$Nodes\n4\n" +
      square + "$EndNodes\n$Elements\n2\n1 2 1 1 1 2 3\n2 2 1 2 1 3 4\n$EndElements\n";
  EXPECT_EQ(fault(text), "a.msh: two regions are called 'p', expected different names");
}

}  // namespace
}  // namespace varimesh::mesh
