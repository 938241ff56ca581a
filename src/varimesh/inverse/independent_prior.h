#pragma once

#include "varimesh/inverse/prior.h"

namespace varimesh::inverse {

/// kappa_i ~ N(mean_i, sigma_i^2), independent.
class IndependentPrior final : public Prior {
 public:
  /// Throws InputError for sizes that differ or a sigma that is not positive.
  IndependentPrior(Vector mean, Vector sigma);

  Index size() const override { return static_cast<Index>(mean_.size()); }
  Vector sample(Random& random) const override;
  double log_density(const Vector& kappa) const override;

 private:
  Vector mean_, sigma_;
};

}  // namespace varimesh::inverse
