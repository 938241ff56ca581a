#pragma once

#include <span>

#include "varimesh/linalg/graph.h"

namespace varimesh::linalg {

/// The graph of items that have a label in common, such as cells that share a node. Each item has `labels_per_item`
/// consecutive labels from 0 to num_labels - 1.
Graph sharing_graph(std::span<const Index> labels, Index labels_per_item, Index num_labels);

/// Joins every two vertices at most n steps apart: the n-neighbourhoods of the graph.
Graph neighbourhoods(const Graph& graph, Index n);

}  // namespace varimesh::linalg
