#include "varimesh/linalg/neighbourhood.h"

#include <algorithm>
#include <limits>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"

namespace varimesh::linalg {
namespace {

/// The graph whose vertex v has the neighbours that visit(v, add) adds, in any order and repeatedly.
template <class Visit>
Graph collect(Index size, const Visit& visit) {
  Graph graph;
  graph.start.reserve(static_cast<std::size_t>(size) + 1);
  std::vector<Index> last_seen(static_cast<std::size_t>(size), -1);
  for (Index v = 0; v < size; ++v) {
    if (v % 256 == 0) throw_if_interrupted();
    last_seen[v] = v;
    const auto first = static_cast<std::ptrdiff_t>(graph.neighbour.size());
    visit(v, [&](Index w) {
      if (last_seen[w] == v) return false;
      last_seen[w] = v;
      graph.neighbour.push_back(w);
      return true;
    });
    std::sort(graph.neighbour.begin() + first, graph.neighbour.end());
    if (graph.neighbour.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw InputError("the graph of neighbours has more than two billion edges: take smaller neighbourhoods");
    graph.start.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

}  // namespace

Graph sharing_graph(std::span<const Index> labels, Index labels_per_item, Index num_labels) {
  const Index size = static_cast<Index>(labels.size()) / labels_per_item;
  // The items of each label.
  std::vector<Index> start(static_cast<std::size_t>(num_labels) + 1, 0);
  for (const Index label : labels) ++start[label + 1];
  for (Index label = 0; label < num_labels; ++label) start[label + 1] += start[label];
  std::vector<Index> items(labels.size());
  auto next = start;
  for (std::size_t k = 0; k < labels.size(); ++k) items[next[labels[k]]++] = static_cast<Index>(k) / labels_per_item;
  return collect(size, [&](Index item, const auto& add) {
    for (Index k = 0; k < labels_per_item; ++k) {
      const Index label = labels[static_cast<std::size_t>(item) * labels_per_item + k];
      for (Index i = start[label]; i < start[label + 1]; ++i) add(items[i]);
    }
  });
}

Graph neighbourhoods(const Graph& graph, Index n) {
  std::vector<Index> level, next_level;
  return collect(graph.size(), [&](Index v, const auto& add) {
    level.assign(1, v);
    for (Index step = 0; step < n; ++step) {
      next_level.clear();
      for (const Index u : level) {
        for (const Index w : graph.neighbours(u)) {
          if (add(w)) next_level.push_back(w);
        }
      }
      level.swap(next_level);
    }
  });
}

}  // namespace varimesh::linalg
