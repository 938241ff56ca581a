#include "varimesh/gaussian/low_rank_gaussian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"

namespace varimesh::gaussian {
namespace {

/// Calls visit(columns) with B U or B^-T U, some columns at a time: all of them would double the memory.
template <class Map, class Visit>
void for_each_block(const Matrix& directions, const Map& map, const Visit& visit) {
  constexpr Eigen::Index width = 32;
  for (Eigen::Index first = 0; first < directions.cols(); first += width) {
    Matrix block = directions.middleCols(first, std::min(width, directions.cols() - first));
    map(block);
    visit(first, block);
  }
}

}  // namespace

LowRankGaussian::LowRankGaussian(Vector mean, Base base, Directions directions, Vector excess, double scale)
    : Gaussian(std::move(mean)),
      base_(std::move(base)),
      directions_(std::move(directions)),
      excess_(std::move(excess)),
      scale_(scale) {
  if (base_->size() != size() || directions_->rows() != size() || directions_->cols() != excess_.size())
    throw InputError(fmt::format("expected a base and directions of size {} with {} columns, found {} and {} x {}",
                                 size(), excess_.size(), base_->size(), directions_->rows(), directions_->cols()));
  if (!this->mean().allFinite()) throw InputError("expected a finite mean");
  if (!excess_.allFinite() || !(excess_.array() > -1).all())
    throw InputError("expected precisions relative to the base that are positive and finite");
  if (!(scale_ > 0 && std::isfinite(scale_)))
    throw InputError(fmt::format("expected a positive scale, found {}", scale_));
  shrink_ = (1 + excess_.array()).rsqrt() - 1;
  stretch_ = (1 + excess_.array()).sqrt() - 1;
  // log det = log det B B' + 2 n log s - sum log(1 + lambda)
  log_determinant_ = base_->log_determinant() + 2 * size() * std::log(scale_) - excess_.array().log1p().sum();
}

LowRankGaussian LowRankGaussian::leading(double smallest) const {
  std::vector<Index> kept;
  for (Index i = 0; i < rank(); ++i) {
    if (excess_[i] >= smallest) kept.push_back(i);
  }
  auto directions = std::make_shared<const Matrix>((*directions_)(Eigen::all, kept));
  return {mean(), base_, std::move(directions), excess_(kept), scale_};
}

void LowRankGaussian::change(double factor, const Vector& d, Eigen::Ref<Matrix> x) const {
  if (rank() > 0) {
    Matrix inner = linalg::transposed_product(*directions_, x);
    inner.array().colwise() *= d.array();
    linalg::multiply(linalg::Transpose::no, linalg::Transpose::no, 1, *directions_, inner, 1, x);
  }
  if (factor != 1) x *= factor;
}

void LowRankGaussian::multiply_root(Eigen::Ref<Matrix> x) const {
  change(scale_, shrink_, x);
  base_->multiply_root(x);
}

void LowRankGaussian::multiply_root_transposed(Eigen::Ref<Matrix> x) const {
  base_->multiply_root_transposed(x);
  change(scale_, shrink_, x);
}

// (I + U ((1 + lambda)^(-1/2) - 1) U')^-1 = I + U ((1 + lambda)^(1/2) - 1) U'

void LowRankGaussian::solve_root(Eigen::Ref<Matrix> x) const {
  base_->solve_root(x);
  change(1 / scale_, stretch_, x);
}

void LowRankGaussian::solve_root_transposed(Eigen::Ref<Matrix> x) const {
  change(1 / scale_, stretch_, x);
  base_->solve_root_transposed(x);
}

Vector LowRankGaussian::variance() const {
  // s^2 [ (B B')_ii - sum_k (B U)_ik^2 lambda_k / (1 + lambda_k) ]
  Vector result = base_->variance();
  const Vector share = excess_.array() / (1 + excess_.array());
  for_each_block(
      *directions_, [&](Matrix& block) { base_->multiply_root(block); },
      [&](Eigen::Index first, const Matrix& block) {
        result.noalias() -= block.cwiseAbs2() * share.segment(first, block.cols());
      });
  return scale_ * scale_ * result;
}

Vector LowRankGaussian::precision_diagonal() const {
  // [ (B B')^-1_ii + sum_k (B^-T U)_ik^2 lambda_k ] / s^2
  Vector result = base_->precision_diagonal();
  for_each_block(
      *directions_, [&](Matrix& block) { base_->solve_root_transposed(block); },
      [&](Eigen::Index first, const Matrix& block) {
        result.noalias() += block.cwiseAbs2() * excess_.segment(first, block.cols());
      });
  return result / (scale_ * scale_);
}

}  // namespace varimesh::gaussian
