#pragma once

#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// Full covariance L L'. Parameters: the mean, then the columns of L below the diagonal, with the logarithm of the
/// diagonal.
class FullCovariance final : public GaussianFamily {
 public:
  explicit FullCovariance(gaussian::DenseGaussian q) : q_(std::move(q)) {}

  const gaussian::DenseGaussian& gaussian() const override { return q_; }
  std::unique_ptr<Family> clone() const override { return std::make_unique<FullCovariance>(*this); }
  std::unique_ptr<GaussianFamily> scaled(double factor) const override {
    return std::make_unique<FullCovariance>(gaussian::DenseGaussian(q_.mean(), factor * q_.factor()));
  }
  Vector parameters() const override;
  bool set_parameters(const Vector& parameters) override;
  Vector pull_back(const Matrix& z, const Matrix& g) const override;

 private:
  double trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const override;

  gaussian::DenseGaussian q_;
};

}  // namespace varimesh::variational
