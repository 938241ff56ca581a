#pragma once

namespace varimesh::linalg {

// Products of the lower triangle of an n x n matrix L, column-major with leading dimension ld, and one vector. At the
// sizes of mass matrices BLAS takes up to twice as long.

/// y <- L x. x and y do not overlap.
void lower_times_vector(int n, const double* l, int ld, const double* x, double* y);
/// y <- L' x. x and y do not overlap.
void lower_transposed_times_vector(int n, const double* l, int ld, const double* x, double* y);

}  // namespace varimesh::linalg
