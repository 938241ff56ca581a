#pragma once

#include "varimesh/linalg/clique_tree.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

// Solves and products for blocks of right-hand sides that are stored by rows: X (few x size), column i for unknown i of
// the tree's numbering. All that belongs to an unknown lies together, so a block of 32 takes 2/3 of the time of the
// solves in chordal.h, whose scattered rows miss the cache once for each right-hand side.

/// X <- X L^-T, which is L^-1 for each row of X, and X <- X L^-1, which is L^-T.
void chordal_solve_lower_rows(const CliqueTree& tree, const Vector& factor, Matrix& x);
void chordal_solve_upper_rows(const CliqueTree& tree, const Vector& factor, Matrix& x);

/// X M.
Matrix rows_times(const Matrix& x, const SparseMatrix& m);

}  // namespace varimesh::linalg
