#include "varimesh/mesh/refine.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "mesh/mesh_checks.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::mesh {
namespace {

std::vector<Mesh> meshes() {
  std::vector<Mesh> result = {create_interval(5, {-1, 2}), create_rectangle(CellType::triangle, {3, 4}),
                              create_rectangle(CellType::quadrilateral, {4, 3}),
                              create_box(CellType::tetrahedron, {3, 3, 3}),
                              create_box(CellType::hexahedron, {3, 3, 3})};
  for (Mesh& mesh : result) {
    shake(mesh, 0.04);
    mesh.regions = {{"some", {0, 2, 3}}};
  }
  return result;
}

TEST(Refine, KeepsTheMeasureOfEachCell) {
  for (const Mesh& mesh : meshes()) {
    const RefinedMesh refined = refine(mesh);
    EXPECT_NO_THROW(validate(refined.mesh));
    const int children = 1 << mesh.dimension();
    ASSERT_EQ(refined.mesh.num_cells(), children * mesh.num_cells());
    std::vector<double> measure(mesh.num_cells(), 0);
    for (Index c = 0; c < refined.mesh.num_cells(); ++c) {
      EXPECT_EQ(refined.parent[c], c / children);
      measure[refined.parent[c]] += signed_measure(refined.mesh, c);
    }
    for (Index c = 0; c < mesh.num_cells(); ++c) EXPECT_NEAR(measure[c], signed_measure(mesh, c), 1e-14);
  }
}

TEST(Refine, KeepsTheTopologyAndTheBoundary) {
  for (const Mesh& mesh : meshes()) {
    const RefinedMesh refined = refine(mesh);
    EXPECT_TRUE(is_conforming_with_boundary(refined.mesh));
    EXPECT_EQ(euler_characteristic(refined.mesh), 1);
    EXPECT_TRUE(std::equal(mesh.nodes.begin(), mesh.nodes.end(), refined.mesh.nodes.begin()));
    const auto& facets = refined.mesh.boundary("right").facet_nodes;
    EXPECT_EQ(facets.size(), mesh.boundary("right").facet_nodes.size() << (mesh.dimension() - 1));
    for (const Index n : facets) EXPECT_EQ(refined.mesh.nodes[n].x(), mesh.dimension() == 1 ? 2 : 1);
  }
}

TEST(Refine, NewNodesAreInTheMiddleOfTheirCorners) {
  for (const Mesh& mesh : meshes()) {
    const RefinedMesh refined = refine(mesh);
    ASSERT_EQ(refined.corner_start.size(), refined.mesh.nodes.size() + 1);
    for (Index v = 0; v < refined.mesh.num_nodes(); ++v) {
      Point sum = Point::Zero();
      for (Index k = refined.corner_start[v]; k < refined.corner_start[v + 1]; ++k)
        sum += mesh.nodes[refined.corners[k]];
      const Index count = refined.corner_start[v + 1] - refined.corner_start[v];
      EXPECT_LT((sum / count - refined.mesh.nodes[v]).norm(), 1e-15);
      EXPECT_EQ(count == 1, v < mesh.num_nodes());
    }
  }
}

TEST(Refine, RegionsHoldTheChildrenOfTheirCells) {
  for (const Mesh& mesh : meshes()) {
    const RefinedMesh refined = refine(mesh);
    std::vector<Index> expected;
    for (Index c = 0; c < refined.mesh.num_cells(); ++c)
      if (refined.parent[c] == 0 || refined.parent[c] == 2 || refined.parent[c] == 3) expected.push_back(c);
    EXPECT_EQ(refined.mesh.regions[0].cells, expected);
  }
}

TEST(Refine, BoundaryFacetsKeepTheirOrientation) {
  const Mesh fine = refine(create_box(CellType::tetrahedron, {1, 1, 1})).mesh;
  const auto& facets = fine.boundary("top").facet_nodes;
  for (std::size_t at = 0; at < facets.size(); at += 3) {
    const Point a = fine.nodes[facets[at]], b = fine.nodes[facets[at + 1]], c = fine.nodes[facets[at + 2]];
    EXPECT_GT((b - a).cross(c - a).z(), 0);
  }
}

TEST(Refine, OfAStructuredMeshHasTheNodesOfTheFinerOne) {
  Mesh coarse = create_box(CellType::hexahedron, {2, 1, 3});
  const Mesh fine = create_box(CellType::hexahedron, {4, 2, 6});
  const Mesh refined = refine(coarse).mesh;
  ASSERT_EQ(refined.num_nodes(), fine.num_nodes());
  const auto sorted = [](const Mesh& mesh) {
    std::vector<std::array<long, 3>> nodes;
    for (const Point& x : mesh.nodes)
      nodes.push_back({std::lround(1e6 * x.z()), std::lround(1e6 * x.y()), std::lround(1e6 * x.x())});
    std::ranges::sort(nodes);
    return nodes;
  };
  EXPECT_EQ(sorted(refined), sorted(fine));
}

TEST(Refine, TetrahedraDoNotDegenerate) {
  Mesh mesh = create_box(CellType::tetrahedron, {1, 1, 1});
  mesh.cell_nodes.resize(4);
  mesh.nodes = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 0.9, 0.1}, {0.3, 0.2, 1.1}};
  mesh.cell_nodes = {0, 1, 2, 3};
  mesh.boundaries.clear();
  // Volume over the cube of the longest edge takes at most three values, whatever the number of refinements.
  std::set<long> shapes;
  for (int level = 0; level < 4; ++level) {
    mesh = refine(mesh).mesh;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      double longest = 0;
      for (const Index a : mesh.cell(c))
        for (const Index b : mesh.cell(c)) longest = std::max(longest, (mesh.nodes[a] - mesh.nodes[b]).norm());
      shapes.insert(std::lround(1e6 * signed_measure(mesh, c) / (longest * longest * longest)));
    }
  }
  EXPECT_LE(shapes.size(), 3u);
  EXPECT_GT(*shapes.begin(), 1000);
}

}  // namespace
}  // namespace varimesh::mesh
