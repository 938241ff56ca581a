#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "varimesh/mesh/mesh.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::mesh {

/// Sum of the cells' measures; a single inverted cell makes it not a number.
inline double total_measure(const Mesh& mesh) {
  double sum = 0;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const double measure = signed_measure(mesh, c);
    sum += measure > 0 ? measure : std::numeric_limits<double>::quiet_NaN();
  }
  return sum;
}

/// How many cells each facet, named by its ascending nodes, belongs to.
inline std::map<std::vector<Index>, int> facet_counts(const Mesh& mesh) {
  std::map<std::vector<Index>, int> counts;
  for (Index c = 0; c < mesh.num_cells(); ++c)
    for (const auto& facet : topology(mesh.cell_type).facets) {
      std::vector<Index> nodes;
      for (const int i : facet) nodes.push_back(mesh.cell(c)[i]);
      std::ranges::sort(nodes);
      ++counts[nodes];
    }
  return counts;
}

/// Facets of all boundary parts, named by their ascending nodes.
inline std::multiset<std::vector<Index>> boundary_facets(const Mesh& mesh) {
  std::multiset<std::vector<Index>> facets;
  const auto width = topology(mesh.cell_type).nodes_per_facet;
  for (const auto& part : mesh.boundaries)
    for (auto at = part.facet_nodes.begin(); at != part.facet_nodes.end(); at += width) {
      std::vector<Index> nodes(at, at + width);
      std::ranges::sort(nodes);
      facets.insert(nodes);
    }
  return facets;
}

/// True if facets belong to one or two cells, and those of one cell are just the facets of the boundary parts, once
/// each.
inline bool is_conforming_with_boundary(const Mesh& mesh) {
  std::multiset<std::vector<Index>> outer;
  for (const auto& [facet, count] : facet_counts(mesh)) {
    if (count > 2) return false;
    if (count == 1) outer.insert(facet);
  }
  return outer == boundary_facets(mesh);
}

/// Vertices - edges + faces - cells, each counted once: 1 for a ball of any dimension, 0 for an annulus.
inline int euler_characteristic(const Mesh& mesh) {
  std::set<std::pair<Index, Index>> edges;
  const auto add_cycle = [&](const std::vector<Index>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) edges.insert(std::minmax({nodes[i], nodes[(i + 1) % nodes.size()]}));
  };
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto cell = mesh.cell(c);
    if (mesh.dimension() < 3) add_cycle({cell.begin(), cell.end()});
    if (mesh.dimension() == 3)
      for (const auto& facet : topology(mesh.cell_type).facets) {
        std::vector<Index> nodes;
        for (const int i : facet) nodes.push_back(cell[i]);
        add_cycle(nodes);
      }
  }
  const int v = mesh.num_nodes(), e = static_cast<int>(edges.size()), c = mesh.num_cells();
  if (mesh.dimension() == 1) return v - c;
  if (mesh.dimension() == 2) return v - e + c;
  return v - e + static_cast<int>(facet_counts(mesh).size()) - c;
}

/// The position of a reference point, computed from shape values alone.
inline Point position_of(const Mesh& mesh, Index cell, const Point& reference) {
  const ShapeValues values = shape_values(mesh.cell_type, reference);
  Point sum = Point::Zero();
  for (int i = 0; i < values.size(); ++i) sum += values[i] * mesh.nodes[mesh.cell(cell)[i]];
  return sum;
}

/// Moves the nodes inside a box by up to `size` in each direction, the same way each time.
inline void shake(Mesh& mesh, double size) {
  std::set<Index> fixed;
  for (const auto& part : mesh.boundaries) fixed.insert(part.facet_nodes.begin(), part.facet_nodes.end());
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> shift(-size, size);
  for (Index n = 0; n < mesh.num_nodes(); ++n)
    for (int d = 0; d < mesh.dimension(); ++d) {
      const double by = shift(generator);
      if (!fixed.contains(n)) mesh.nodes[n][d] += by;
    }
}

}  // namespace varimesh::mesh
