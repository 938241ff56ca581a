#include "varimesh/inverse/independent_prior.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "varimesh/error.h"

namespace varimesh::inverse {

IndependentPrior::IndependentPrior(Vector mean, Vector sigma) : mean_(std::move(mean)), sigma_(std::move(sigma)) {
  if (mean_.size() != sigma_.size())
    throw InputError(fmt::format("expected as many sigmas as means ({}), found {}", mean_.size(), sigma_.size()));
  if (!mean_.allFinite()) throw InputError("expected a finite mean");
  for (const double s : sigma_) {
    if (!(s > 0 && std::isfinite(s))) throw InputError(fmt::format("expected a positive sigma, found {}", s));
  }
}

Vector IndependentPrior::sample(Random& random) const {
  return mean_ + sigma_.cwiseProduct(random.normal_vector(size()));
}

double IndependentPrior::log_density(const Vector& kappa) const {
  const auto standardised = (kappa - mean_).array() / sigma_.array();
  return -0.5 * (standardised.square() + 2 * sigma_.array().log() + std::log(2 * std::numbers::pi)).sum();
}

}  // namespace varimesh::inverse
