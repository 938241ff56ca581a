#pragma once

#include <functional>
#include <memory>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/linalg/clique_tree.h"

namespace varimesh::variational {

/// The curvature of the log-likelihood, H = 1/S sum_s A_s' A_s, and of the posterior, P = Q_prior + H. Where the data
/// have fewer rows than there are unknowns, or the prior is sparse, H is kept as Y Y' with as few columns as it has
/// noticeable eigenvalues relative to the prior (low rank), else as a matrix (dense). Estimates from first derivatives
/// for a sparse prior have a part on its pattern besides (sparse).
class Curvature {
 public:
  static constexpr double exact = 1e-9;

  /// To be filled with `samples` matrices of so many rows. Only curvatures with the same `max_samples` can
  /// be averaged. Eigenvalues that one batch of samples or average leaves out sum up to at most `negligible`; leaving
  /// out lambda changes the ELBO by less than lambda / 2 nats.
  Curvature(const inverse::GaussianPrior& prior, Index rows_per_sample, Index samples, Index max_samples,
            double negligible, int threads);
  /// From H, both triangles.
  Curvature(const inverse::GaussianPrior& prior, Matrix h, int threads);
  /// From H = C + Y Y', with C on a pattern that contains the prior's sparse precision matrix.
  Curvature(const inverse::GaussianPrior& prior, std::shared_ptr<const linalg::CliqueTree> tree, Vector c, Matrix y,
            int threads);
  /// From Y with H = Y Y'.
  static Curvature of_columns(const inverse::GaussianPrior& prior, Matrix columns, int threads);

  /// Fills it with A_s = jacobian(s), called once for every sample, on several threads.
  void fill(const std::function<Matrix(Index sample)>& jacobian);

  Index size() const { return prior_->size(); }
  bool is_low_rank() const { return low_rank_; }
  bool is_sparse() const { return tree_ != nullptr; }
  bool is_dense() const { return !low_rank_ && !tree_; }
  /// Y (n x k); no column if there is no part of low rank.
  const Matrix& columns() const { return columns_; }
  /// H, both triangles, if dense.
  const Matrix& dense() const { return dense_; }
  /// C on its pattern, if sparse.
  const Vector& values() const { return values_; }
  /// The diagonal of H.
  Vector diagonal() const;
  /// x' H x for every column of x.
  Vector quadratic(const Matrix& x) const;

  /// H <- (1 - weight) H + weight H_other, both made of samples of the same posterior.
  void average(const Curvature& other, double weight);

  /// Prepares solve() for c Q_prior + H. False if that is not numerically positive definite.
  bool factorize(double prior_scale = 1);
  /// (c Q_prior + H)^-1 x.
  Matrix solve(const Matrix& x) const;
  /// Z (n x k) with (Q_prior + H)^-1 = Q_prior^-1 - Z Z', if low rank.
  Matrix covariance_reduction() const;

 private:
  /// What fill() does for low rank, batch by batch, and for a matrix.
  void add_columns(const std::function<Matrix(Index)>& jacobian);
  void add_products(const std::function<Matrix(Index)>& jacobian);
  /// Leaves out what is negligible of low rank.
  void keep_noticeable();
  void restore_columns();
  /// From dense to low rank.
  void reduce_rank();
  /// How many of the smallest eigenvalues, which come first, do not matter.
  Eigen::Index num_negligible(const Vector& eigenvalues) const;
  /// (c Q_prior + C)^-1 x.
  Matrix solve_sparse(const Matrix& x) const;

  const inverse::GaussianPrior* prior_;
  Index rows_per_sample_ = 0, samples_ = 0;
  double negligible_ = exact;
  int threads_;
  bool low_rank_ = false;
  /// Low rank: Y, and W = R' Y with orthogonal columns of squared lengths `eigenvalues_`, R the prior's root.
  Matrix columns_, white_columns_;
  Vector eigenvalues_;
  /// Dense: H, and the factor of c I + R' H R.
  Matrix dense_, factor_;
  /// Sparse: C, the factor L of c Q_prior + C, V = (L L')^-1 Y, and the factor of I + Y' V.
  std::shared_ptr<const linalg::CliqueTree> tree_;
  Vector values_, sparse_factor_;
  Matrix solved_columns_;
  double prior_scale_ = 1;
};

}  // namespace varimesh::variational
