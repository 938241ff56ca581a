#include "varimesh/mesh/facets.h"

#include <algorithm>

namespace varimesh::mesh {

FacetKey facet_key(std::span<const Index> nodes) {
  FacetKey key = {-1, -1, -1, -1};
  std::ranges::copy(nodes, key.begin());
  std::ranges::sort(key);
  return key;
}

std::vector<FacetCells> cells_of_facets(const Mesh& mesh, std::span<const Index> facet_nodes) {
  const CellTopology& cell_topology = topology(mesh.cell_type);
  const auto width = static_cast<std::size_t>(cell_topology.nodes_per_facet);
  std::vector<FacetKey> keys(facet_nodes.size() / width);
  for (std::size_t f = 0; f < keys.size(); ++f) keys[f] = facet_key(facet_nodes.subspan(f * width, width));

  // The facets asked for are few and the cells many, so the cells look themselves up among the facets.
  std::vector<FacetKey> sorted = keys;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  const auto position = [&](const FacetKey& key) { return std::ranges::lower_bound(sorted, key) - sorted.begin(); };
  std::vector<FacetCells> cells_of_sorted(sorted.size(), FacetCells{-1, -1});
  std::vector<char> marked(mesh.nodes.size(), 0);
  for (const Index node : facet_nodes) marked[node] = 1;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto cell = mesh.cell(c);
    for (const auto& facet : cell_topology.facets) {
      if (!std::ranges::all_of(facet, [&](int i) { return marked[cell[i]]; })) continue;
      std::array<Index, 4> nodes = {};
      std::ranges::transform(facet, nodes.begin(), [&](int i) { return cell[i]; });
      const FacetKey key = facet_key(std::span(nodes).first(width));
      const auto at = position(key);
      if (at == std::ssize(sorted) || sorted[at] != key) continue;
      FacetCells& cells = cells_of_sorted[at];
      cells[cells[0] < 0 ? 0 : 1] = c;
    }
  }
  std::vector<FacetCells> result;
  result.reserve(keys.size());
  for (const FacetKey& key : keys) result.push_back(cells_of_sorted[position(key)]);
  return result;
}

std::optional<std::size_t> first_stray_facet(const Mesh& mesh, std::span<const Index> facet_nodes) {
  const std::vector<FacetCells> cells = cells_of_facets(mesh, facet_nodes);
  const auto stray = std::ranges::find_if(cells, [](const FacetCells& both) { return both[0] < 0; });
  if (stray == cells.end()) return std::nullopt;
  return static_cast<std::size_t>(stray - cells.begin());
}

OuterFacets outer_facets(const Mesh& mesh) {
  const CellTopology& cell_topology = topology(mesh.cell_type);
  const auto width = static_cast<std::size_t>(cell_topology.nodes_per_facet);
  struct Facet {
    FacetKey key;
    Index cell;
    int number;
  };
  std::vector<Facet> facets;
  facets.reserve(static_cast<std::size_t>(mesh.num_cells()) * cell_topology.facets.size());
  const auto nodes_of = [&](Index cell, std::size_t number) {
    std::array<Index, 4> nodes = {};
    std::ranges::transform(cell_topology.facets[number], nodes.begin(), [&](int i) { return mesh.cell(cell)[i]; });
    return nodes;
  };
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    for (std::size_t f = 0; f < cell_topology.facets.size(); ++f) {
      const auto nodes = nodes_of(c, f);
      facets.push_back({facet_key(std::span(nodes).first(width)), c, static_cast<int>(f)});
    }
  }
  std::ranges::sort(facets, {}, [](const Facet& facet) { return std::pair(facet.key, facet.cell); });
  OuterFacets result;
  for (std::size_t i = 0; i < facets.size();) {
    std::size_t end = i + 1;
    while (end < facets.size() && facets[end].key == facets[i].key) ++end;
    if (end == i + 1) {
      const auto nodes = nodes_of(facets[i].cell, static_cast<std::size_t>(facets[i].number));
      result.nodes.insert(result.nodes.end(), nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(width));
      result.cells.push_back(facets[i].cell);
    }
    i = end;
  }
  return result;
}

}  // namespace varimesh::mesh
