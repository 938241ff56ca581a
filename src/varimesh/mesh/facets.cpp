#include "varimesh/mesh/facets.h"

#include <algorithm>
#include <array>

namespace varimesh::mesh {
namespace {

/// Ascending node numbers after padding by -1: equal for two facets on the same nodes, however they are oriented.
using FacetKey = std::array<Index, 4>;

FacetKey facet_key(std::span<const Index> nodes) {
  FacetKey key = {-1, -1, -1, -1};
  std::ranges::copy(nodes, key.begin());
  std::ranges::sort(key);
  return key;
}

}  // namespace

std::optional<std::size_t> first_stray_facet(const Mesh& mesh, std::span<const Index> facet_nodes) {
  const CellTopology& cell_topology = topology(mesh.cell_type);
  const auto width = static_cast<std::size_t>(cell_topology.nodes_per_facet);
  std::vector<FacetKey> keys(facet_nodes.size() / width);
  for (std::size_t f = 0; f < keys.size(); ++f) keys[f] = facet_key(facet_nodes.subspan(f * width, width));

  // The facets asked for are few and the cells many, so the cells look themselves up among the facets.
  std::vector<FacetKey> sorted = keys;
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  const auto position = [&](const FacetKey& key) { return std::ranges::lower_bound(sorted, key) - sorted.begin(); };
  std::vector<char> found(sorted.size(), 0), marked(mesh.nodes.size(), 0);
  for (const Index node : facet_nodes) marked[node] = 1;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto cell = mesh.cell(c);
    for (const auto& facet : cell_topology.facets) {
      if (!std::ranges::all_of(facet, [&](int i) { return marked[cell[i]]; })) continue;
      std::array<Index, 4> nodes = {};
      std::ranges::transform(facet, nodes.begin(), [&](int i) { return cell[i]; });
      const FacetKey key = facet_key(std::span(nodes).first(width));
      const auto at = position(key);
      if (at < std::ssize(sorted) && sorted[at] == key) found[at] = 1;
    }
  }
  const auto stray = std::ranges::find_if(keys, [&](const FacetKey& key) { return !found[position(key)]; });
  if (stray == keys.end()) return std::nullopt;
  return static_cast<std::size_t>(stray - keys.begin());
}

}  // namespace varimesh::mesh
