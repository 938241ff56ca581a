#include "varimesh/linalg/divided_blas.h"

#include <algorithm>
#include <cstddef>

#include "varimesh/cancellation.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/types.h"

namespace varimesh::linalg {
namespace {

bool is_transposed(const char* t) { return *t == 'T'; }

template <class Number>
Number* at(Number* a, int lda, int i, int j) {
  return a + static_cast<std::ptrdiff_t>(j) * lda + i;
}

/// Where the rows from i on of op(A) begin, and its columns from j on.
template <class Number>
Number* row_of(const char* t, Number* a, int lda, int i) {
  return is_transposed(t) ? at(a, lda, 0, i) : at(a, lda, i, 0);
}
template <class Number>
Number* column_of(const char* t, Number* a, int lda, int j) {
  return is_transposed(t) ? at(a, lda, j, 0) : at(a, lda, 0, j);
}

/// Half, in whole blocks as the kernels of BLAS like them.
int half(int n) {
  constexpr int block = 16;
  return n > 2 * block ? n / 2 / block * block : n / 2;
}

double product(double a, double b, double c) { return a * b * c; }

}  // namespace

void DividedBlas::gemm(const char* ta, const char* tb, int m, int n, int k, double alpha, const double* a, int lda,
                       const double* b, int ldb, double beta, double* c, int ldc) const {
  if (product(m, n, k) <= most || std::max({m, n, k}) < 2) {
    dgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
    return;
  }
  throw_if_interrupted();
  if (n >= std::max(m, k)) {
    const int h = half(n);
    gemm(ta, tb, m, h, k, alpha, a, lda, b, ldb, beta, c, ldc);
    gemm(ta, tb, m, n - h, k, alpha, a, lda, column_of(tb, b, ldb, h), ldb, beta, at(c, ldc, 0, h), ldc);
  } else if (m >= k) {
    const int h = half(m);
    gemm(ta, tb, h, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    gemm(ta, tb, m - h, n, k, alpha, row_of(ta, a, lda, h), lda, b, ldb, beta, at(c, ldc, h, 0), ldc);
  } else {
    const int h = half(k);
    gemm(ta, tb, m, n, h, alpha, a, lda, b, ldb, beta, c, ldc);
    gemm(ta, tb, m, n, k - h, alpha, column_of(ta, a, lda, h), lda, row_of(tb, b, ldb, h), ldb, 1, c, ldc);
  }
}

void DividedBlas::syrk(const char* t, int n, int k, double alpha, const double* a, int lda, double beta, double* c,
                       int ldc) const {
  if (product(n, n, k) <= 2 * most || std::max(n, k) < 2) {
    dsyrk_("L", t, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
    return;
  }
  throw_if_interrupted();
  if (k > n) {
    const int h = half(k);
    syrk(t, n, h, alpha, a, lda, beta, c, ldc);
    syrk(t, n, k - h, alpha, column_of(t, a, lda, h), lda, 1, c, ldc);
    return;
  }
  // [C11; C21 C22] with A = [A1; A2]
  const int h = half(n);
  const double* a2 = row_of(t, a, lda, h);
  syrk(t, h, k, alpha, a, lda, beta, c, ldc);
  gemm(t, is_transposed(t) ? "N" : "T", n - h, h, k, alpha, a2, lda, a, lda, beta, at(c, ldc, h, 0), ldc);
  syrk(t, n - h, k, alpha, a2, lda, beta, at(c, ldc, h, h), ldc);
}

void DividedBlas::syr2k(int n, int k, double alpha, const double* a, int lda, const double* b, int ldb, double* c,
                        int ldc) const {
  if (product(n, n, k) <= most || std::max(n, k) < 2) {
    dsyr2k_("L", "N", &n, &k, &alpha, a, &lda, b, &ldb, &one, c, &ldc);
    return;
  }
  throw_if_interrupted();
  if (k > n) {
    const int h = half(k);
    syr2k(n, h, alpha, a, lda, b, ldb, c, ldc);
    syr2k(n, k - h, alpha, at(a, lda, 0, h), lda, at(b, ldb, 0, h), ldb, c, ldc);
    return;
  }
  const int h = half(n);
  const double *a2 = at(a, lda, h, 0), *b2 = at(b, ldb, h, 0);
  double* c21 = at(c, ldc, h, 0);
  syr2k(h, k, alpha, a, lda, b, ldb, c, ldc);
  gemm("N", "T", n - h, h, k, alpha, a2, lda, b, ldb, 1, c21, ldc);
  gemm("N", "T", n - h, h, k, alpha, b2, ldb, a, lda, 1, c21, ldc);
  syr2k(n - h, k, alpha, a2, lda, b2, ldb, at(c, ldc, h, h), ldc);
}

void DividedBlas::symm(int m, int n, double alpha, const double* a, int lda, const double* b, int ldb, double* c,
                       int ldc) const {
  if (product(m, m, n) <= most || std::max(m, n) < 2) {
    dsymm_("L", "L", &m, &n, &alpha, a, &lda, b, &ldb, &zero, c, &ldc);
    return;
  }
  throw_if_interrupted();
  if (n > m) {
    const int h = half(n);
    symm(m, h, alpha, a, lda, b, ldb, c, ldc);
    symm(m, n - h, alpha, a, lda, at(b, ldb, 0, h), ldb, at(c, ldc, 0, h), ldc);
    return;
  }
  // [C1; C2] = [A11 B1 + A21' B2; A22 B2 + A21 B1]
  const int h = half(m);
  const double *a21 = at(a, lda, h, 0), *b2 = at(b, ldb, h, 0);
  double* c2 = at(c, ldc, h, 0);
  symm(h, n, alpha, a, lda, b, ldb, c, ldc);
  gemm("T", "N", h, n, m - h, alpha, a21, lda, b2, ldb, 1, c, ldc);
  symm(m - h, n, alpha, at(a, lda, h, h), lda, b2, ldb, c2, ldc);
  gemm("N", "N", m - h, n, h, alpha, a21, lda, b, ldb, 1, c2, ldc);
}

void DividedBlas::solve_left(const char* t, int m, int n, const double* l, int ldl, double* x, int ldx) const {
  if (product(m, m, n) <= 2 * most || std::max(m, n) < 2) {
    dtrsm_("L", "L", t, "N", &m, &n, &one, l, &ldl, x, &ldx);
    return;
  }
  throw_if_interrupted();
  if (n > m) {
    const int h = half(n);
    solve_left(t, m, h, l, ldl, x, ldx);
    solve_left(t, m, n - h, l, ldl, at(x, ldx, 0, h), ldx);
    return;
  }
  const int h = half(m);
  const double *l21 = at(l, ldl, h, 0), *l22 = at(l, ldl, h, h);
  double* x2 = at(x, ldx, h, 0);
  if (is_transposed(t)) {
    // X2 <- L22^-T X2, X1 <- L11^-T (X1 - L21' X2)
    solve_left(t, m - h, n, l22, ldl, x2, ldx);
    gemm("T", "N", h, n, m - h, -1, l21, ldl, x2, ldx, 1, x, ldx);
    solve_left(t, h, n, l, ldl, x, ldx);
  } else {
    // X1 <- L11^-1 X1, X2 <- L22^-1 (X2 - L21 X1)
    solve_left(t, h, n, l, ldl, x, ldx);
    gemm("N", "N", m - h, n, h, -1, l21, ldl, x, ldx, 1, x2, ldx);
    solve_left(t, m - h, n, l22, ldl, x2, ldx);
  }
}

void DividedBlas::solve_right(const char* t, int m, int n, const double* l, int ldl, double* x, int ldx) const {
  if (product(m, n, n) <= 2 * most || std::max(m, n) < 2) {
    dtrsm_("R", "L", t, "N", &m, &n, &one, l, &ldl, x, &ldx);
    return;
  }
  throw_if_interrupted();
  if (m > n) {
    const int h = half(m);
    solve_right(t, h, n, l, ldl, x, ldx);
    solve_right(t, m - h, n, l, ldl, at(x, ldx, h, 0), ldx);
    return;
  }
  const int h = half(n);
  const double *l21 = at(l, ldl, h, 0), *l22 = at(l, ldl, h, h);
  double* x2 = at(x, ldx, 0, h);
  if (is_transposed(t)) {
    // X1 <- X1 L11^-T, X2 <- (X2 - X1 L21') L22^-T
    solve_right(t, m, h, l, ldl, x, ldx);
    gemm("N", "T", m, n - h, h, -1, x, ldx, l21, ldl, 1, x2, ldx);
    solve_right(t, m, n - h, l22, ldl, x2, ldx);
  } else {
    // X2 <- X2 L22^-1, X1 <- (X1 - X2 L21) L11^-1
    solve_right(t, m, n - h, l22, ldl, x2, ldx);
    gemm("N", "N", m, h, n - h, -1, x2, ldx, l21, ldl, 1, x, ldx);
    solve_right(t, m, h, l, ldl, x, ldx);
  }
}

void DividedBlas::multiply_left(const char* t, int m, int n, const double* l, int ldl, double* x, int ldx) const {
  if (product(m, m, n) <= 2 * most || std::max(m, n) < 2) {
    dtrmm_("L", "L", t, "N", &m, &n, &one, l, &ldl, x, &ldx);
    return;
  }
  throw_if_interrupted();
  if (n > m) {
    const int h = half(n);
    multiply_left(t, m, h, l, ldl, x, ldx);
    multiply_left(t, m, n - h, l, ldl, at(x, ldx, 0, h), ldx);
    return;
  }
  const int h = half(m);
  const double *l21 = at(l, ldl, h, 0), *l22 = at(l, ldl, h, h);
  double* x2 = at(x, ldx, h, 0);
  if (is_transposed(t)) {
    // X1 <- L11' X1 + L21' X2, X2 <- L22' X2
    multiply_left(t, h, n, l, ldl, x, ldx);
    gemm("T", "N", h, n, m - h, 1, l21, ldl, x2, ldx, 1, x, ldx);
    multiply_left(t, m - h, n, l22, ldl, x2, ldx);
  } else {
    // X2 <- L22 X2 + L21 X1, X1 <- L11 X1
    multiply_left(t, m - h, n, l22, ldl, x2, ldx);
    gemm("N", "N", m - h, n, h, 1, l21, ldl, x, ldx, 1, x2, ldx);
    multiply_left(t, h, n, l, ldl, x, ldx);
  }
}

bool DividedBlas::cholesky(int n, double* a, int lda) const {
  if (product(n, n, n) <= 3 * most || n < 2) {
    int info = 0;
    dpotrf_("L", &n, a, &lda, &info);
    return info == 0;
  }
  throw_if_interrupted();
  // L11 L11' = A11, L21 = A21 L11^-T, L22 L22' = A22 - L21 L21'
  const int h = half(n);
  double *a21 = at(a, lda, h, 0), *a22 = at(a, lda, h, h);
  if (!cholesky(h, a, lda)) return false;
  solve_right("T", n - h, h, a, lda, a21, lda);
  syrk("N", n - h, h, -1, a21, lda, 1, a22, lda);
  return cholesky(n - h, a22, lda);
}

void DividedBlas::invert_cholesky(int n, double* l, int ldl) const {
  if (product(n, n, n) <= 1.5 * most || n < 2) {
    int info = 0;
    dpotri_("L", &n, l, &ldl, &info);
    return;
  }
  throw_if_interrupted();
  // Z = L21 L11^-1, S22 = (L22 L22')^-1, S21 = -S22 Z, S11 = (L11 L11')^-1 - Z' S21
  const int h = half(n), rest = n - h;
  double *l21 = at(l, ldl, h, 0), *l22 = at(l, ldl, h, h);
  solve_right("N", rest, h, l, ldl, l21, ldl);
  const Matrix z = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(l21, rest, h, Eigen::OuterStride<>(ldl));
  invert_cholesky(rest, l22, ldl);
  symm(rest, h, -1, l22, ldl, z.data(), rest, l21, ldl);
  invert_cholesky(h, l, ldl);
  gemm("T", "N", h, h, rest, -1, z.data(), rest, l21, ldl, 1, l, ldl);
}

}  // namespace varimesh::linalg
