#pragma once

#include <vector>

#include "varimesh/linalg/graph.h"

namespace varimesh::linalg {

/// An ordering of vertices: order[k] is the vertex that comes k-th.
using Ordering = std::vector<Index>;

Ordering natural_order(Index size);
Ordering inverse(const Ordering& order);

/// Reverse Cuthill-McKee from a pseudo-peripheral vertex of each component: a small bandwidth.
Ordering reverse_cuthill_mckee(const Graph& graph);

struct NestedDissection {
  Ordering order;
  double factor_flops;  ///< multiplications and additions of a Cholesky factorisation in this order
};

/// Nested dissection, postordered: little fill-in, and wide supernodes.
NestedDissection nested_dissection(const Graph& graph);

/// The largest distance in the ordering between two neighbours.
Index bandwidth(const Graph& graph, const Ordering& order);

}  // namespace varimesh::linalg
