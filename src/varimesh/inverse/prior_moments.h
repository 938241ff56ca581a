#pragma once

#include "varimesh/inverse/prior.h"

namespace varimesh::inverse {

/// Of each unknown.
struct PriorMoments {
  Vector mean, variance;
};

/// Estimated from so many draws, for priors that do not know them.
PriorMoments moments_of_draws(const Prior& prior, Index draws, Random& random);

}  // namespace varimesh::inverse
