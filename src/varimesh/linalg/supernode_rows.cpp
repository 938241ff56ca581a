#include "varimesh/linalg/supernode_rows.h"

#include <algorithm>

#include "varimesh/simd_clones.h"

namespace varimesh::linalg {
namespace {

/// Whether loops over the right-hand sides take less time than calls of BLAS.
bool is_narrow(const Supernode& s) { return static_cast<std::ptrdiff_t>(s.columns) * s.rows <= 128; }

std::ptrdiff_t place(std::ptrdiff_t unknown, int few) { return unknown * few; }

VARIMESH_SIMD_CLONES void forward_narrow(const Supernode& s, double* x, std::ptrdiff_t few) {
  for (int j = 0; j < s.columns; ++j) {
    const double* l = s.values + static_cast<std::ptrdiff_t>(j) * s.rows;
    double* solved = x + (s.first + j) * few;
    const double inverse = 1 / l[j];
    for (std::ptrdiff_t k = 0; k < few; ++k) solved[k] *= inverse;
    for (int i = j + 1; i < s.rows; ++i) {
      double* __restrict target = x + s.row[i] * few;
      const double factor = l[i];
      for (std::ptrdiff_t k = 0; k < few; ++k) target[k] -= factor * solved[k];
    }
  }
}

VARIMESH_SIMD_CLONES void backward_narrow(const Supernode& s, double* x, std::ptrdiff_t few) {
  for (int j = s.columns; j-- > 0;) {
    const double* l = s.values + static_cast<std::ptrdiff_t>(j) * s.rows;
    double* __restrict target = x + (s.first + j) * few;
    for (int i = j + 1; i < s.rows; ++i) {
      const double* from = x + s.row[i] * few;
      const double factor = l[i];
      for (std::ptrdiff_t k = 0; k < few; ++k) target[k] -= factor * from[k];
    }
    const double inverse = 1 / l[j];
    for (std::ptrdiff_t k = 0; k < few; ++k) target[k] *= inverse;
  }
}

}  // namespace

void solve_forward_rows(const Supernode& s, double* x, int few, double* scratch) {
  if (is_narrow(s)) return forward_narrow(s, x, few);
  const int below = s.below();
  double* x1 = x + place(s.first, few);
  dtrsm_("R", "L", "T", "N", &few, &s.columns, &one, s.values, &s.rows, x1, &few);
  if (below == 0) return;
  dgemm_("N", "T", &few, &below, &s.columns, &one, x1, &few, s.l21(), &s.rows, &zero, scratch, &few);
  for (int i = 0; i < below; ++i) {
    double* target = x + place(s.row[s.columns + i], few);
    const double* from = scratch + place(i, few);
    for (int k = 0; k < few; ++k) target[k] -= from[k];
  }
}

void solve_backward_rows(const Supernode& s, double* x, int few, double* scratch) {
  if (is_narrow(s)) return backward_narrow(s, x, few);
  const int below = s.below();
  double* x1 = x + place(s.first, few);
  if (below > 0) {
    for (int i = 0; i < below; ++i) std::copy_n(x + place(s.row[s.columns + i], few), few, scratch + place(i, few));
    dgemm_("N", "N", &few, &s.columns, &below, &minus_one, scratch, &few, s.l21(), &s.rows, &one, x1, &few);
  }
  dtrsm_("R", "L", "N", "N", &few, &s.columns, &one, s.values, &s.rows, x1, &few);
}

}  // namespace varimesh::linalg
