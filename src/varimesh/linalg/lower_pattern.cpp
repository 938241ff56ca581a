#include "varimesh/linalg/lower_pattern.h"

#include <algorithm>

namespace varimesh::linalg {

LowerPattern lower_pattern(const Graph& graph, const Ordering& order) {
  const Ordering position = inverse(order);
  LowerPattern pattern;
  pattern.row.reserve(graph.neighbour.size() / 2 + order.size());
  pattern.start.reserve(order.size() + 1);
  for (std::size_t j = 0; j < order.size(); ++j) {
    const auto first = static_cast<std::ptrdiff_t>(pattern.row.size());
    pattern.row.push_back(static_cast<Index>(j));
    for (const Index w : graph.neighbours(order[j])) {
      if (position[w] > static_cast<Index>(j)) pattern.row.push_back(position[w]);
    }
    std::sort(pattern.row.begin() + first, pattern.row.end());
    pattern.start.push_back(static_cast<Index>(pattern.row.size()));
  }
  return pattern;
}

}  // namespace varimesh::linalg
