#pragma once

namespace varimesh::linalg {

/// BLAS and LAPACK on lower triangles, column-major with leading dimensions as there, in pieces of a fraction of a
/// second, between which a request to end is heard (cancellation.h). Small work is one call.
struct DividedBlas {
  double most = 2e9;  ///< multiply-adds in one call, about

  /// C <- alpha op(A) op(B) + beta C, op(A) m x k; `ta` and `tb` are "N" or "T", as all transpositions below.
  void gemm(const char* ta, const char* tb, int m, int n, int k, double alpha, const double* a, int lda,
            const double* b, int ldb, double beta, double* c, int ldc) const;
  /// The lower triangle of C <- alpha A A' + beta C for "N", A n x k, or alpha A' A + beta C for "T".
  void syrk(const char* t, int n, int k, double alpha, const double* a, int lda, double beta, double* c, int ldc) const;
  /// The lower triangle of C <- alpha (A B' + B A') + C, A and B n x k.
  void syr2k(int n, int k, double alpha, const double* a, int lda, const double* b, int ldb, double* c, int ldc) const;
  /// C <- alpha A B for a symmetric A, m x m, of which the lower triangle is read.
  void symm(int m, int n, double alpha, const double* a, int lda, const double* b, int ldb, double* c, int ldc) const;
  /// X <- op(L)^-1 X, X m x n.
  void solve_left(const char* t, int m, int n, const double* l, int ldl, double* x, int ldx) const;
  /// X <- X op(L)^-1, X m x n.
  void solve_right(const char* t, int m, int n, const double* l, int ldl, double* x, int ldx) const;
  /// X <- op(L) X, X m x n.
  void multiply_left(const char* t, int m, int n, const double* l, int ldl, double* x, int ldx) const;
  /// L of A = L L' in place of the lower triangle. False if A is not positive definite.
  [[nodiscard]] bool cholesky(int n, double* a, int lda) const;
  /// The lower triangle of (L L')^-1 in its place; what is above the diagonal has no meaning.
  void invert_cholesky(int n, double* l, int ldl) const;
};

inline constexpr DividedBlas divided_blas;

}  // namespace varimesh::linalg
