#include "varimesh/mesh/cell_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "problems.h"
#include "varimesh/linalg/neighbourhood.h"

namespace varimesh::mesh {
namespace {

using enum CellNeighbours;

linalg::Graph graph_of(const Mesh& mesh, CellNeighbours neighbours) {
  const CellLabels cells = cell_labels(mesh, neighbours);
  return linalg::sharing_graph(cells.labels, cells.labels_per_cell, cells.num_labels);
}

std::set<std::set<Index>> facets_of(const Mesh& mesh, Index cell) {
  std::set<std::set<Index>> facets;
  for (const auto& facet : topology(mesh.cell_type).facets) {
    std::set<Index> nodes;
    for (const int i : facet) nodes.insert(mesh.cell(cell)[i]);
    facets.insert(nodes);
  }
  return facets;
}

/// Compares every two cells: by their nodes, or by the nodes of their facets.
bool are_neighbours(const Mesh& mesh, CellNeighbours neighbours, Index a, Index b) {
  if (neighbours == sharing_node)
    return std::ranges::any_of(mesh.cell(a), [&](Index n) { return std::ranges::count(mesh.cell(b), n) > 0; });
  const auto facets = facets_of(mesh, b);
  return std::ranges::any_of(facets_of(mesh, a), [&](const auto& facet) { return facets.contains(facet); });
}

std::vector<Index> neighbours_by_brute_force(const Mesh& mesh, CellNeighbours neighbours, Index cell) {
  std::vector<Index> found;
  for (Index other = 0; other < mesh.num_cells(); ++other) {
    if (other != cell && are_neighbours(mesh, neighbours, cell, other)) found.push_back(other);
  }
  return found;
}

void expect_graph_of_brute_force(const Mesh& mesh, CellNeighbours neighbours) {
  const linalg::Graph graph = graph_of(mesh, neighbours);
  ASSERT_EQ(graph.size(), mesh.num_cells());
  for (Index c = 0; c < graph.size(); ++c) {
    const auto found = graph.neighbours(c);
    EXPECT_EQ(std::vector<Index>(found.begin(), found.end()), neighbours_by_brute_force(mesh, neighbours, c))
        << topology(mesh.cell_type).name << " " << c;
  }
}

TEST(CellGraph, IsThatOfComparingEveryTwoCells) {
  for (const CellType type : test::all_cell_types) {
    const Mesh mesh = test::unit_mesh(type, topology(type).dimension == 3 ? 2 : 4);
    expect_graph_of_brute_force(mesh, sharing_node);
    expect_graph_of_brute_force(mesh, sharing_facet);
  }
}

TEST(CellGraph, HasTheUsualNumbersOfNeighboursInside) {
  struct Count {
    CellType type;
    Index by_node, by_facet;
  };
  // Six right triangles meet at a node: 3 x 6 - 3 (counted twice, across the edges) - 3 (the cell itself) = 12.
  for (const auto& [type, by_node, by_facet] :
       {Count{CellType::line, 2, 2}, Count{CellType::triangle, 12, 3}, Count{CellType::quadrilateral, 8, 4},
        Count{CellType::hexahedron, 26, 6}}) {
    const Mesh mesh = test::unit_mesh(type, 5);
    Point centre = Point::Zero();
    centre.head(mesh.dimension()).setConstant(0.5);
    Index inside = 0;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      if ((centroid(mesh, c) - centre).norm() < (centroid(mesh, inside) - centre).norm()) inside = c;
    }
    EXPECT_EQ(graph_of(mesh, sharing_node).degree(inside), by_node) << topology(type).name;
    EXPECT_EQ(graph_of(mesh, sharing_facet).degree(inside), by_facet) << topology(type).name;
  }
}

TEST(CellGraph, NumbersEveryFacetOnce) {
  // Euler: an n x n rectangle of triangles has 2 n (n + 1) + n^2 edges, an n^3 box of hexahedra 3 n^2 (n + 1) faces.
  EXPECT_EQ(cell_labels(create_rectangle(CellType::triangle, {4, 4}), sharing_facet).num_labels, 56);
  EXPECT_EQ(cell_labels(create_box(CellType::hexahedron, {3, 3, 3}), sharing_facet).num_labels, 108);
  EXPECT_EQ(cell_labels(create_interval(7), sharing_facet).num_labels, 8);
}

}  // namespace
}  // namespace varimesh::mesh
