#pragma once

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

/// tr(A Sigma), Sigma = (L L')^-1, for a dense symmetric A in the graph's numbering. If wanted, also half its gradient
/// with respect to the entries of L on the pattern, -[Sigma A L^-T], with zeros above the diagonals of the cliques'
/// blocks.
double chordal_trace(const CliqueTree& tree, const Vector& factor, const Matrix& a, Vector* half_gradient);

}  // namespace varimesh::linalg
