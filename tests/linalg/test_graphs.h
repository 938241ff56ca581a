#pragma once

#include <utility>
#include <vector>

#include "varimesh/linalg/graph.h"
#include "varimesh/random.h"

namespace varimesh::linalg::test {

/// A grid of width x height vertices with rising diagonals: the graph of a triangulated rectangle.
inline Graph triangulated_grid(Index width, Index height) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index j = 0; j < height; ++j) {
    for (Index i = 0; i < width; ++i) {
      const Index v = i + width * j;
      if (i + 1 < width) edges.emplace_back(v, v + 1);
      if (j + 1 < height) edges.emplace_back(v, v + width);
      if (i + 1 < width && j + 1 < height) edges.emplace_back(v, v + width + 1);
    }
  }
  return create_graph(width * height, edges);
}

/// A path whose vertices are numbered at random.
inline Graph shuffled_path(Index size, Random& random) {
  std::vector<Index> number(static_cast<std::size_t>(size));
  for (Index v = 0; v < size; ++v) number[v] = v;
  for (Index v = size - 1; v > 0; --v) std::swap(number[v], number[static_cast<Index>(random.uniform() * (v + 1))]);
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v + 1 < size; ++v) edges.emplace_back(number[v], number[v + 1]);
  return create_graph(size, edges);
}

inline Graph random_graph(Index size, Index num_edges, Random& random) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index e = 0; e < num_edges; ++e)
    edges.emplace_back(static_cast<Index>(random.uniform() * size), static_cast<Index>(random.uniform() * size));
  return create_graph(size, edges);
}

}  // namespace varimesh::linalg::test
