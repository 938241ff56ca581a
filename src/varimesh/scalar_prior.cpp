#include "varimesh/scalar_prior.h"

#include <cmath>
#include <numbers>

namespace varimesh {

double ScalarPrior::density(double value) const {
  const double x = transform.inverse(value);
  if (!std::isfinite(x)) return 0;
  double sum = 0, total = 0;
  for (const auto& [weight, mean, sigma] : normals) {
    const double z = (x - mean) / sigma;
    sum += weight * std::exp(-0.5 * z * z) / (sigma * std::sqrt(2 * std::numbers::pi));
    total += weight;
  }
  return sum / total / transform.slope(x);
}

}  // namespace varimesh
