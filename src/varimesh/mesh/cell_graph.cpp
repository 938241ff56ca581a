#include "varimesh/mesh/cell_graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "varimesh/mesh/facets.h"

namespace varimesh::mesh {
namespace {

CellLabels facet_labels(const Mesh& mesh) {
  const CellTopology& cell_topology = topology(mesh.cell_type);
  const auto width = static_cast<std::size_t>(cell_topology.nodes_per_facet);
  const auto per_cell = static_cast<Index>(cell_topology.facets.size());
  // The same facet of two cells stands at two places in the list of all cells' facets; sorted by nodes, side by side.
  std::vector<std::pair<FacetKey, Index>> places;
  places.reserve(static_cast<std::size_t>(mesh.num_cells()) * cell_topology.facets.size());
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    for (const auto& facet : cell_topology.facets) {
      std::array<Index, 4> nodes = {};
      std::ranges::transform(facet, nodes.begin(), [&](int i) { return mesh.cell(c)[i]; });
      places.emplace_back(facet_key(std::span(nodes).first(width)), static_cast<Index>(places.size()));
    }
  }
  std::ranges::sort(places);
  CellLabels result{std::vector<Index>(places.size()), per_cell, 0};
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (k == 0 || places[k].first != places[k - 1].first) ++result.num_labels;
    result.labels[places[k].second] = result.num_labels - 1;
  }
  return result;
}

}  // namespace

CellLabels cell_labels(const Mesh& mesh, CellNeighbours neighbours) {
  if (neighbours == CellNeighbours::sharing_facet) return facet_labels(mesh);
  return {mesh.cell_nodes, topology(mesh.cell_type).num_nodes, mesh.num_nodes()};
}

}  // namespace varimesh::mesh
