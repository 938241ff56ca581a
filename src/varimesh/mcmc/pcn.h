#pragma once

#include "varimesh/mcmc/kernel.h"

namespace varimesh::mcmc {

/// The preconditioned Crank-Nicolson kernel (Cotter, Roberts, Stuart and White 2013): proposals that leave a normal
/// reference distribution invariant, so that it works as well on fine meshes as on coarse ones. The step is beta.
class Pcn final : public Kernel {
 public:
  enum class Reference {
    prior,  ///< the scale is the prior: acceptance depends on the likelihood alone
    other   ///< the scale is another normal distribution (Rudolf and Sprungk 2018): a variational fit, say
  };
  explicit Pcn(Reference reference) : reference_(reference) {}

  bool needs_gradient() const override { return false; }
  double max_step() const override { return 1; }
  double default_acceptance() const override { return 0.25; }
  double initial_step(Target&, const Position&, const gaussian::Gaussian&, Random&) override { return 0.1; }
  Transition move(Target& target, Position& position, double beta, const gaussian::Gaussian& scale,
                  Random& random) override;

 private:
  Reference reference_;
  Position proposal_;
  Vector innovation_;
};

}  // namespace varimesh::mcmc
