#include "varimesh/mcmc/pcn.h"

#include <algorithm>
#include <cmath>

namespace varimesh::mcmc {

Transition Pcn::move(Target& target, Position& position, double beta, const gaussian::Gaussian& scale, Random& random) {
  // v = m + sqrt(1 - beta^2) (kappa - m) + beta R xi
  innovation_.resize(position.kappa.size());
  random.fill_normal(innovation_);
  scale.multiply_root(innovation_);
  proposal_.kappa = scale.mean() + std::sqrt(1 - beta * beta) * (position.kappa - scale.mean()) + beta * innovation_;
  target.evaluate(proposal_);

  // The density of the target relative to the reference decides: that is the likelihood if the reference is the prior.
  const auto log_relative = [&](const Position& at) {
    return reference_ == Reference::prior ? at.log_likelihood : at.log_posterior - scale.log_density(at.kappa);
  };
  Transition result;
  if (std::isfinite(proposal_.log_posterior))
    result.acceptance = std::min(1.0, std::exp(log_relative(proposal_) - log_relative(position)));
  if (random.uniform() < result.acceptance) std::swap(position, proposal_);
  return result;
}

}  // namespace varimesh::mcmc
