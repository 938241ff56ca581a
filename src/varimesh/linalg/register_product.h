#pragma once

#include "varimesh/types.h"

namespace varimesh::linalg {

enum class Update { set, add };

/// C <- A B or C + A B with sums in registers. Nothing is copied first, as BLAS would do: faster for small matrices.
void register_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b, Update update,
                      Eigen::Ref<Matrix> c);

/// Whether a square matrix A is that small, whether it stays in a second cache of 1 MiB, and the processor has
/// registers enough (AVX-512): with fewer BLAS is faster.
bool fits_register_product(Eigen::Index n);

}  // namespace varimesh::linalg
