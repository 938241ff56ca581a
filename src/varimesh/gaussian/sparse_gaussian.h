#pragma once

#include <memory>
#include <optional>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/linalg/clique_tree.h"

namespace varimesh::gaussian {

/// A normal distribution by its sparse precision matrix Q = L L' on a chordal pattern: R = L^-T. Vectors are in the
/// numbering of the graph that the pattern was made from, factors in the tree's.
class SparseGaussian final : public Gaussian {
 public:
  using Tree = std::shared_ptr<const linalg::CliqueTree>;

  /// From L on the tree's pattern. Throws InputError for sizes that differ, a mean or a factor that is not finite, or a
  /// diagonal of the factor that is not positive.
  SparseGaussian(Vector mean, Tree tree, Vector factor);

  const linalg::CliqueTree& tree() const { return *tree_; }
  const Tree& shared_tree() const { return tree_; }
  const Vector& factor() const { return factor_; }

  void multiply_root(Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(Eigen::Ref<Matrix> x) const override;
  void solve_root(Eigen::Ref<Matrix> x) const override;
  void solve_root_transposed(Eigen::Ref<Matrix> x) const override;
  double log_determinant() const override { return log_determinant_; }
  Vector variance() const override;
  Vector precision_diagonal() const override;

 private:
  Tree tree_;
  Vector factor_;
  double log_determinant_;
};

}  // namespace varimesh::gaussian
