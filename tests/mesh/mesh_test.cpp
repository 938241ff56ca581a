#include "varimesh/mesh/mesh.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "varimesh/error.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::mesh {
namespace {

std::string fault(const Mesh& mesh, const MeshNames& names = {}) {
  try {
    validate(mesh, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "valid";
}

Mesh two_triangles() { return create_rectangle(CellType::triangle, {1, 1}); }

TEST(Mesh, MeasuresOfReferenceCellsAreThoseOfTheTextbook) {
  const std::vector<Point> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double expected[] = {1, 0, 0.5, 1. / 6};
  for (const CellType type : {CellType::line, CellType::triangle, CellType::tetrahedron}) {
    Mesh mesh;
    mesh.cell_type = type;
    for (Index n = 0; n < topology(type).num_nodes; ++n) {
      mesh.nodes.push_back(corners[n]);
      mesh.cell_nodes.push_back(n);
    }
    EXPECT_DOUBLE_EQ(signed_measure(mesh, 0), expected[mesh.dimension() == 1 ? 0 : mesh.dimension()]);
    std::swap(mesh.cell_nodes[0], mesh.cell_nodes[1]);
    EXPECT_LT(signed_measure(mesh, 0), 0);
  }
}

TEST(Mesh, MeasureOfATrapeziumIsItsShoelaceArea) {
  Mesh mesh = create_rectangle(CellType::quadrilateral, {1, 1});
  mesh.nodes[3] = {3, 2, 0};
  // Corners (0,0), (1,0), (3,2), (0,1).
  EXPECT_DOUBLE_EQ(signed_measure(mesh, 0), 0.5 * (0 + 2 + 3 + 0));
  EXPECT_EQ(centroid(mesh, 0), Point(1, 0.75, 0));
}

TEST(Mesh, AQuadrilateralWithAReentrantCornerCountsAsInverted) {
  Mesh mesh = create_rectangle(CellType::quadrilateral, {1, 1});
  mesh.nodes[3] = {0.2, 0.2, 0};
  EXPECT_LT(signed_measure(mesh, 0), 0);
}

TEST(Mesh, FacetsPointOutwards) {
  for (const CellType type : {CellType::tetrahedron, CellType::hexahedron}) {
    const Mesh mesh = create_box(type, {1, 1, 1});
    for (Index c = 0; c < mesh.num_cells(); ++c)
      for (const auto& facet : topology(type).facets) {
        const auto node = [&](int i) { return mesh.nodes[mesh.cell(c)[facet[i]]]; };
        const Point normal = (node(1) - node(0)).cross(node(2) - node(0));
        EXPECT_GT(normal.dot(node(0) - centroid(mesh, c)), 0);
      }
  }
}

TEST(Mesh, BoundaryListsTheNamesThereAreAndTheNearest) {
  const Mesh mesh = two_triangles();
  EXPECT_EQ(mesh.boundary("top").facet_nodes.size(), 2u);
  const auto message = [](const Mesh& of, std::string_view name) -> std::string {
    try {
      of.boundary(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "found";
  };
  EXPECT_EQ(
      message(mesh, "botom"),
      "the mesh has no boundary 'botom', expected one of 'left', 'right', 'bottom', 'top'; did you mean 'bottom'?");
  EXPECT_EQ(message(mesh, "inlet of gas"),
            "the mesh has no boundary 'inlet of gas', expected one of 'left', 'right', 'bottom', 'top'");
  EXPECT_EQ(message(Mesh{}, "top"), "the mesh has no boundary 'top': it has no named ones (in Gmsh, physical groups)");
}

TEST(Mesh, FindsRegionsByName) {
  Mesh mesh = two_triangles();
  mesh.regions = {{"a", {0}}, {"b", {1}}};
  EXPECT_EQ(mesh.region("b").cells, std::vector<Index>{1});
  EXPECT_THROW(mesh.region("c"), InputError);
}

TEST(MeshValidation, AcceptsAGoodMesh) { EXPECT_EQ(fault(two_triangles()), "valid"); }

TEST(MeshValidation, NamesEachFault) {
  EXPECT_EQ(fault(Mesh{}), "mesh: the mesh has no cells");

  Mesh mesh = two_triangles();
  mesh.nodes[2].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault(mesh), "mesh: node 2 has a coordinate that is not finite");

  mesh = two_triangles();
  mesh.cell_nodes.pop_back();
  EXPECT_EQ(fault(mesh), "mesh: the cells have 5 node numbers, expected a multiple of 3");

  mesh = two_triangles();
  mesh.cell_nodes[4] = 4;
  EXPECT_EQ(fault(mesh), "mesh: cell 1 has node 4, expected a node number below 4");

  mesh = two_triangles();
  mesh.nodes.emplace_back(5, 5, 0);
  EXPECT_EQ(fault(mesh), "mesh: node 4 belongs to no cell, expected every node to be a corner of one");

  mesh = two_triangles();
  std::swap(mesh.cell_nodes[3], mesh.cell_nodes[4]);
  EXPECT_EQ(fault(mesh), "mesh: cell 1 is inverted or degenerate: expected a positive area, found -0.5");

  mesh = two_triangles();
  mesh.nodes[3] = {0.5, 0, 0};
  EXPECT_EQ(fault(mesh), "mesh: cell 0 is inverted or degenerate: expected a positive area, found 0");

  mesh = two_triangles();
  mesh.boundaries[2].facet_nodes = {0, 1, 1, 2};
  EXPECT_EQ(fault(mesh), "mesh: boundary 'bottom' has a facet on nodes 1, 2 that belongs to no cell");

  mesh = two_triangles();
  mesh.boundaries[0].facet_nodes.push_back(0);
  EXPECT_EQ(fault(mesh), "mesh: boundary 'left' has 3 node numbers, expected a multiple of 2");

  mesh = two_triangles();
  mesh.boundaries[1].facet_nodes[0] = -1;
  EXPECT_EQ(fault(mesh), "mesh: boundary 'right' has node -1, expected a node number below 4");

  mesh = two_triangles();
  mesh.boundaries[1].name = "left";
  EXPECT_EQ(fault(mesh), "mesh: two boundaries are called 'left', expected different names");

  mesh = two_triangles();
  mesh.regions = {{"a", {0}}, {"a", {1}}};
  EXPECT_EQ(fault(mesh), "mesh: two regions are called 'a', expected different names");

  mesh.regions = {{"a", {1, 0}}};
  EXPECT_EQ(fault(mesh), "mesh: region 'a' has cell 0 after 1, expected ascending numbers below 2");
}

TEST(MeshValidation, UsesTheNumbersOfTheFile) {
  Mesh mesh = two_triangles();
  std::swap(mesh.cell_nodes[3], mesh.cell_nodes[4]);
  MeshNames names;
  names.mesh = "a.msh";
  names.cells = {10, 20};
  names.nodes = {1, 2, 3, 4, 50};
  names.cell = "element";
  names.inverted_hint = "turn it";
  EXPECT_EQ(fault(mesh, names),
            "a.msh: element 20 is inverted or degenerate: expected a positive area, found -0.5; turn it");
  mesh.nodes.emplace_back(5, 5, 0);
  EXPECT_EQ(fault(mesh, names), "a.msh: node 50 belongs to no element, expected every node to be a corner of one");
}

}  // namespace
}  // namespace varimesh::mesh
