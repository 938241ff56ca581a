#pragma once

#include "varimesh/noise/noise.h"

namespace varimesh::noise {

/// Independent normal errors, in the form that other noise has: mean_i ~ N(G_i, 1 / weight_i). `constant` is that of
/// whatever density is meant, of the means or of all measurements.
class NormalNoise final : public Noise {
 public:
  NormalNoise(Vector mean, Vector weight, double constant)
      : mean_(std::move(mean)), weight_(std::move(weight)), constant_(constant) {}

  Index size() const override { return static_cast<Index>(mean_.size()); }
  bool is_normal() const override { return true; }
  double constant() const override { return constant_; }
  double value(const Vector& prediction) const override;
  Vector slope(const Vector& prediction) const override { return weight_.cwiseProduct(mean_ - prediction); }
  void multiply_root(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const override;
  void multiply_root_transposed(const Vector& prediction, Bend bend, Eigen::Ref<Matrix> x) const override;
  Matrix given_others(const Matrix& predictions) const override { return predictions; }
  double log_density(Index sensor, double prediction) const override;
  Vector standard_error() const override { return weight_.cwiseSqrt().cwiseInverse(); }
  Vector normal_scores(Index sensor, double prediction) const override;
  Matrix sample(Index columns, Random& random) const override;

 private:
  Vector mean_, weight_;
  double constant_;
};

}  // namespace varimesh::noise
