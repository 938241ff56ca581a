#pragma once

#include <algorithm>
#include <cmath>

#include "varimesh/types.h"

namespace varimesh::mcmc {

/// Tunes log(step) so that the mean acceptance approaches a target (Nesterov's dual averaging, as Hoffman and Gelman,
/// Journal of Machine Learning Research 15, 2014, use it). Plain data.
struct DualAveraging {
  double centre = 0;    ///< log step that it shrinks towards
  double error = 0;     ///< averaged target - acceptance
  double log_step = 0;  ///< averaged over the later iterations
  Index count = 0;

  static DualAveraging from(double step) { return {.centre = std::log(10 * step)}; }

  /// The step for the next transition, at most `largest`.
  double update(double target, double acceptance, double largest) {
    constexpr double gamma = 0.05, t0 = 10, power = 0.75;
    ++count;
    const double t = count;
    error += (target - acceptance - error) / (t + t0);
    // log step_t = centre - sqrt(t) / gamma * error
    const double now = std::min(centre - std::sqrt(t) / gamma * error, std::log(largest));
    log_step += std::pow(t, -power) * (now - log_step);
    return std::exp(now);
  }

  double averaged_step() const { return std::exp(log_step); }
};

}  // namespace varimesh::mcmc
