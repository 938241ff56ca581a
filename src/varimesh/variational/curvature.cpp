#include "varimesh/variational/curvature.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "varimesh/constants.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/pattern_values.h"
#include "varimesh/parallel.h"

namespace varimesh::variational {
namespace {

/// Unknowns up to which H is summed up as a matrix when the data have more rows than that.
constexpr Index dense_size = 1000;

/// Rows up to which they are gathered as they are: their Gram matrix is decomposed in some hundredths of a second.
constexpr long long most_rows = 600;

/// Nats that a sketch may leave out in any case: to find the eigenvalues below is not worth their number.
constexpr double least_nats = 2e-4;

/// Columns that a thread works on at a time.
constexpr Eigen::Index block_width = 32;

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
  low_rank_ = few_rows || prior.size() > dense_size;
  if (!low_rank_) dense_ = Matrix::Zero(size(), size());
}

Curvature::Curvature(const inverse::GaussianPrior& prior, Matrix h, int threads)
    : prior_(&prior), threads_(threads), dense_(std::move(h)) {}

Curvature::Curvature(const inverse::GaussianPrior& prior, std::shared_ptr<const linalg::CliqueTree> tree, Vector c,
                     Matrix y, int threads)
    : prior_(&prior), threads_(threads), tree_(std::move(tree)), values_(std::move(c)), sparse_columns_(std::move(y)) {}

Curvature::Curvature(const inverse::GaussianPrior& prior, Spectrum spectrum, int threads)
    : prior_(&prior), threads_(threads), low_rank_(true), spectrum_(std::move(spectrum)) {}

Curvature Curvature::of_columns(const inverse::GaussianPrior& prior, Matrix columns, int threads) {
  Curvature result(prior, Spectrum{}, threads);
  prior.gaussian().multiply_root_transposed(columns);
  result.spectrum_ = result.spectrum_of(columns);
  return result;
}

bool Curvature::needs_sketch() const { return low_rank_ && num_rows() > most_rows; }

bool Curvature::fill(const Factors& factors, const TestMatrix* test) {
  if (needs_sketch()) {
    gather_sketch(factors, *test);
    spectrum_ = sketch_->spectrum(std::max(negligible_, least_nats), threads_);
    return sketch_->is_wide_enough_for(spectrum_);
  }
  if (low_rank_) {
    gather_columns(factors);
    return true;
  }
  gather_products(factors);
  if (prior_->has_sparse_precision()) {
    spectrum_ = spectrum_of_dense();
    low_rank_ = true;
    dense_.resize(0, 0);
  }
  return true;
}

Matrix Curvature::white_columns(const InformationFactor& factor) const {
  Matrix columns = factor.rows().transpose() / std::sqrt(samples_);
  prior_->gaussian().multiply_root_transposed(columns);
  return columns;
}

Matrix Curvature::some_columns(const InformationFactor& factor, Eigen::Index first, Eigen::Index count) const {
  Matrix unit = Matrix::Zero(rows_per_sample_, count);
  unit.middleRows(first, count).setIdentity();
  return factor.transposed_times(unit);
}

void Curvature::gather_columns(const Factors& factors) {
  Matrix all(size(), num_rows());
  if (samples_ == 1 && size() > dense_size) {
    // One Jacobian keeps several threads busy by blocks of its rows.
    const std::unique_ptr<InformationFactor> factor = factors(0);
    parallel_for_blocks(rows_per_sample_, block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
      all.middleCols(first, count) = some_columns(*factor, first, count);
      prior_->gaussian().multiply_root_transposed(all.middleCols(first, count));
    });
    spectrum_ = spectrum_of(all);
    return;
  }
  parallel_for(samples_, threads_, [&](Index s) {
    all.middleCols(static_cast<Eigen::Index>(s) * rows_per_sample_, rows_per_sample_) = white_columns(*factors(s));
  });
  spectrum_ = spectrum_of(all);
}

void Curvature::gather_sketch(const Factors& factors, const TestMatrix& test) {
  // Y = R' sum_s A_s' (A_s R Omega) / S, in blocks of columns of R Omega. A product costs two solves where a row costs
  // one; but rows are then multiplied by the test matrix, too.
  const Index columns = test.omega->columns();
  const bool by_rows = rows_per_sample_ <= 1.6 * columns;
  Matrix images = Matrix::Zero(size(), columns);
  const auto for_blocks = [&](const auto& times) {
    parallel_for_blocks(columns, block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
      images.middleCols(first, count) += times(test.coloured.middleCols(first, count)) / samples_;
    });
  };
  // As many samples at a time as keep threads busy, for their factors are large. They are added one after the other, so
  // that sums do not depend on the number of threads.
  const Index group = threads_;
  for (Index begin = 0; begin < samples_; begin += group) {
    const Index count = std::min(group, samples_ - begin);
    std::vector<std::unique_ptr<InformationFactor>> several(static_cast<std::size_t>(count));
    parallel_for(count, threads_, [&](Index s) { several[static_cast<std::size_t>(s)] = factors(begin + s); });
    if (!by_rows) {
      for (const auto& factor : several)
        for_blocks([&](const Matrix& x) { return factor->transposed_times(factor->times(x)); });
      continue;
    }
    // A', some columns at a time
    const auto blocks = static_cast<Index>((rows_per_sample_ + block_width - 1) / block_width);
    std::vector<Matrix> transposed(static_cast<std::size_t>(count), Matrix(size(), rows_per_sample_));
    parallel_for(count * blocks, threads_, [&](Index task) {
      const auto s = static_cast<std::size_t>(task / blocks);
      const Eigen::Index first = task % blocks * block_width;
      const Eigen::Index width = std::min<Eigen::Index>(block_width, rows_per_sample_ - first);
      transposed[s].middleCols(first, width) = some_columns(*several[s], first, width);
    });
    several.clear();
    for (const Matrix& a : transposed)
      for_blocks([&](const auto& x) { return linalg::product(a, linalg::transposed_product(a, x)); });
  }
  parallel_for_blocks(columns, block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
    prior_->gaussian().multiply_root_transposed(images.middleCols(first, count));
  });
  sketch_.emplace(test.omega, std::move(images));
}

void Curvature::gather_products(const Factors& factors) {
  // Sums of a number of groups that does not depend on the number of threads; few where they are large.
  const Index groups = std::min<Index>(samples_, size() < 2000 ? 8 : 2);
  std::vector<Matrix> sums(static_cast<std::size_t>(groups), Matrix::Zero(size(), size()));
  parallel_for(groups, threads_, [&](Index group) {
    const auto share = [&](long long g) { return static_cast<Index>(g * samples_ / groups); };
    for (Index s = share(group); s < share(group + 1); ++s)
      linalg::add_gram(factors(s)->rows(), 1.0 / samples_, sums[static_cast<std::size_t>(group)]);
  });
  for (const Matrix& sum : sums) dense_ += sum;
  linalg::symmetrize(dense_);
}

Spectrum Curvature::spectrum_of_dense() const {
  // R' H R = U Lambda U'
  Matrix vectors = whitened(prior_->gaussian(), dense_);
  Vector eigenvalues;
  if (!linalg::eigen_decomposition(vectors, eigenvalues)) eigenvalues.setConstant(nan);
  const Eigen::Index kept = size() - num_negligible(eigenvalues);
  return {std::make_shared<const Matrix>(vectors.rightCols(kept)), eigenvalues.tail(kept),
          eigenvalues.head(size() - kept).cwiseMax(0).sum()};
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
  if (!sketch_ && !other.sketch_) {
    const Index old = spectrum_.rank(), added = other.spectrum_.rank();
    Matrix all(size(), old + added);
    all.leftCols(old) = *spectrum_.directions * ((1 - weight) * spectrum_.values).cwiseSqrt().asDiagonal();
    all.rightCols(added) = *other.spectrum_.directions * (weight * other.spectrum_.values).cwiseSqrt().asDiagonal();
    spectrum_ = spectrum_of(all);
    return;
  }
  // Both through the wider test matrix; what was seen through none, or a narrower one, is taken from its eigenvalues.
  const bool others_is_wider =
      !sketch_ || (other.sketch_ && other.sketch_->omega().columns() > sketch_->omega().columns());
  const auto omega = (others_is_wider ? other.sketch_ : sketch_)->shared_omega();
  const auto sketch_of = [&](const Spectrum& spectrum) {
    CurvatureSketch sketch(omega);
    sketch.add_spectrum(spectrum, 1, threads_);
    return sketch;
  };
  if (others_is_wider) sketch_ = sketch_of(spectrum_);
  if (other.sketch_ && other.sketch_->shared_omega() == omega)
    sketch_->combine(1 - weight, *other.sketch_, weight);
  else
    sketch_->combine(1 - weight, sketch_of(other.spectrum_), weight);
  spectrum_ = {};  // its memory is needed for the next one
  spectrum_ = sketch_->spectrum(std::max(negligible_, least_nats), threads_);
}

Spectrum Curvature::spectrum_of(const Matrix& white_columns) const {
  // W W' has the eigenvalues of W' W = V Lambda V', and U = W V Lambda^(-1/2).
  const Eigen::Index all = white_columns.cols();
  Spectrum result{.directions = std::make_shared<const Matrix>(size(), 0)};
  if (all == 0) return result;
  Matrix gram(all, all);
  parallel_for_blocks(all, block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
    gram.block(first, first, all - first, count) =
        linalg::transposed_product(white_columns.rightCols(all - first), white_columns.middleCols(first, count));
  });
  Vector eigenvalues;
  if (!linalg::eigen_decomposition(gram, eigenvalues)) eigenvalues.setConstant(nan);
  const Eigen::Index dropped = num_negligible(eigenvalues), kept = all - dropped;
  result.values = eigenvalues.tail(kept);
  result.rest = eigenvalues.head(dropped).cwiseMax(0).sum();
  const Matrix transform = gram.rightCols(kept) * result.values.cwiseSqrt().cwiseInverse().asDiagonal();
  result.directions = std::make_shared<const Matrix>(product(white_columns, transform, threads_));
  return result;
}

Spectrum Curvature::spectrum() const { return low_rank_ ? spectrum_ : spectrum_of_dense(); }

Matrix Curvature::columns() const {
  if (is_sparse()) return sparse_columns_;
  if (is_dense()) return Matrix(size(), 0);
  // Y = R^-T U Lambda^1/2
  Matrix result = *spectrum_.directions * spectrum_.values.cwiseSqrt().asDiagonal();
  parallel_for_blocks(result.cols(), block_width, threads_, [&](Eigen::Index first, Eigen::Index count) {
    prior_->gaussian().solve_root_transposed(result.middleCols(first, count));
  });
  return result;
}

Vector Curvature::diagonal() const {
  if (is_dense()) return dense_.diagonal();
  Vector result = columns().rowwise().squaredNorm();
  if (is_sparse()) result += linalg::from_tree(*tree_, linalg::chordal_diagonal(*tree_, values_));
  return result;
}

Matrix Curvature::times(const Matrix& x) const {
  if (is_dense()) return linalg::product(dense_, x);
  if (is_sparse()) {
    const Matrix sparse = linalg::chordal_times(*tree_, values_, linalg::to_tree(*tree_, x));
    return linalg::from_tree(*tree_, sparse) +
           linalg::product(sparse_columns_, linalg::transposed_product(sparse_columns_, x));
  }
  // R^-T U Lambda U' R^-1 x
  Matrix white = x;
  prior_->gaussian().solve_root(white);
  Matrix result = linalg::product(
      *spectrum_.directions, spectrum_.values.asDiagonal() * linalg::transposed_product(*spectrum_.directions, white));
  prior_->gaussian().solve_root_transposed(result);
  return result;
}

Vector Curvature::quadratic(const Matrix& x) const {
  if (is_dense() || is_sparse()) return x.cwiseProduct(times(x)).colwise().sum().transpose();
  // |Lambda^1/2 U' R^-1 x|^2
  Matrix white = x;
  prior_->gaussian().solve_root(white);
  return linalg::transposed_product(*spectrum_.directions, white).cwiseAbs2().transpose() * spectrum_.values;
}

bool Curvature::factorize(double prior_scale) {
  prior_scale_ = prior_scale;
  if (low_rank_) return spectrum_.values.allFinite() && (spectrum_.values.array() > -prior_scale).all();
  if (is_sparse()) {
    sparse_factor_ = prior_scale * linalg::values_on_pattern(*tree_, *prior_->sparse_precision()) + values_;
    if (!linalg::chordal_cholesky(*tree_, sparse_factor_, threads_)) return false;
    solved_columns_ = solve_sparse(sparse_columns_);
    factor_ = linalg::transposed_product(sparse_columns_, solved_columns_);
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
    // (c I + U Lambda U')^-1 = [ I - U Lambda (c + Lambda)^-1 U' ] / c
    Matrix inner = linalg::transposed_product(*spectrum_.directions, result);
    inner.array().colwise() *= spectrum_.values.array() / (spectrum_.values.array() + prior_scale_);
    result = (result - linalg::product(*spectrum_.directions, inner)) / prior_scale_;
  } else {
    linalg::solve_triangular(factor_, Transpose::no, result);
    linalg::solve_triangular(factor_, Transpose::yes, result);
  }
  prior_->gaussian().multiply_root(result);
  return result;
}

Matrix Curvature::covariance_reduction() const {
  // R U [ Lambda / (1 + Lambda) ]^1/2
  const Vector share = (spectrum_.values.array() / (spectrum_.values.array() + 1)).sqrt();
  Matrix result = *spectrum_.directions * share.asDiagonal();
  prior_->gaussian().multiply_root(result);
  return result;
}

}  // namespace varimesh::variational
