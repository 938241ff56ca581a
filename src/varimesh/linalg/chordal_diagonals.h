#pragma once

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

/// The diagonals of Sigma and of Sigma C Sigma, in the tree's numbering.
struct InverseDiagonals {
  Vector inverse, congruence;
};

/// For Sigma = (L L')^-1 and a diagonal C: what chordal_selected_inverse and chordal_congruence (chordal.h) have on
/// their diagonals, with one matrix on the pattern beside L instead of three.
InverseDiagonals chordal_inverse_diagonals(const CliqueTree& tree, const Vector& factor, const Vector& c,
                                           int threads = 1);

}  // namespace varimesh::linalg
