#include "varimesh/mcmc/random_walk.h"

#include <algorithm>
#include <cmath>

namespace varimesh::mcmc {

double RandomWalk::initial_step(Target&, const Position& position, const gaussian::Gaussian&, Random&) {
  return 2.38 / std::sqrt(static_cast<double>(position.kappa.size()));
}

Transition RandomWalk::move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                            Random& random) {
  innovation_.resize(position.kappa.size());
  random.fill_normal(innovation_);
  scale.multiply_root(innovation_);
  proposal_.kappa = position.kappa + step * innovation_;
  target.evaluate(proposal_);
  Transition result;
  result.acceptance = std::min(1.0, std::exp(proposal_.log_posterior - position.log_posterior));
  if (random.uniform() < result.acceptance) std::swap(position, proposal_);
  return result;
}

}  // namespace varimesh::mcmc
