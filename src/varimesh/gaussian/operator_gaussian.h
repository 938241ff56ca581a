#pragma once

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::gaussian {

/// A normal distribution by a sparse operator M = C + S, with C diagonal and positive, S symmetric and positive
/// semidefinite: the covariance is D P_alpha D with
///
///   P_1 = M^-1,  P_2 = M^-1 C M^-1,  P_3 = M^-1 C M^-1 C M^-1,  P_4 = M^-1 C M^-1 C M^-1 C M^-1,
///
/// and D the diagonal matrix that makes every variance sigma^2. Its precision D^-1 M (C^-1 M)^(alpha-1) D^-1 is sparse,
/// but has many more entries than M, and is neither formed nor factorised. With M = L L' the root is
///
///   R = D L^-T,  D M^-1 C^(1/2),  D M^-1 C L^-T,  D M^-1 C M^-1 C^(1/2)   for alpha = 1, 2, 3, 4.
class OperatorGaussian final : public Gaussian {
 public:
  using SparseMatrix = linalg::SparseMatrix;
  static constexpr int max_order = 4;

  /// Both triangles of M, the diagonal of C. Throws InputError for sizes that differ, an order that is not from 1 to 4,
  /// a mean that is not finite, a C or sigma that is not positive, or an M so badly conditioned that the variances
  /// cannot be computed.
  OperatorGaussian(Vector mean, const SparseMatrix& m, const Vector& c, int order, double sigma, int threads = 1);

  void multiply_root(Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(Eigen::Ref<Matrix> x) const override;
  void solve_root(Eigen::Ref<Matrix> x) const override;
  void solve_root_transposed(Eigen::Ref<Matrix> x) const override;
  double log_determinant() const override { return log_determinant_; }
  Vector variance() const override { return Vector::Constant(size(), sigma_ * sigma_); }
  Vector precision_diagonal() const override;
  /// Products with M only.
  Matrix precision_times(const Matrix& x) const override;

  /// The precision matrix, both triangles: it couples what is up to alpha steps apart in the graph of M.
  SparseMatrix precision() const;

 private:
  // Blocks of right-hand sides in the tree's numbering are stored by rows (linalg/chordal_rows.h).
  Matrix gather(const Eigen::Ref<const Matrix>& x, const Vector& scale) const;
  void scatter(const Matrix& rows, const Vector& scale, Eigen::Ref<Matrix> x) const;
  void solve(Matrix& rows) const;
  void times(Matrix& rows) const;
  /// The diagonal of P_alpha, in the tree's numbering.
  Vector unscaled_variance(const Vector& m_values, int threads) const;
  /// Throws InputError if rounding has spoilt D.
  void check_variance() const;

  int order_;
  double sigma_, log_determinant_ = 0;
  linalg::CliqueTree tree_;
  // All in the tree's numbering: M, C, C^(1/2), D, and the factor of M.
  SparseMatrix m_;
  Vector c_, root_c_, scale_, factor_;
};

}  // namespace varimesh::gaussian
