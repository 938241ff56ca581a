#pragma once

#include <cstddef>

#include "varimesh/linalg/blas.h"

namespace varimesh::linalg {

/// Consecutive columns of a triangular factor L with a common structure: a dense (rows x columns) trapezoid,
/// column-major, whose first `columns` rows are those of its own columns and whose others are listed.
struct Supernode {
  int first, columns, rows;
  const int* row;  ///< of the matrix, for each row of the trapezoid
  const double* values;

  int below() const { return rows - columns; }
  const double* l21() const { return values + columns; }
};

/// Whether solves are so little work that the calls of BLAS would take longer.
inline bool is_small(const Supernode& s, int cols) {
  return static_cast<std::ptrdiff_t>(s.columns) * s.rows * cols <= 500;
}

/// Whether solves are so much work that a request to end should be heard before.
inline bool is_large(const Supernode& s, int cols) { return 1.0 * s.columns * s.rows * cols > 1e6; }

// Triangular solves with one supernode, for `cols` columns of X with this stride. x2, the scattered part of X, passes
// through `scratch`, which holds below() * cols numbers, unless there is little to do.

/// [x1; x2] <- [L11^-1 x1; x2 - L21 L11^-1 x1]
inline void solve_forward(const Supernode& s, double* x, int cols, int stride, double* scratch) {
  if (is_small(s, cols)) {
    for (std::ptrdiff_t c = 0; c < cols; ++c) {
      double* column = x + c * stride;
      for (int j = 0; j < s.columns; ++j) {
        const double* l = s.values + static_cast<std::ptrdiff_t>(j) * s.rows;
        const double solved = column[s.first + j] /= l[j];
        for (int i = j + 1; i < s.rows; ++i) column[s.row[i]] -= l[i] * solved;
      }
    }
    return;
  }
  constexpr int unit = 1;
  const int below = s.below();
  double* x1 = x + s.first;
  if (cols == 1) {
    dtrsv_("L", "N", "N", &s.columns, s.values, &s.rows, x1, &unit);
    if (below > 0) dgemv_("N", &below, &s.columns, &one, s.l21(), &s.rows, x1, &unit, &zero, scratch, &unit);
  } else {
    dtrsm_("L", "L", "N", "N", &s.columns, &cols, &one, s.values, &s.rows, x1, &stride);
    if (below > 0)
      dgemm_("N", "N", &below, &cols, &s.columns, &one, s.l21(), &s.rows, x1, &stride, &zero, scratch, &below);
  }
  for (std::ptrdiff_t c = 0; c < cols; ++c) {
    for (int k = 0; k < below; ++k) x[s.row[s.columns + k] + c * stride] -= scratch[k + c * below];
  }
}

/// x1 <- L11^-T (x1 - L21' x2)
inline void solve_backward(const Supernode& s, double* x, int cols, int stride, double* scratch) {
  if (is_small(s, cols)) {
    for (std::ptrdiff_t c = 0; c < cols; ++c) {
      double* column = x + c * stride;
      for (int j = s.columns; j-- > 0;) {
        const double* l = s.values + static_cast<std::ptrdiff_t>(j) * s.rows;
        double sum = column[s.first + j];
        for (int i = j + 1; i < s.rows; ++i) sum -= l[i] * column[s.row[i]];
        column[s.first + j] = sum / l[j];
      }
    }
    return;
  }
  constexpr int unit = 1;
  const int below = s.below();
  double* x1 = x + s.first;
  for (std::ptrdiff_t c = 0; c < cols; ++c) {
    for (int k = 0; k < below; ++k) scratch[k + c * below] = x[s.row[s.columns + k] + c * stride];
  }
  if (cols == 1) {
    if (below > 0) dgemv_("T", &below, &s.columns, &minus_one, s.l21(), &s.rows, scratch, &unit, &one, x1, &unit);
    dtrsv_("L", "T", "N", &s.columns, s.values, &s.rows, x1, &unit);
  } else {
    if (below > 0)
      dgemm_("T", "N", &s.columns, &cols, &below, &minus_one, s.l21(), &s.rows, scratch, &below, &one, x1, &stride);
    dtrsm_("L", "L", "T", "N", &s.columns, &cols, &one, s.values, &s.rows, x1, &stride);
  }
}

}  // namespace varimesh::linalg
