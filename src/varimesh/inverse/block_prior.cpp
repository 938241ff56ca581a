#include "varimesh/inverse/block_prior.h"

#include <algorithm>

namespace varimesh::inverse {
namespace {

/// Each lives as long as its prior.
std::vector<gaussian::BlockGaussian::Block> gaussians_of(const std::vector<BlockPrior::Block>& blocks) {
  std::vector<gaussian::BlockGaussian::Block> result;
  result.reserve(blocks.size());
  for (const BlockPrior::Block& block : blocks) result.emplace_back(block, &block->gaussian());
  return result;
}

/// diag(Q_1, Q_2, ...)
SparseMatrix join_sparse(const std::vector<BlockPrior::Block>& blocks, Index size) {
  SparseMatrix result(size, size);
  Eigen::Index entries = 0;
  for (const auto& block : blocks) entries += block->sparse_precision()->nonZeros();
  result.reserve(entries);
  Index first = 0;
  for (const auto& block : blocks) {
    const SparseMatrix& precision = *block->sparse_precision();
    for (Index j = 0; j < block->size(); ++j) {
      result.startVec(first + j);
      for (SparseMatrix::InnerIterator entry(precision, j); entry; ++entry)
        result.insertBack(first + static_cast<Index>(entry.row()), first + j) = entry.value();
    }
    first += block->size();
  }
  result.finalize();
  return result;
}

/// The same, dense; empty if a block has neither a sparse nor a dense one.
Matrix join_dense(const std::vector<BlockPrior::Block>& blocks, Index size) {
  Matrix result = Matrix::Zero(size, size);
  Index first = 0;
  for (const auto& block : blocks) {
    auto own = result.block(first, first, block->size(), block->size());
    if (block->has_sparse_precision()) {
      own = *block->sparse_precision();
    } else if (const Matrix* precision = block->dense_precision()) {
      own = *precision;
    } else {
      return {};
    }
    first += block->size();
  }
  return result;
}

}  // namespace

BlockPrior::BlockPrior(std::vector<Block> blocks) : blocks_(std::move(blocks)), gaussian_(gaussians_of(blocks_)) {}

bool BlockPrior::has_sparse_precision() const {
  return std::ranges::all_of(blocks_, [](const Block& block) { return block->has_sparse_precision(); });
}

const SparseMatrix* BlockPrior::sparse_precision() const {
  if (!has_sparse_precision()) return nullptr;
  std::call_once(has_sparse_, [&] { sparse_ = join_sparse(blocks_, size()); });
  return &sparse_;
}

const Matrix* BlockPrior::dense_precision() const {
  if (has_sparse_precision() || size() > max_dense) return nullptr;
  std::call_once(has_dense_, [&] { dense_ = join_dense(blocks_, size()); });
  return dense_.size() > 0 ? &dense_ : nullptr;
}

const Vector& BlockPrior::precision_diagonal() const {
  std::call_once(has_diagonal_, [&] {
    diagonal_.resize(size());
    Index first = 0;
    for (const Block& block : blocks_) {
      diagonal_.segment(first, block->size()) = block->precision_diagonal();
      first += block->size();
    }
  });
  return diagonal_;
}

}  // namespace varimesh::inverse
