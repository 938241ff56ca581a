#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "varimesh/gaussian/block_gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"

namespace varimesh::inverse {

/// Independent normal priors of several groups of unknowns, one below the other, as one normal prior.
class BlockPrior final : public GaussianPrior {
 public:
  using Block = std::shared_ptr<const GaussianPrior>;

  /// Unknowns up to which a precision matrix that is not sparse in all blocks is offered as a dense one.
  static constexpr Index max_dense = 20'000;

  /// Throws InputError without blocks.
  explicit BlockPrior(std::vector<Block> blocks);

  const std::vector<Block>& blocks() const { return blocks_; }

  const gaussian::BlockGaussian& gaussian() const override { return gaussian_; }
  /// Whether those of all blocks are.
  bool has_sparse_precision() const override;
  const SparseMatrix* sparse_precision() const override;
  const Matrix* dense_precision() const override;
  const Vector& precision_diagonal() const override;

 private:
  std::vector<Block> blocks_;
  gaussian::BlockGaussian gaussian_;
  mutable std::once_flag has_sparse_, has_dense_, has_diagonal_;
  mutable SparseMatrix sparse_;
  mutable Matrix dense_;  // empty if a block has none
  mutable Vector diagonal_;
};

}  // namespace varimesh::inverse
