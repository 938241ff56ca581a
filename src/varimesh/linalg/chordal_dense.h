#pragma once

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

// A dense symmetric matrix A, in the graph's numbering, and Sigma = (L L')^-1 on a chordal pattern.

/// tr(A Sigma). If wanted, also half its gradient with respect to the entries of L on the pattern, -[Sigma A L^-T],
/// with zeros above the diagonals of the cliques' blocks.
double chordal_dense_trace(const CliqueTree& tree, const Vector& factor, const Matrix& a, Vector* half_gradient);

/// The entries of Sigma A Sigma on the pattern.
Vector chordal_dense_congruence(const CliqueTree& tree, const Vector& factor, const Matrix& a);

}  // namespace varimesh::linalg
