#include "varimesh/linalg/graph.h"

#include <algorithm>

namespace varimesh::linalg {

Graph create_graph(Index size, const std::vector<std::pair<Index, Index>>& edges) {
  // Two counting passes over both directions of each edge, then sort and deduplicate each short list.
  std::vector<Index> start(static_cast<std::size_t>(size) + 1, 0);
  for (const auto& [a, b] : edges) {
    ++start[a + 1];
    ++start[b + 1];
  }
  for (Index v = 0; v < size; ++v) start[v + 1] += start[v];
  std::vector<Index> fill(start.begin(), start.end() - 1);
  std::vector<Index> neighbour(static_cast<std::size_t>(start[size]));
  for (const auto& [a, b] : edges) {
    neighbour[fill[a]++] = b;
    neighbour[fill[b]++] = a;
  }
  Graph graph;
  graph.start.resize(start.size());
  auto end = neighbour.begin();
  for (Index v = 0; v < size; ++v) {
    const auto first = neighbour.begin() + start[v];
    const auto last = neighbour.begin() + start[v + 1];
    std::sort(first, last);
    const auto unique_end = std::remove(first, std::unique(first, last), v);
    end = std::move(first, unique_end, end);
    graph.start[v + 1] = static_cast<Index>(end - neighbour.begin());
  }
  neighbour.erase(end, neighbour.end());
  graph.neighbour = std::move(neighbour);
  return graph;
}

}  // namespace varimesh::linalg
