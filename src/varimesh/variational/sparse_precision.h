#pragma once

#include "varimesh/gaussian/sparse_gaussian.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// Sparse precision matrix Q = L L' on a chordal pattern. Parameters: the mean, then the entries of L in the tree's
/// order, with the logarithm of the diagonal; places above the diagonal of a clique's block are idle.
class SparsePrecision final : public GaussianFamily {
 public:
  explicit SparsePrecision(gaussian::SparseGaussian q) : q_(std::move(q)) {}

  const gaussian::SparseGaussian& gaussian() const override { return q_; }
  std::unique_ptr<Family> clone() const override { return std::make_unique<SparsePrecision>(*this); }
  std::unique_ptr<GaussianFamily> scaled(double factor) const override {
    return std::make_unique<SparsePrecision>(
        gaussian::SparseGaussian(q_.mean(), q_.shared_tree(), q_.factor() / factor));
  }
  Vector parameters() const override;
  bool set_parameters(const Vector& parameters) override;
  Vector pull_back(const Matrix& z, const Matrix& g) const override;

 private:
  double trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const override;

  gaussian::SparseGaussian q_;
};

}  // namespace varimesh::variational
