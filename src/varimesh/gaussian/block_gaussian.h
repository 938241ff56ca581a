#pragma once

#include <memory>
#include <vector>

#include "varimesh/gaussian/gaussian.h"

namespace varimesh::gaussian {

/// Independent normal distributions one below the other: R = diag(R_1, R_2, ...).
class BlockGaussian final : public Gaussian {
 public:
  using Block = std::shared_ptr<const Gaussian>;

  /// Throws InputError without blocks.
  explicit BlockGaussian(std::vector<Block> blocks);

  const std::vector<Block>& blocks() const { return blocks_; }

  void multiply_root(Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(Eigen::Ref<Matrix> x) const override;
  void solve_root(Eigen::Ref<Matrix> x) const override;
  void solve_root_transposed(Eigen::Ref<Matrix> x) const override;
  double log_determinant() const override { return log_determinant_; }
  Vector variance() const override;
  Vector precision_diagonal() const override;
  Matrix precision_times(const Matrix& x) const override;
  Matrix dense_root() const override;

 private:
  /// Calls visit(block, its first row) for all.
  template <class Visit>
  void for_each_block(const Visit& visit) const {
    Index first = 0;
    for (const Block& block : blocks_) {
      visit(*block, first);
      first += block->size();
    }
  }

  std::vector<Block> blocks_;
  double log_determinant_ = 0;
};

}  // namespace varimesh::gaussian
