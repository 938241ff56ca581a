#pragma once

#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// Mean field: independent normals. Parameters: the mean, then log sigma.
class MeanField final : public GaussianFamily {
 public:
  explicit MeanField(gaussian::DiagonalGaussian q) : q_(std::move(q)) {}

  const gaussian::DiagonalGaussian& gaussian() const override { return q_; }
  std::unique_ptr<Family> clone() const override { return std::make_unique<MeanField>(*this); }
  std::unique_ptr<GaussianFamily> scaled(double factor) const override {
    return std::make_unique<MeanField>(gaussian::DiagonalGaussian(q_.mean(), factor * q_.sigma()));
  }
  Vector parameters() const override;
  bool set_parameters(const Vector& parameters) override;
  Vector pull_back(const Matrix& z, const Matrix& g) const override;

 private:
  double trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const override;

  gaussian::DiagonalGaussian q_;
};

}  // namespace varimesh::variational
