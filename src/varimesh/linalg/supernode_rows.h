#pragma once

#include "varimesh/linalg/supernode.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

// Triangular solves with one supernode for `few` right-hand sides that are stored by rows: X (few x n), in which all
// that belongs to an unknown lies together, so that scattered unknowns miss the cache once, not once for each
// right-hand side. `scratch` holds few * below() numbers.

/// [x1 x2] <- [x1 L11^-T, x2 - x1 L11^-T L21']
void solve_forward_rows(const Supernode& s, double* x, int few, double* scratch);
/// x1 <- (x1 - x2 L21) L11^-1
void solve_backward_rows(const Supernode& s, double* x, int few, double* scratch);

}  // namespace varimesh::linalg
