#pragma once

#include <vector>

#include "varimesh/mcmc/leapfrog.h"

namespace varimesh::mcmc {

/// The no-U-turn sampler: trajectories double until they turn back, and the next draw is one of their points, with
/// multinomial weights (Betancourt 2017, appendix A). A trajectory turns where the momenta at its ends and the integral
/// of the momentum over it disagree in direction; this is also tested across the seam of each pair of subtrees.
class Nuts final : public HamiltonianKernel {
 public:
  explicit Nuts(Index max_depth = 10, Motion motion = Motion::straight)
      : HamiltonianKernel(motion), max_depth_(max_depth), second_halves_(max_depth) {}

  Transition move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                  Random& random) override;

 private:
  /// A stretch of trajectory, in the order in which it was grown. Momenta are in white coordinates.
  struct Tree {
    Vector sum;          ///< of the momenta of all its points
    Vector first, last;  ///< momenta at its ends
    Position draw;       ///< one of its points, chosen by weight
    double draw_energy = 0;
    double log_weight = 0;  ///< log of the sum over its points of exp(start energy - energy)
  };
  struct Growth;

  /// Grows a tree of 2^depth points from the end of the trajectory. False if it diverges or turns, as a whole or
  /// within.
  bool grow(Growth& growth, Index depth, Tree& tree);

  Index max_depth_;
  std::vector<Tree> second_halves_;  ///< workspace, one for each depth
  Tree trajectory_, extension_;
  PhasePoint forward_end_, backward_end_;
};

}  // namespace varimesh::mcmc
