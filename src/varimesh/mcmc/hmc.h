#pragma once

#include <optional>

#include "varimesh/mcmc/leapfrog.h"

namespace varimesh::mcmc {

/// Hamiltonian Monte Carlo with a random number of leapfrog steps, uniform from 1 to one less than
/// twice its mean, so that no trajectory resonates with a period of the target.
class Hmc final : public HamiltonianKernel {
 public:
  /// Without a mean number of steps, trajectories take a quarter period of a target whose covariance is the scale, on
  /// average: then draws of such a target are uncorrelated.
  explicit Hmc(std::optional<Index> mean_steps = std::nullopt, Motion motion = Motion::straight)
      : HamiltonianKernel(motion), mean_steps_(mean_steps) {}

  Transition move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                  Random& random) override;

 private:
  std::optional<Index> mean_steps_;
  PhasePoint point_;
};

}  // namespace varimesh::mcmc
