#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/linalg/clique_tree.h"
#include "varimesh/variational/curvature_sketch.h"
#include "varimesh/variational/information_factor.h"
#include "varimesh/variational/spectrum.h"
#include "varimesh/variational/test_matrix.h"

namespace varimesh::variational {

/// The curvature of the log-likelihood, H = 1/S sum_s A_s' A_s, and of the posterior, P = Q_prior + H. Where the data
/// have fewer rows than there are unknowns, or the unknowns are many, H is kept by its noticeable eigenvalues relative
/// to the prior (low rank), else as a matrix (dense). Estimates from first derivatives for a sparse prior have a part
/// on its pattern besides (sparse).
///
/// Few rows are gathered as they are; more of them through a sketch, by rows or, where there are more rows than the
/// sketch has columns, by products.
class Curvature {
 public:
  static constexpr double exact = 1e-9;
  using Factors = std::function<std::unique_ptr<InformationFactor>(Index sample)>;

  /// To be filled with `samples` factors of so many rows. Only curvatures with the same `max_samples` can be averaged.
  /// Rows gathered as they are leave out eigenvalues that sum up to at most `negligible`; leaving out lambda changes
  /// the ELBO by less than lambda / 2 nats. A sketch leaves out what costs at most `negligible` nats.
  Curvature(const inverse::GaussianPrior& prior, Index rows_per_sample, Index samples, Index max_samples,
            double negligible, int threads);
  /// From H, both triangles.
  Curvature(const inverse::GaussianPrior& prior, Matrix h, int threads);
  /// From H = C + Y Y', with C on a pattern that contains the prior's sparse precision matrix.
  Curvature(const inverse::GaussianPrior& prior, std::shared_ptr<const linalg::CliqueTree> tree, Vector c, Matrix y,
            int threads);
  /// From its eigenvalues relative to the prior.
  Curvature(const inverse::GaussianPrior& prior, Spectrum spectrum, int threads);
  /// From Y with H = Y Y'.
  static Curvature of_columns(const inverse::GaussianPrior& prior, Matrix columns, int threads);

  /// Whether it is filled through a sketch, and needs a test matrix.
  bool needs_sketch() const;
  /// Fills it with the factors, each asked for once, on several threads. False if the test matrix turns out too narrow
  /// for the eigenvalues that matter; what was found is kept all the same.
  bool fill(const Factors& factors, const TestMatrix* test = nullptr);

  Index size() const { return prior_->size(); }
  bool is_low_rank() const { return low_rank_; }
  bool is_sparse() const { return tree_ != nullptr; }
  bool is_dense() const { return !low_rank_ && !tree_; }
  /// Its eigenvalues relative to the prior; of a matrix they are computed anew. Not for a sparse part.
  Spectrum spectrum() const;
  /// Y (n x k); no column if there is no part of low rank.
  Matrix columns() const;
  /// H, both triangles, if dense.
  const Matrix& dense() const { return dense_; }
  /// C on its pattern, if sparse.
  const Vector& values() const { return values_; }
  /// The diagonal of H.
  Vector diagonal() const;
  /// H x.
  Matrix times(const Matrix& x) const;
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
  long long num_rows() const { return static_cast<long long>(rows_per_sample_) * samples_; }
  /// R' A_s' / sqrt(S), whole.
  Matrix white_columns(const InformationFactor& factor) const;
  /// Some columns of A_s'.
  Matrix some_columns(const InformationFactor& factor, Eigen::Index first, Eigen::Index count) const;
  /// What fill() does for few rows, through a sketch, and for a matrix.
  void gather_columns(const Factors& factors);
  void gather_sketch(const Factors& factors, const TestMatrix& test);
  void gather_products(const Factors& factors);
  /// The noticeable part of W W'.
  Spectrum spectrum_of(const Matrix& white_columns) const;
  /// The noticeable part of R' H R, if dense.
  Spectrum spectrum_of_dense() const;
  /// How many of the smallest eigenvalues, which come first, do not matter.
  Eigen::Index num_negligible(const Vector& eigenvalues) const;
  /// (c Q_prior + C)^-1 x.
  Matrix solve_sparse(const Matrix& x) const;

  const inverse::GaussianPrior* prior_;
  Index rows_per_sample_ = 0, samples_ = 0;
  double negligible_ = exact;
  int threads_;
  bool low_rank_ = false;
  Spectrum spectrum_;                      ///< low rank
  std::optional<CurvatureSketch> sketch_;  ///< what the spectrum was made from, if that was a sketch
  /// Dense: H, and the factor of c I + R' H R.
  Matrix dense_, factor_;
  /// Sparse: C, Y, the factor L of c Q_prior + C, V = (L L')^-1 Y, and the factor of I + Y' V.
  std::shared_ptr<const linalg::CliqueTree> tree_;
  Vector values_, sparse_factor_;
  Matrix sparse_columns_, solved_columns_;
  double prior_scale_ = 1;
};

}  // namespace varimesh::variational
