#include "varimesh/variational/curvature_sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "varimesh/linalg/dense.h"
#include "varimesh/parallel.h"

namespace varimesh::variational {
namespace {

using linalg::Transpose;

/// Rows that are worked on at a time.
constexpr Eigen::Index block_rows = 1024;

/// The rows of Y + shift Omega from `first` on, as columns.
Matrix shifted_rows(const Matrix& images, const SparseSigns& omega, double shift, Index basis, Eigen::Index first,
                    Eigen::Index count) {
  Matrix block = images.block(first, 0, count, basis);
  omega.add_rows_to(static_cast<Index>(first), block, shift);
  return block.transpose();
}

}  // namespace

CurvatureSketch::CurvatureSketch(std::shared_ptr<const SparseSigns> omega)
    : omega_(std::move(omega)), images_(Matrix::Zero(omega_->rows(), omega_->columns())) {}

void CurvatureSketch::add_columns(const Matrix& w, double weight, int threads) {
  // Y += weight W (Omega' W)'
  const Matrix projected = omega_->transposed_times(w, threads);
  parallel_for_blocks(w.rows(), block_rows, threads, [&](Eigen::Index first, Eigen::Index count) {
    linalg::multiply(Transpose::no, Transpose::yes, weight, w.middleRows(first, count), projected, 1,
                     images_.middleRows(first, count));
  });
}

void CurvatureSketch::add_spectrum(const Spectrum& spectrum, double weight, int threads) {
  if (spectrum.rank() > 0)
    add_columns(*spectrum.directions * spectrum.values.cwiseSqrt().asDiagonal(), weight, threads);
}

void CurvatureSketch::combine(double own, const CurvatureSketch& other, double others) {
  images_ = own * images_ + others * other.images_;
}

Spectrum CurvatureSketch::spectrum(double negligible, int threads) const {
  // With Y_s = Y + s Omega, the sketch of N + s I for a shift s at the level of rounding, and Omega' Y_s = L L':
  // N + s I = B B' with B = Y_s L^-T, as far as the test matrix sees it; B'B = V Sigma V', U = B V Sigma^(-1/2).
  const Index n = omega_->rows(), width = basis();
  const auto columns = images_.leftCols(width);
  Spectrum result;
  result.directions = std::make_shared<const Matrix>(n, 0);
  const double norm = columns.norm();
  if (!std::isfinite(norm)) {
    result.values = Vector::Constant(1, std::numeric_limits<double>::quiet_NaN());
    return result;
  }
  if (norm == 0) return result;
  Matrix core = omega_->transposed_times(columns, threads).topRows(width);
  core = (core + core.transpose()).eval() / 2;
  const Matrix gram_of_omega = omega_->gram(width);
  double shift = std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon() * norm;
  Matrix lower = core + shift * gram_of_omega;
  for (int attempt = 0; !linalg::cholesky(lower) && attempt < 10; ++attempt) {
    shift *= 10;
    lower = core + shift * gram_of_omega;
  }

  // Partial sums over as many parts whatever the number of threads.
  constexpr Index parts = 16;
  const auto part_begin = [&](long long part) { return static_cast<Eigen::Index>(part * n / parts); };
  std::vector<Matrix> grams(parts, Matrix::Zero(width, width));
  parallel_for(parts, threads, [&](Index part) {
    for (Eigen::Index first = part_begin(part), end = part_begin(part + 1); first < end; first += block_rows) {
      Matrix block = shifted_rows(images_, *omega_, shift, width, first, std::min(block_rows, end - first));
      linalg::solve_triangular(lower, Transpose::no, block);
      linalg::add_gram(block.transpose(), 1, grams[static_cast<std::size_t>(part)]);
    }
  });
  Matrix vectors = Matrix::Zero(width, width);
  for (const Matrix& gram : grams) vectors += gram;
  Vector values;
  if (!linalg::eigen_decomposition(vectors, values)) values.setConstant(std::numeric_limits<double>::quiet_NaN());

  double nats = 0;
  Eigen::Index dropped = 0;
  for (; dropped < width; ++dropped) {
    const double lambda = std::max(0.0, values[dropped] - shift);
    nats += lambda * lambda / 4;
    // NaN is kept, for others to see.
    if (!(lambda <= most_dropped && nats <= negligible) || std::isnan(values[dropped])) break;
  }
  result.values = (values.tail(width - dropped).array() - shift).matrix();
  Matrix transform =
      vectors.rightCols(width - dropped) * values.tail(width - dropped).cwiseSqrt().cwiseInverse().asDiagonal();
  linalg::solve_triangular(lower, Transpose::yes, transform);
  Matrix directions(n, result.values.size());
  parallel_for_blocks(n, block_rows, threads, [&](Eigen::Index first, Eigen::Index count) {
    const Matrix block = shifted_rows(images_, *omega_, shift, width, first, count);
    linalg::multiply(Transpose::yes, Transpose::no, 1, block, transform, 0, directions.middleRows(first, count));
  });

  // tr(rest) = E[omega' rest omega] / E[omega_i^2], with E[omega_i^2] = 1 / columns, over columns that the basis has
  // not seen.
  const Index unseen = omega_->columns() - width;
  if (unseen > 0) {
    const Matrix test = omega_->dense(width, unseen);
    const Matrix seen = linalg::transposed_product(directions, test);
    const double all = test.cwiseProduct(images_.rightCols(unseen)).sum();
    const double kept = (seen.cwiseAbs2().transpose() * result.values).sum();
    result.rest = std::max(0.0, (all - kept) * omega_->columns() / unseen);
  }
  result.directions = std::make_shared<const Matrix>(std::move(directions));
  return result;
}

bool CurvatureSketch::is_wide_enough_for(const Spectrum& spectrum) const {
  return is_square() || spectrum.rank() <= 0.85 * basis() || !spectrum.values.allFinite();
}

}  // namespace varimesh::variational
