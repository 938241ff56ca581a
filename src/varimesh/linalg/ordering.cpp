#include "varimesh/linalg/ordering.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "varimesh/cancellation.h"
#include "varimesh/linalg/cholmod.h"
#include "varimesh/linalg/lower_pattern.h"

namespace varimesh::linalg {
namespace {

/// Breadth-first search from a root over vertices not yet `done`; appends them level by level, each level's children by
/// degree. Returns the position in `visited` where the last level starts.
std::size_t breadth_first(const Graph& graph, Index root, std::vector<char>& done, Ordering& visited) {
  std::size_t level_start = visited.size();
  visited.push_back(root);
  done[root] = 1;
  std::size_t level_end = visited.size();
  while (true) {
    for (std::size_t k = level_start; k < level_end; ++k) {
      const auto first_child = static_cast<std::ptrdiff_t>(visited.size());
      for (const Index w : graph.neighbours(visited[k])) {
        if (done[w]) continue;
        done[w] = 1;
        visited.push_back(w);
      }
      std::stable_sort(visited.begin() + first_child, visited.end(),
                       [&](Index a, Index b) { return graph.degree(a) < graph.degree(b); });
    }
    if (visited.size() == level_end) return level_start;
    level_start = level_end;
    level_end = visited.size();
  }
}

/// A vertex of (nearly) largest eccentricity in the component of `root`, by the search of George and Liu.
Index pseudo_peripheral(const Graph& graph, Index root, std::vector<char>& done) {
  constexpr int max_searches = 8;
  std::size_t best_depth = 0;
  Ordering visited;
  for (int search = 0; search < max_searches; ++search) {
    visited.clear();
    const std::size_t last_level = breadth_first(graph, root, done, visited);
    for (const Index v : visited) done[v] = 0;
    if (search > 0 && last_level <= best_depth) break;
    best_depth = last_level;
    root = *std::min_element(visited.begin() + static_cast<std::ptrdiff_t>(last_level), visited.end(),
                             [&](Index a, Index b) { return graph.degree(a) < graph.degree(b); });
  }
  return root;
}

NestedDissection dissect(const Graph& graph) {
  CholmodCommon common(CHOLMOD_NESDIS, true);
  const CholmodFactor factor = cholmod_analysis(lower_pattern(graph, natural_order(graph.size())), common);
  const auto* permutation = static_cast<const int*>(factor->Perm);
  return {{permutation, permutation + factor->n}, common->fl};
}

}  // namespace

Ordering natural_order(Index size) {
  Ordering order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Ordering inverse(const Ordering& order) {
  Ordering position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<Index>(k);
  return position;
}

Ordering reverse_cuthill_mckee(const Graph& graph) {
  std::vector<char> done(static_cast<std::size_t>(graph.size()), 0);
  Ordering order;
  order.reserve(done.size());
  for (Index v = 0; v < graph.size(); ++v) {
    if (!done[v]) breadth_first(graph, pseudo_peripheral(graph, v, done), done, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

NestedDissection nested_dissection(const Graph& graph) {
  constexpr std::size_t large = 200'000;  // edges, for which METIS takes a tenth of a second
  if (graph.neighbour.size() < large) return dissect(graph);
  return run_abandonable([graph] { return dissect(graph); });
}

Index bandwidth(const Graph& graph, const Ordering& order) {
  const Ordering position = inverse(order);
  Index width = 0;
  for (Index v = 0; v < graph.size(); ++v) {
    for (const Index w : graph.neighbours(v)) width = std::max(width, std::abs(position[v] - position[w]));
  }
  return width;
}

}  // namespace varimesh::linalg
