#include "varimesh/hyper/scaled_observations.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "varimesh/error.h"

namespace varimesh::hyper {

inverse::Observations scaled(const inverse::Observations& observations, double factor) {
  if (observations.noise) throw InputError("a noise that is correlated or not normal cannot have an unknown sigma");
  if (!(factor > 0 && std::isfinite(factor)))
    throw InputError(fmt::format("expected a positive factor of sigma, found {}", factor));
  inverse::Observations result = observations;
  result.sigma *= factor;
  result.weight /= factor * factor;
  // The constant is that of the means' density, 1/2 sum log(weight / (2 pi)), or that of all measurements,
  //   -1/2 sum [ count log(2 pi sigma^2) + scatter / sigma^2 ],
  // from which the scatter follows. Where both are the same number, so is what follows: every count is one.
  const double of_means = 0.5 * (observations.weight.array() / (2 * std::numbers::pi)).log().sum();
  if (std::abs(observations.constant - of_means) <= 1e-12 * (1 + std::abs(of_means))) {
    result.constant = of_means - observations.size() * std::log(factor);
    return result;
  }
  const double logarithms =
      (observations.count.array() * (2 * std::numbers::pi * observations.sigma.array().square()).log()).sum();
  const double scatter = -2 * observations.constant - logarithms;  // divided by sigma^2
  result.constant = -0.5 * (logarithms + 2 * observations.count.sum() * std::log(factor) + scatter / (factor * factor));
  return result;
}

}  // namespace varimesh::hyper
