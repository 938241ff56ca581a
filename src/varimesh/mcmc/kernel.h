#pragma once

#include <limits>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/mcmc/target.h"
#include "varimesh/random.h"

namespace varimesh::mcmc {

/// What came of one transition.
struct Transition {
  double acceptance = 0;                                     ///< probability, averaged over what was proposed
  double energy = std::numeric_limits<double>::quiet_NaN();  ///< of the draw with its momentum, if there is one
  Index steps = 1;                                           ///< evaluations of the target
  Index depth = 0;                                           ///< of the tree, if there is one
  bool divergent = false;
};

/// A Markov kernel that leaves the target invariant, for fixed step and scale. An object serves one chain: it may keep
/// workspace, but what it does depends on its arguments alone.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual bool needs_gradient() const = 0;
  /// Steps larger than this make no sense.
  virtual double max_step() const { return std::numeric_limits<double>::infinity(); }
  /// The mean acceptance that the warm-up aims at unless told otherwise.
  virtual double default_acceptance() const = 0;
  /// A step to start the warm-up with.
  virtual double initial_step(Target& target, const Position& position, const gaussian::Gaussian& scale,
                              Random& random) = 0;

  /// Moves the position, which has been evaluated. The covariance of `scale` is the inverse mass matrix or the
  /// covariance of proposals.
  virtual Transition move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                          Random& random) = 0;
};

}  // namespace varimesh::mcmc
