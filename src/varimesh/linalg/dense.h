#pragma once

#include "varimesh/types.h"

namespace varimesh::linalg {

// Dense algebra by BLAS and LAPACK, which is compiled for the processor at hand (Eigen is not).

enum class Transpose { no, yes };

/// x <- L x or L' x, and x <- L^-1 x or L^-T x, with the lower triangle of L.
void multiply_triangular(const Matrix& lower, Transpose transpose, Eigen::Ref<Matrix> x);
void solve_triangular(const Matrix& lower, Transpose transpose, Eigen::Ref<Matrix> x);

/// L of A = L L' from the lower triangle of A, in place, with zeros above. False if A is not numerically positive
/// definite.
[[nodiscard]] bool cholesky(Matrix& a);

/// A + factor B'B, in the lower triangle.
void add_gram(const Matrix& b, double factor, Matrix& a);

/// C <- alpha op(A) op(B) + beta C.
void multiply(Transpose transpose_a, Transpose transpose_b, double alpha, const Eigen::Ref<const Matrix>& a,
              const Eigen::Ref<const Matrix>& b, double beta, Eigen::Ref<Matrix> c);

/// A B and A'B.
Matrix product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b);
Matrix transposed_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b);

/// A x for a symmetric A, of which the lower triangle is read.
Vector symmetric_product(const Matrix& a, const Vector& x);

/// The lower triangle of A L, for L lower triangular with zeros above its diagonal; what is above the diagonal of the
/// result has no meaning.
Matrix lower_of_product(const Matrix& a, const Matrix& lower);

/// Eigenvalues, ascending, of the symmetric A by its lower triangle; its eigenvectors replace it. False if that fails.
[[nodiscard]] bool eigen_decomposition(Matrix& a, Vector& eigenvalues);

/// A'.
Matrix transposed(const Matrix& a);

/// Copies the lower triangle to the upper.
void symmetrize(Matrix& a);

}  // namespace varimesh::linalg
