#include "varimesh/gaussian/sparse_gaussian.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/error.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::gaussian {

SparseGaussian::SparseGaussian(Vector mean, Tree tree, Vector factor)
    : Gaussian(std::move(mean)), tree_(std::move(tree)), factor_(std::move(factor)) {
  if (tree_->size() != size() || static_cast<std::size_t>(factor_.size()) != tree_->num_entries())
    throw InputError(fmt::format("expected a pattern of size {} with {} entries, found {} with {}", size(),
                                 tree_->num_entries(), tree_->size(), factor_.size()));
  if (!this->mean().allFinite()) throw InputError("expected a finite mean");
  log_determinant_ = -linalg::chordal_log_determinant(*tree_, factor_);
  if (!std::isfinite(log_determinant_) || !linalg::is_finite_on_pattern(*tree_, factor_))
    throw InputError("expected a factor with a positive diagonal, found one that is not numerically positive definite");
}

// With Q in the tree's numbering P: P Q P' = L L', so R = P' L^-T.

void SparseGaussian::multiply_root(Eigen::Ref<Matrix> x) const {
  linalg::chordal_solve_upper(*tree_, factor_, x);
  x = linalg::from_tree(*tree_, x);
}

void SparseGaussian::multiply_root_transposed(Eigen::Ref<Matrix> x) const {
  x = linalg::to_tree(*tree_, x);
  linalg::chordal_solve_lower(*tree_, factor_, x);
}

void SparseGaussian::solve_root(Eigen::Ref<Matrix> x) const {
  x = linalg::to_tree(*tree_, x);
  linalg::chordal_multiply_upper(*tree_, factor_, x);
}

void SparseGaussian::solve_root_transposed(Eigen::Ref<Matrix> x) const {
  linalg::chordal_multiply_lower(*tree_, factor_, x);
  x = linalg::from_tree(*tree_, x);
}

Vector SparseGaussian::variance() const {
  return linalg::from_tree(*tree_, linalg::chordal_diagonal(*tree_, linalg::chordal_selected_inverse(*tree_, factor_)));
}

Vector SparseGaussian::precision_diagonal() const {
  return linalg::from_tree(*tree_, linalg::chordal_diagonal(*tree_, linalg::chordal_product(*tree_, factor_)));
}

}  // namespace varimesh::gaussian
