#pragma once

#include "varimesh/gaussian/low_rank_gaussian.h"
#include "varimesh/result/fit_record.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// Full covariance of low rank: the prior's precision plus what the data say, in as many directions as matter. Natural
/// steps find these; to optimisers that know only gradients the mean is the only parameter.
class LowRank final : public GaussianFamily {
 public:
  /// With what the directions left out cost the ELBO, and by what share, at most, sds are too large without them.
  explicit LowRank(gaussian::LowRankGaussian q, double left_out_nats = 0, double left_out_sd = 0)
      : q_(std::move(q)), left_out_nats_(left_out_nats), left_out_sd_(left_out_sd) {}

  result::RankRecord rank() const { return {q_.rank(), left_out_nats_, left_out_sd_}; }

  const gaussian::LowRankGaussian& gaussian() const override { return q_; }
  std::unique_ptr<Family> clone() const override { return std::make_unique<LowRank>(*this); }
  std::unique_ptr<GaussianFamily> scaled(double factor) const override {
    return std::make_unique<LowRank>(gaussian::LowRankGaussian(q_.mean(), q_.shared_base(), q_.shared_directions(),
                                                               q_.excess(), factor * q_.scale()),
                                     left_out_nats_, left_out_sd_);
  }
  Vector parameters() const override { return q_.mean(); }
  bool set_parameters(const Vector& parameters) override;
  Vector pull_back(const Matrix& z, const Matrix& g) const override;

 private:
  double trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const override;

  gaussian::LowRankGaussian q_;
  double left_out_nats_, left_out_sd_;
};

}  // namespace varimesh::variational
