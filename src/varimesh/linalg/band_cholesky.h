#pragma once

#include "varimesh/linalg/sparse_cholesky.h"

namespace varimesh::linalg {

/// For small problems: the whole band as dense columns, factorised eight columns at a time in vector registers.
/// LAPACK's dpbtrf runs unblocked at these bandwidths and is several times slower (docs/benchmarks.md).
std::unique_ptr<SparseCholesky> create_band_cholesky(const LowerPattern& pattern);

}  // namespace varimesh::linalg
