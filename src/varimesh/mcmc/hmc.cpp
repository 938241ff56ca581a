#include "varimesh/mcmc/hmc.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace varimesh::mcmc {
namespace {

/// Steps of a quarter period of the oscillator that a normal target with this scale is: pi/2 of time.
Index quarter_period(double step) {
  constexpr double most = 1000;
  return static_cast<Index>(std::clamp(std::round(std::numbers::pi / 2 / step), 1.0, most));
}

}  // namespace

Transition Hmc::move(Target& target, Position& position, double step, const gaussian::Gaussian& scale, Random& random) {
  Leapfrog leapfrog(target, scale, motion());
  leapfrog.start(position, random, point_);
  const double start = point_.energy();
  double lowest = start, highest = start;
  const Index mean = mean_steps_.value_or(quarter_period(step));
  const Index steps = 1 + static_cast<Index>(random.uniform() * (2 * mean - 1));

  Transition result{.steps = 0};
  while (result.steps < steps && !result.divergent) {
    leapfrog.advance(step, point_);
    ++result.steps;
    // The spread of energies, not their rise: so the way back diverges where the way there does.
    lowest = std::min(lowest, point_.energy());
    highest = std::max(highest, point_.energy());
    result.divergent = !(highest - lowest < Leapfrog::divergence);
  }
  const double end = point_.energy();
  result.acceptance = result.divergent ? 0 : std::min(1.0, std::exp(start - end));
  const bool accepted = random.uniform() < result.acceptance;
  if (accepted) position = point_.position;
  result.energy = accepted ? end : start;
  return result;
}

}  // namespace varimesh::mcmc
