#pragma once

#include "varimesh/mcmc/kernel.h"

namespace varimesh::mcmc {

/// A point of phase space for the energy H = -log posterior(kappa) + 1/2 p' R R' p, where R R' is the inverse mass
/// matrix. Momenta and gradients are kept in coordinates in which the mass is the identity.
struct PhasePoint {
  Position position;
  Vector momentum;        ///< w = R' p, standard normal
  Vector white_gradient;  ///< R' times the gradient of the log posterior
  Vector white;           ///< R^-1 (kappa - m), for circular motion
  Vector velocity;        ///< workspace

  double energy() const { return 0.5 * momentum.squaredNorm() - position.log_posterior; }
};

/// How a point moves between two kicks of the force: straight on; or on circles about the mean m of the scale, as it
/// would under a normal target N(m, R R'). Then the force is only what the target differs from that, and the step need
/// not shrink with the number of unknowns (Shahbaba, Lan, Johnson and Neal 2014).
enum class Motion { straight, circular };

/// Hamilton's equations in time, for one target and one mass matrix.
class Leapfrog {
 public:
  /// An energy error above this is a divergence: the integrator has left the trajectory.
  static constexpr double divergence = 1000;

  Leapfrog(Target& target, const gaussian::Gaussian& scale, Motion motion = Motion::straight)
      : target_(target), scale_(scale), motion_(motion) {}

  /// At a position that has been evaluated, with a fresh momentum.
  void start(const Position& position, Random& random, PhasePoint& point) const;
  /// One step, backwards in time if negative.
  void advance(double step, PhasePoint& point);

 private:
  /// Half a step of the force.
  void kick(double step, PhasePoint& point) const;

  Target& target_;
  const gaussian::Gaussian& scale_;
  Motion motion_;
};

/// What the kernels that follow Hamilton's equations have in common.
class HamiltonianKernel : public Kernel {
 public:
  explicit HamiltonianKernel(Motion motion) : motion_(motion) {}

  bool needs_gradient() const final { return true; }
  /// Circles are for fits, which are narrower than skewed posteriors: with 0.8, a few in a hundred trajectories then
  /// diverge in the tails, and the smallest effective sample size is half as large (docs/sampling.md).
  double default_acceptance() const final { return motion_ == Motion::circular ? 0.9 : 0.8; }
  /// On a circle a quarter is as far as it gets.
  double max_step() const final;
  /// A step, a power of two, at which one leapfrog step is accepted with a probability of about 0.8 (Hoffman and Gelman
  /// 2014, algorithm 4).
  double initial_step(Target& target, const Position& position, const gaussian::Gaussian& scale, Random& random) final;

 protected:
  Motion motion() const { return motion_; }

 private:
  Motion motion_;
};

}  // namespace varimesh::mcmc
