#include "varimesh/variational/curvature.h"

#include <algorithm>
#include <cmath>

#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/parallel.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational {
namespace {

/// Unknowns up to which a dense matrix is preferred when the data have more rows than that.
constexpr Index dense_size = 2000;

/// Eigenvalues of H relative to the prior that are left out sum up to less than this. Leaving out lambda changes the
/// ELBO by less than lambda / 2 nats.
constexpr double negligible = 1e-9;

/// Calls work(first, count) for blocks of columns, on several threads.
template <class Work>
void for_each_column_block(Eigen::Index columns, int threads, const Work& work) {
  constexpr Eigen::Index width = 64;
  parallel_for(static_cast<Index>((columns + width - 1) / width), threads, [&](Index b) {
    const Eigen::Index first = b * width;
    work(first, std::min(width, columns - first));
  });
}

/// A B by blocks of columns, on several threads.
Matrix product(const Matrix& a, const Matrix& b, int threads) {
  Matrix result(a.rows(), b.cols());
  for_each_column_block(b.cols(), threads, [&](Eigen::Index first, Eigen::Index count) {
    result.middleCols(first, count) = linalg::product(a, b.middleCols(first, count));
  });
  return result;
}

}  // namespace

Curvature::Curvature(const inverse::GaussianPrior& prior, Index rows_per_sample, Index samples, int threads)
    : prior_(&prior), rows_per_sample_(rows_per_sample), samples_(samples), threads_(threads) {
  const bool few_rows = static_cast<long long>(rows_per_sample) * samples < prior.size();
  low_rank_ = few_rows || (prior.sparse_precision() && prior.size() > dense_size);
  // A batch holds some thousand rows, or what fits into 2 GB: enough work at a time for compress.
  const double rows = std::min(1024.0, 2.5e8 / std::max<Index>(1, size()));
  const auto fitting = static_cast<Index>(rows / std::max<Index>(1, rows_per_sample));
  batch_ = low_rank_ ? std::clamp<Index>(fitting, 1, std::max<Index>(1, samples)) : samples;
  if (low_rank_) {
    columns_.resize(size(), 0);
    white_columns_.resize(size(), 0);
  } else {
    dense_ = Matrix::Zero(size(), size());
  }
}

Curvature::Curvature(const inverse::GaussianPrior& prior, Matrix h, int threads)
    : prior_(&prior), threads_(threads), dense_(std::move(h)) {}

Curvature::Curvature(const inverse::GaussianPrior& prior, std::shared_ptr<const linalg::CliqueTree> tree, Vector c,
                     Matrix y, int threads)
    : prior_(&prior), threads_(threads), columns_(std::move(y)), tree_(std::move(tree)), values_(std::move(c)) {}

Curvature Curvature::of_columns(const inverse::GaussianPrior& prior, Matrix columns, int threads) {
  Curvature result(prior, 0, 0, threads);
  result.columns_ = std::move(columns);
  result.compress();
  return result;
}

Index Curvature::num_groups(Index count) const {
  // Dense: sums of a fixed number of groups, so that they do not depend on the number of threads.
  return low_rank_ ? count : std::min<Index>(count, 8);
}

void Curvature::begin_batch(Index count) {
  if (low_rank_)
    columns_.conservativeResize(Eigen::NoChange,
                                eigenvalues_.size() + static_cast<Eigen::Index>(count) * rows_per_sample_);
  else
    group_sums_.assign(static_cast<std::size_t>(num_groups(count)), Matrix::Zero(size(), size()));
}

void Curvature::add(Index group, Index sample_of_batch, const Matrix& weighted_jacobian) {
  if (low_rank_)
    columns_.middleCols(eigenvalues_.size() + static_cast<Eigen::Index>(sample_of_batch) * rows_per_sample_,
                        rows_per_sample_) = weighted_jacobian.transpose() / std::sqrt(samples_);
  else
    linalg::add_gram(weighted_jacobian, 1.0 / samples_, group_sums_[static_cast<std::size_t>(group)]);
}

void Curvature::end_batch() {
  if (low_rank_) return compress();
  for (const Matrix& sum : group_sums_) dense_ += sum;
  group_sums_.clear();
  linalg::symmetrize(dense_);
}

void Curvature::compress() {
  // H relative to the prior is W W', W = R' Y; its eigenvalues are those of W' W = U Lambda U', and W U, Y U have
  // noticeable columns only where lambda is noticeable.
  const Eigen::Index old = eigenvalues_.size(), all = columns_.cols();
  white_columns_.conservativeResize(Eigen::NoChange, all);
  white_columns_.rightCols(all - old) = columns_.rightCols(all - old);
  for_each_column_block(all - old, threads_, [&](Eigen::Index first, Eigen::Index count) {
    prior_->gaussian().multiply_root_transposed(white_columns_.middleCols(old + first, count));
  });
  Matrix gram(all, all);
  for_each_column_block(all, threads_, [&](Eigen::Index first, Eigen::Index count) {
    gram.middleCols(first, count) = linalg::transposed_product(white_columns_, white_columns_.middleCols(first, count));
  });
  Vector eigenvalues;
  linalg::eigen_decomposition(gram, eigenvalues);
  const double floor = std::max(negligible, 1e-14 * eigenvalues[all - 1]);
  Eigen::Index left_out = 0;
  for (double sum = 0; left_out < all; ++left_out) {
    sum += std::max(0.0, eigenvalues[left_out]);
    if (sum > floor) break;
  }
  const Matrix kept = gram.rightCols(all - left_out);
  eigenvalues_ = eigenvalues.tail(all - left_out);
  columns_ = product(columns_, kept, threads_);
  white_columns_ = product(white_columns_, kept, threads_);
}

Vector Curvature::diagonal() const {
  if (is_dense()) return dense_.diagonal();
  Vector result = columns_.rowwise().squaredNorm();
  if (is_sparse()) result += linalg::from_tree(*tree_, linalg::chordal_diagonal(*tree_, values_));
  return result;
}

Vector Curvature::quadratic(const Matrix& x) const {
  if (is_dense()) return x.cwiseProduct(linalg::product(dense_, x)).colwise().sum().transpose();
  Vector result = linalg::transposed_product(columns_, x).colwise().squaredNorm().transpose();
  if (is_sparse()) {
    const Matrix ordered = linalg::to_tree(*tree_, x);
    result += ordered.cwiseProduct(linalg::chordal_times(*tree_, values_, ordered)).colwise().sum().transpose();
  }
  return result;
}

bool Curvature::factorize(double prior_scale) {
  prior_scale_ = prior_scale;
  if (low_rank_) return eigenvalues_.allFinite();
  if (is_sparse()) {
    sparse_factor_ = prior_scale * on_pattern(*tree_, *prior_->sparse_precision()) + values_;
    if (!linalg::chordal_cholesky(*tree_, sparse_factor_, threads_)) return false;
    solved_columns_ = solve_sparse(columns_);
    factor_ = linalg::transposed_product(columns_, solved_columns_);
    factor_.diagonal().array() += 1;
    return linalg::cholesky(factor_);
  }
  factor_ = dense_;
  prior_->gaussian().multiply_root_transposed(factor_);
  factor_.transposeInPlace();
  prior_->gaussian().multiply_root_transposed(factor_);
  factor_.diagonal().array() += prior_scale;
  return linalg::cholesky(factor_);
}

Matrix Curvature::solve_sparse(const Matrix& x) const {
  Matrix ordered = linalg::to_tree(*tree_, x);
  linalg::chordal_solve_lower(*tree_, sparse_factor_, ordered);
  linalg::chordal_solve_upper(*tree_, sparse_factor_, ordered);
  return linalg::from_tree(*tree_, ordered);
}

Matrix Curvature::solve(const Matrix& x) const {
  using linalg::Transpose;
  if (is_sparse()) {
    // (F + Y Y')^-1 = F^-1 - V (I + Y' V)^-1 V',  V = F^-1 Y
    Matrix inner = linalg::transposed_product(solved_columns_, x);
    linalg::solve_triangular(factor_, Transpose::no, inner);
    linalg::solve_triangular(factor_, Transpose::yes, inner);
    return solve_sparse(x) - linalg::product(solved_columns_, inner);
  }
  // R (c I + R' H R)^-1 R' x
  Matrix result = x;
  prior_->gaussian().multiply_root_transposed(result);
  if (low_rank_) {
    // (c I + W W')^-1 = [ I - W (c + Lambda)^-1 W' ] / c
    Matrix inner = linalg::transposed_product(white_columns_, result);
    inner.array().colwise() /= eigenvalues_.array() + prior_scale_;
    result = (result - linalg::product(white_columns_, inner)) / prior_scale_;
  } else {
    linalg::solve_triangular(factor_, Transpose::no, result);
    linalg::solve_triangular(factor_, Transpose::yes, result);
  }
  prior_->gaussian().multiply_root(result);
  return result;
}

Matrix Curvature::covariance_reduction() const {
  // R W (1 + Lambda)^-1/2
  Matrix result = white_columns_ * (eigenvalues_.array() + 1).rsqrt().matrix().asDiagonal();
  prior_->gaussian().multiply_root(result);
  return result;
}

}  // namespace varimesh::variational
