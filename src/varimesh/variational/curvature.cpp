#include "varimesh/variational/curvature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/parallel.h"

namespace varimesh::variational {
namespace {

/// Unknowns up to which H is summed up as a matrix when the data have more rows than that.
constexpr Index dense_size = 1000;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Columns that a thread works on at a time.
constexpr Eigen::Index block_width = 64;

/// A B by blocks of columns, on several threads.
Matrix product(const Matrix& a, const Matrix& b, int threads) {
  Matrix result(a.rows(), b.cols());
  parallel_for_blocks(b.cols(), block_width, threads, [&](Eigen::Index first, Eigen::Index count) {
    result.middleCols(first, count) = linalg::product(a, b.middleCols(first, count));
  });
  return result;
}

/// R' H R with the prior's root R.
Matrix whitened(const gaussian::Gaussian& prior, Matrix h) {
  prior.multiply_root_transposed(h);
  h.transposeInPlace();
  prior.multiply_root_transposed(h);
  return h;
}

}  // namespace

Curvature::Curvature(const inverse::GaussianPrior& prior, Index rows_per_sample, Index samples, Index max_samples,
                     double negligible, int threads)
    : prior_(&prior), rows_per_sample_(rows_per_sample), samples_(samples), negligible_(negligible), threads_(threads) {
  const bool few_rows = static_cast<long long>(rows_per_sample) * max_samples < prior.size();
  low_rank_ = few_rows || (prior.has_sparse_precision() && prior.size() > dense_size);
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
  Curvature result(prior, 0, 0, 0, exact, threads);
  prior.gaussian().multiply_root_transposed(columns);
  result.white_columns_ = std::move(columns);
  result.keep_noticeable();
  result.restore_columns();
  return result;
}

void Curvature::fill(const std::function<Matrix(Index)>& jacobian) {
  if (low_rank_) {
    add_columns(jacobian);
  } else {
    add_products(jacobian);
    if (prior_->has_sparse_precision()) reduce_rank();
  }
  if (low_rank_) restore_columns();
}

void Curvature::add_columns(const std::function<Matrix(Index)>& jacobian) {
  // A batch of about as many rows as there are noticeable eigenvalues keeps the work of taking them up small.
  constexpr Index rows = 256;
  const Index batch = std::max<Index>(1, rows / std::max<Index>(1, rows_per_sample_));
  for (Index begin = 0; begin < samples_; begin += batch) {
    const Eigen::Index kept = eigenvalues_.size(), count = std::min(batch, samples_ - begin);
    white_columns_.conservativeResize(Eigen::NoChange, kept + count * rows_per_sample_);
    parallel_for(static_cast<Index>(count), threads_, [&](Index s) {
      // R' A_s'
      auto columns =
          white_columns_.middleCols(kept + static_cast<Eigen::Index>(s) * rows_per_sample_, rows_per_sample_);
      columns = jacobian(begin + s).transpose() / std::sqrt(samples_);
      prior_->gaussian().multiply_root_transposed(columns);
    });
    keep_noticeable();
  }
}

void Curvature::add_products(const std::function<Matrix(Index)>& jacobian) {
  // Sums of a number of groups that does not depend on the number of threads; few where they are large.
  const Index groups = std::min<Index>(samples_, size() < 2000 ? 8 : 2);
  std::vector<Matrix> sums(static_cast<std::size_t>(groups), Matrix::Zero(size(), size()));
  parallel_for(groups, threads_, [&](Index group) {
    const auto share = [&](long long g) { return static_cast<Index>(g * samples_ / groups); };
    for (Index s = share(group); s < share(group + 1); ++s)
      linalg::add_gram(jacobian(s), 1.0 / samples_, sums[static_cast<std::size_t>(group)]);
  });
  for (const Matrix& sum : sums) dense_ += sum;
  linalg::symmetrize(dense_);
}

void Curvature::restore_columns() {
  // Y = R^-T W
  columns_ = white_columns_;
  parallel_for_blocks(columns_.cols(), block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
    prior_->gaussian().solve_root_transposed(columns_.middleCols(first, count));
  });
}

void Curvature::reduce_rank() {
  // R' H R = U Lambda U':  W = U Lambda^1/2
  Matrix vectors = whitened(prior_->gaussian(), std::move(dense_));
  Vector eigenvalues;
  if (!linalg::eigen_decomposition(vectors, eigenvalues)) eigenvalues.setConstant(nan);
  const Eigen::Index kept = size() - num_negligible(eigenvalues);
  eigenvalues_ = eigenvalues.tail(kept);
  white_columns_ = vectors.rightCols(kept) * eigenvalues_.cwiseSqrt().asDiagonal();
  low_rank_ = true;
}

Eigen::Index Curvature::num_negligible(const Vector& eigenvalues) const {
  // Rounding leaves errors of about 1e-14 of the largest.
  const double most = std::max(negligible_, 1e-14 * eigenvalues[eigenvalues.size() - 1]);
  double sum = 0;
  Eigen::Index count = 0;
  // NaN is kept, so that factorize() fails.
  while (count < eigenvalues.size() && !std::isnan(eigenvalues[count]) &&
         (sum += std::max(0.0, eigenvalues[count])) <= most)
    ++count;
  return count;
}

void Curvature::average(const Curvature& other, double weight) {
  if (!low_rank_) {
    dense_ = (1 - weight) * dense_ + weight * other.dense_;
    return;
  }
  const Eigen::Index old = white_columns_.cols(), added = other.white_columns_.cols();
  white_columns_.conservativeResize(Eigen::NoChange, old + added);
  white_columns_.leftCols(old) *= std::sqrt(1 - weight);
  white_columns_.rightCols(added) = std::sqrt(weight) * other.white_columns_;
  keep_noticeable();
  restore_columns();
}

void Curvature::keep_noticeable() {
  // H relative to the prior is W W'; its eigenvalues are those of W' W = U Lambda U', and W U has noticeable columns
  // only where lambda is noticeable.
  const Eigen::Index all = white_columns_.cols();
  if (all == 0) return;
  Matrix gram(all, all);
  parallel_for_blocks(all, block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
    gram.block(first, first, all - first, count) =
        linalg::transposed_product(white_columns_.rightCols(all - first), white_columns_.middleCols(first, count));
  });
  Vector eigenvalues;
  if (!linalg::eigen_decomposition(gram, eigenvalues)) eigenvalues.setConstant(nan);
  const Eigen::Index kept = all - num_negligible(eigenvalues);
  eigenvalues_ = eigenvalues.tail(kept);
  white_columns_ = product(white_columns_, gram.rightCols(kept), threads_);
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
    sparse_factor_ = prior_scale * linalg::values_on_pattern(*tree_, *prior_->sparse_precision()) + values_;
    if (!linalg::chordal_cholesky(*tree_, sparse_factor_, threads_)) return false;
    solved_columns_ = solve_sparse(columns_);
    factor_ = linalg::transposed_product(columns_, solved_columns_);
    factor_.diagonal().array() += 1;
    return linalg::cholesky(factor_);
  }
  factor_ = whitened(prior_->gaussian(), dense_);
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
