#pragma once

#include "varimesh/linalg/sparse_cholesky.h"

namespace varimesh::linalg {

/// For patterns of bandwidth 1: the one-dimensional problems. Throws std::invalid_argument for any other pattern.
std::unique_ptr<SparseCholesky> create_tridiagonal_cholesky(const LowerPattern& pattern);

}  // namespace varimesh::linalg
