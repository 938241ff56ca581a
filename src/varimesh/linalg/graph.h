#pragma once

#include <span>
#include <utility>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::linalg {

/// An undirected graph in compressed form: vertex v has the neighbours neighbour[start[v] .. start[v+1]), ascending,
/// without v.
struct Graph {
  std::vector<Index> start{0};
  std::vector<Index> neighbour;

  Index size() const { return static_cast<Index>(start.size()) - 1; }
  Index degree(Index v) const { return start[v + 1] - start[v]; }
  std::span<const Index> neighbours(Index v) const {
    return std::span(neighbour).subspan(static_cast<std::size_t>(start[v]), static_cast<std::size_t>(degree(v)));
  }
};

/// The graph with these edges; repeated edges and loops are dropped.
Graph create_graph(Index size, const std::vector<std::pair<Index, Index>>& edges);

}  // namespace varimesh::linalg
