#pragma once

#include <vector>

#include "varimesh/linalg/ordering.h"

namespace varimesh::linalg {

/// Lower triangle of a symmetric pattern, compressed by columns: each column holds its diagonal first, then rows
/// ascending.
struct LowerPattern {
  std::vector<Index> start{0};
  std::vector<Index> row;

  Index size() const { return static_cast<Index>(start.size()) - 1; }
};

/// The lower triangle of the graph's adjacency, with diagonal, after renumbering vertex order[k] to k.
LowerPattern lower_pattern(const Graph& graph, const Ordering& order);

}  // namespace varimesh::linalg
