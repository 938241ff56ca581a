#pragma once

#include "varimesh/mcmc/kernel.h"

namespace varimesh::mcmc {

/// Random-walk Metropolis: kappa + step R xi. Kept as the baseline that everybody knows.
class RandomWalk final : public Kernel {
 public:
  bool needs_gradient() const override { return false; }
  /// Optimal in many dimensions (Roberts, Gelman and Gilks 1997), as the initial step 2.38 / sqrt(n).
  double default_acceptance() const override { return 0.234; }
  double initial_step(Target& target, const Position& position, const gaussian::Gaussian& scale,
                      Random& random) override;
  Transition move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                  Random& random) override;

 private:
  Position proposal_;
  Vector innovation_;
};

}  // namespace varimesh::mcmc
