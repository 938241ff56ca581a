#include "varimesh/mesh/gmsh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "mesh/gmsh_writer.h"
#include "mesh/mesh_checks.h"
#include "varimesh/error.h"
#include "varimesh/file.h"

namespace varimesh::mesh {
namespace {

using Shape = GmshWriter::Shape;
constexpr Shape shapes[] = {Shape::lines, Shape::triangles, Shape::quadrilaterals, Shape::tetrahedra, Shape::hexahedra};

/// The centroids of some sets of nodes, rounded and sorted: the same for two meshes whatever their numbering.
using Centroids = std::vector<std::array<long, 3>>;

Centroids centroids(const Mesh& mesh, const std::vector<Index>& nodes, std::size_t width) {
  Centroids result;
  for (std::size_t at = 0; at < nodes.size(); at += width) {
    Point sum = Point::Zero();
    for (std::size_t i = 0; i < width; ++i) sum += mesh.nodes[nodes[at + i]];
    sum *= 1e9 / static_cast<double>(width);
    result.push_back({std::lround(sum.x()), std::lround(sum.y()), std::lround(sum.z())});
  }
  std::ranges::sort(result);
  return result;
}

/// Everything that a mesh says, by names.
std::map<std::string, Centroids> summary(const Mesh& mesh) {
  const std::size_t width = topology(mesh.cell_type).num_nodes;
  std::map<std::string, Centroids> result;
  result["cells"] = centroids(mesh, mesh.cell_nodes, width);
  for (const auto& region : mesh.regions) {
    std::vector<Index> nodes;
    for (const Index c : region.cells) nodes.insert(nodes.end(), mesh.cell(c).begin(), mesh.cell(c).end());
    result["region " + region.name] = centroids(mesh, nodes, width);
  }
  for (const auto& part : mesh.boundaries)
    result["boundary " + part.name] = centroids(mesh, part.facet_nodes, topology(mesh.cell_type).nodes_per_facet);
  return result;
}

TEST(Gmsh, ReadsAllFourFormatsAlike) {
  for (const Shape shape : shapes) {
    const auto expected = summary(parse_gmsh(GmshWriter::write(shape, gmsh_formats[0]), "first.msh"));
    for (const GmshFormat& format : gmsh_formats)
      EXPECT_EQ(summary(parse_gmsh(GmshWriter::write(shape, format), "other.msh")), expected)
          << static_cast<int>(shape) << " " << format.version << format.binary;
  }
}

TEST(Gmsh, MeshesOfTheRealGmshFillTheirDomain) {
  for (const Shape shape : shapes)
    for (const GmshFormat& format : gmsh_formats) {
      const Mesh mesh = parse_gmsh(GmshWriter::write(shape, format), "real.msh");
      EXPECT_EQ(static_cast<int>(mesh.cell_type), static_cast<int>(shape));
      EXPECT_NEAR(total_measure(mesh), 2, 1e-12);
      EXPECT_EQ(euler_characteristic(mesh), 1);
      for (const auto& [facet, count] : facet_counts(mesh)) EXPECT_LE(count, 2);
    }
}

TEST(Gmsh, PhysicalGroupsBecomeRegionsAndBoundaries) {
  for (const Shape shape : shapes)
    for (const GmshFormat& format : gmsh_formats) {
      const Mesh mesh = parse_gmsh(GmshWriter::write(shape, format), "real.msh");
      std::vector<std::string> regions, boundaries;
      for (const auto& region : mesh.regions) regions.push_back(region.name);
      for (const auto& part : mesh.boundaries) boundaries.push_back(part.name);
      EXPECT_EQ(regions, (std::vector<std::string>{"all", "west", "12"}));
      EXPECT_EQ(boundaries, (std::vector<std::string>{"left", "middle", "ends"}));
      EXPECT_EQ(std::ssize(mesh.regions[0].cells), mesh.num_cells());
      EXPECT_EQ(std::ssize(mesh.regions[1].cells) + std::ssize(mesh.regions[2].cells), mesh.num_cells());
      for (const Index c : mesh.regions[1].cells) EXPECT_LT(centroid(mesh, c).x(), 1);
      for (const Index n : mesh.boundary("left").facet_nodes) EXPECT_EQ(mesh.nodes[n].x(), 0);
      for (const Index n : mesh.boundary("middle").facet_nodes) EXPECT_EQ(mesh.nodes[n].x(), 1);
      EXPECT_EQ(mesh.boundary("ends").facet_nodes.size(), 2 * mesh.boundary("left").facet_nodes.size());
    }
}

/// Two triangles on the unit square in format 2.2, one of them listed for two groups, with large and sparse numbers.
constexpr std::string_view square_2 = R"($Comments
any text
$EndComments
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 5 "the left"
2 8 "plate"
2 9 "lower half"
$EndPhysicalNames
$Nodes
4
900000000000 0 0 0.5
20 1 0 0.5
30 1 1 0.5
7 0 1 0.5
$EndNodes
$Elements
6
1 15 2 4 1 20
2 1 2 5 1 7 900000000000
3 1 2 -6 2 20 30
4 2 2 8 1 900000000000 20 30
5 2 2 9 1 900000000000 20 30
6 2 2 8 1 900000000000 30 7
$EndElements
$Periodic
whatever
$EndPeriodic
)";

TEST(Gmsh, MergesElementsThatAreListedOncePerGroup) {
  const Mesh mesh = parse_gmsh(square_2, "square.msh");
  EXPECT_EQ(mesh.num_nodes(), 4);
  EXPECT_EQ(mesh.cell_nodes, (std::vector<Index>{0, 1, 2, 0, 2, 3}));
  ASSERT_EQ(mesh.regions.size(), 2u);
  EXPECT_EQ(mesh.regions[0].name, "plate");
  EXPECT_EQ(mesh.regions[0].cells, (std::vector<Index>{0, 1}));
  EXPECT_EQ(mesh.regions[1].name, "lower half");
  EXPECT_EQ(mesh.regions[1].cells, (std::vector<Index>{0}));
  EXPECT_EQ(mesh.boundary("the left").facet_nodes, (std::vector<Index>{3, 0}));
  EXPECT_EQ(mesh.boundary("6").facet_nodes, (std::vector<Index>{1, 2}));
  EXPECT_EQ(mesh.nodes[2], Point(1, 1, 0)) << "a constant z is dropped";
}

TEST(Gmsh, AcceptsWindowsLineEnds) {
  std::string windows;
  for (const char c : square_2) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(summary(parse_gmsh(windows, "a.msh")), summary(parse_gmsh(square_2, "b.msh")));
}

TEST(Gmsh, SkipsTheParametersOfParametricNodes) {
  constexpr std::string_view text = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
3 3 1 3
0 1 0 1
1
0 0 0
1 1 1 1
2
1 0 0 0.5
2 1 1 1
3
0 1 0 0.25 0.75
$EndNodes
$Elements
1 1 1 1
2 1 2 1
1 1 2 3
$EndElements
)";
  const Mesh mesh = parse_gmsh(text, "a.msh");
  EXPECT_EQ(mesh.nodes[2], Point(0, 1, 0));
  EXPECT_TRUE(mesh.regions.empty());
}

/// Turns the numbers of a binary 2.2 file of lines, as Gmsh wrote it, to the other byte order.
TEST(Gmsh, ReadsBinaryFilesOfTheOtherByteOrder) {
  const auto number = [](auto value) {
    std::array<char, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    if (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
    return std::string(bytes.begin(), bytes.end());
  };
  std::string bytes = "$MeshFormat\n2.2 1 8\n" + number(1) + "\n$EndMeshFormat\n$Nodes\n2\n";
  for (const int n : {1, 2}) bytes += number(n) + number(0.5 * n) + number(0.) + number(0.);
  bytes += "\n$EndNodes\n$Elements\n1\n";
  for (const int i : {1, 1, 0, 1, 1, 2}) bytes += number(i);
  bytes += "\n$EndElements\n";
  const Mesh mesh = parse_gmsh(bytes, "big.msh");
  EXPECT_EQ(mesh.nodes[1], Point(1, 0, 0));
  EXPECT_DOUBLE_EQ(total_measure(mesh), 0.5);
}

TEST(Gmsh, ReadsFromAFileAndNamesIt) {
  const auto file = std::filesystem::path(testing::TempDir()) / "varimesh_gmsh_test_square.msh";
  write_file(file, square_2);
  EXPECT_EQ(summary(read_gmsh(file)), summary(parse_gmsh(square_2, "")));
  write_file(file, "no mesh");
  try {
    read_gmsh(file);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file.string() + ":1: expected the start of a section, found 'no'");
  }
  std::filesystem::remove(file);
}

TEST(Gmsh, EveryPrefixOfAFileIsAMeshOrAnInputError) {
  for (const Shape shape : {Shape::lines, Shape::triangles})
    for (const GmshFormat& format : gmsh_formats) {
      const std::string bytes = GmshWriter::write(shape, format);
      for (std::size_t length = 0; length < bytes.size(); length += 7) try {
          parse_gmsh(std::string_view(bytes).substr(0, length), "part.msh");
        } catch (const InputError& error) {
          EXPECT_TRUE(std::string_view(error.what()).starts_with("part.msh:")) << error.what();
        }
    }
}

}  // namespace
}  // namespace varimesh::mesh
