#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// Ascending node numbers after padding by -1: equal for two facets on the same nodes, however they are oriented.
using FacetKey = std::array<Index, 4>;
FacetKey facet_key(std::span<const Index> nodes);

/// The cells on both sides of a facet, -1 where there is none.
using FacetCells = std::array<Index, 2>;

/// For each of some facets (consecutive groups of `nodes_per_facet` node numbers), its cells.
std::vector<FacetCells> cells_of_facets(const Mesh& mesh, std::span<const Index> facet_nodes);

/// The first of some facets that is a facet of no cell, if any.
std::optional<std::size_t> first_stray_facet(const Mesh& mesh, std::span<const Index> facet_nodes);

/// The facets that only one cell has, as consecutive groups of `nodes_per_facet` node numbers, and that cell.
struct OuterFacets {
  std::vector<Index> nodes;
  std::vector<Index> cells;
};
OuterFacets outer_facets(const Mesh& mesh);

}  // namespace varimesh::mesh
