#include "varimesh/inverse/prior_moments.h"

namespace varimesh::inverse {

PriorMoments moments_of_draws(const Prior& prior, Index draws, Random& random) {
  Vector sum = Vector::Zero(prior.size()), squares = sum;
  for (Index s = 0; s < draws; ++s) {
    const Vector x = prior.sample(random);
    sum += x;
    squares += x.cwiseAbs2();
  }
  const Vector mean = sum / draws;
  return {mean, squares / draws - mean.cwiseAbs2()};
}

}  // namespace varimesh::inverse
