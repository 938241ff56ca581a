#pragma once

#include <span>

#include "varimesh/linalg/graph.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::linalg {

/// A matrix of zeros on a graph and its diagonal, both triangles.
SparseMatrix zeros_on(const Graph& graph);

/// Adds a small matrix on the given rows and columns, all pairs of which have a place in the pattern.
void add_block(const Eigen::Ref<const Matrix>& block, std::span<const Index> places, SparseMatrix& sum);

}  // namespace varimesh::linalg
