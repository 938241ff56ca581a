#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::mesh {

/// The cell types, all with straight edges: P1 on simplices, Q1 on the others.
enum class CellType { line, triangle, quadrilateral, tetrahedron, hexahedron };

/// What a cell type is made of. Local node numbers follow Gmsh (and VTK) order.
struct CellTopology {
  std::string_view name;
  std::string_view plural;
  int dimension;
  int num_nodes;
  int nodes_per_facet;
  std::vector<std::vector<int>> facets;  ///< local node numbers of each facet, outward oriented
};

/// The topology of a cell type; it lives as long as the program.
const CellTopology& topology(CellType type);

/// A named part of the boundary: facets as consecutive groups of `nodes_per_facet` node numbers.
struct BoundaryPart {
  std::string name;
  std::vector<Index> facet_nodes;
};

/// A named set of cells, ascending.
struct Region {
  std::string name;
  std::vector<Index> cells;
};

/// A mesh of one cell type as plain data. Made by the functions in generate.h, gmsh.h and refine.h.
struct Mesh {
  CellType cell_type = CellType::line;
  std::vector<Point> nodes;
  std::vector<Index> cell_nodes;  ///< `num_nodes` consecutive node numbers for each cell
  std::vector<BoundaryPart> boundaries;
  std::vector<Region> regions;

  int dimension() const { return topology(cell_type).dimension; }
  Index num_nodes() const { return static_cast<Index>(nodes.size()); }
  Index num_cells() const {
    return static_cast<Index>(cell_nodes.size() / static_cast<std::size_t>(topology(cell_type).num_nodes));
  }
  std::span<const Index> cell(Index c) const {
    const auto n = static_cast<std::size_t>(topology(cell_type).num_nodes);
    return std::span(cell_nodes).subspan(static_cast<std::size_t>(c) * n, n);
  }

  /// The boundary part of that name; an InputError lists the names there are.
  const BoundaryPart& boundary(std::string_view name) const;
  /// The region of that name; an InputError lists the names there are.
  const Region& region(std::string_view name) const;
};

/// Calls visit(nodes of the facet) for each facet of a boundary part.
template <class Visit>
void for_each_facet(const Mesh& mesh, const BoundaryPart& part, const Visit& visit) {
  const auto size = static_cast<std::size_t>(topology(mesh.cell_type).nodes_per_facet);
  for (std::size_t k = 0; k < part.facet_nodes.size(); k += size) visit(std::span(part.facet_nodes).subspan(k, size));
}

/// The mean of a cell's nodes.
Point centroid(const Mesh& mesh, Index cell);

/// Length, area or volume of a cell, negative if it is inverted; for a Q1 cell whose smallest corner Jacobian is not
/// positive, that Jacobian.
double signed_measure(const Mesh& mesh, Index cell);

/// How messages call a mesh, its cells and its nodes: a file reader passes the file and the numbers written in it.
struct MeshNames {
  std::string mesh = "mesh";
  std::vector<long long> cells;  ///< empty: the index itself
  std::vector<long long> nodes;  ///< empty: the index itself
  std::string cell = "cell";     ///< what the mesh's source calls a cell
  std::string inverted_hint;     ///< what to do about an inverted cell, added to the message after a semicolon
};

/// Throws an InputError for an empty mesh, an inverted or degenerate cell, an orphan node, a node number out of range,
/// a non-finite coordinate, a facet that belongs to no cell, or a name used twice.
void validate(const Mesh& mesh, const MeshNames& names = {});

}  // namespace varimesh::mesh
