#pragma once

#include "varimesh/linalg/sparse_cholesky.h"

namespace varimesh::linalg {

/// For large problems: CHOLMOD's supernodal factorisation of an already ordered matrix, and our own triangular solves.
std::unique_ptr<SparseCholesky> create_supernodal_cholesky(const LowerPattern& pattern);

}  // namespace varimesh::linalg
