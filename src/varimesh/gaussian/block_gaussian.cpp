#include "varimesh/gaussian/block_gaussian.h"

#include "varimesh/error.h"

namespace varimesh::gaussian {
namespace {

Vector join_means(const std::vector<BlockGaussian::Block>& blocks) {
  if (blocks.empty()) throw InputError("expected at least one block, found none");
  Index size = 0;
  for (const auto& block : blocks) size += block->size();
  Vector mean(size);
  Index first = 0;
  for (const auto& block : blocks) {
    mean.segment(first, block->size()) = block->mean();
    first += block->size();
  }
  return mean;
}

}  // namespace

BlockGaussian::BlockGaussian(std::vector<Block> blocks) : Gaussian(join_means(blocks)), blocks_(std::move(blocks)) {
  for (const Block& block : blocks_) log_determinant_ += block->log_determinant();
}

void BlockGaussian::multiply_root(Eigen::Ref<Matrix> x) const {
  for_each_block([&](const Gaussian& block, Index first) { block.multiply_root(x.middleRows(first, block.size())); });
}

void BlockGaussian::multiply_root_transposed(Eigen::Ref<Matrix> x) const {
  for_each_block(
      [&](const Gaussian& block, Index first) { block.multiply_root_transposed(x.middleRows(first, block.size())); });
}

void BlockGaussian::solve_root(Eigen::Ref<Matrix> x) const {
  for_each_block([&](const Gaussian& block, Index first) { block.solve_root(x.middleRows(first, block.size())); });
}

void BlockGaussian::solve_root_transposed(Eigen::Ref<Matrix> x) const {
  for_each_block(
      [&](const Gaussian& block, Index first) { block.solve_root_transposed(x.middleRows(first, block.size())); });
}

Vector BlockGaussian::variance() const {
  Vector result(size());
  for_each_block([&](const Gaussian& block, Index first) { result.segment(first, block.size()) = block.variance(); });
  return result;
}

Vector BlockGaussian::precision_diagonal() const {
  Vector result(size());
  for_each_block(
      [&](const Gaussian& block, Index first) { result.segment(first, block.size()) = block.precision_diagonal(); });
  return result;
}

Matrix BlockGaussian::precision_times(const Matrix& x) const {
  Matrix result(x.rows(), x.cols());
  for_each_block([&](const Gaussian& block, Index first) {
    result.middleRows(first, block.size()) = block.precision_times(x.middleRows(first, block.size()));
  });
  return result;
}

Matrix BlockGaussian::dense_root() const {
  Matrix result = Matrix::Zero(size(), size());
  for_each_block([&](const Gaussian& block, Index first) {
    result.block(first, first, block.size(), block.size()) = block.dense_root();
  });
  return result;
}

}  // namespace varimesh::gaussian
