#include "varimesh/mcmc/leapfrog.h"

#include <cmath>
#include <numbers>

namespace varimesh::mcmc {

void Leapfrog::start(const Position& position, Random& random, PhasePoint& point) const {
  point.position = position;
  point.momentum.resize(position.kappa.size());
  random.fill_normal(point.momentum);
  point.white_gradient = position.gradient;
  scale_.multiply_root_transposed(point.white_gradient);
  if (motion_ == Motion::straight) return;
  point.white = position.kappa - scale_.mean();
  scale_.solve_root(point.white);
}

void Leapfrog::kick(double step, PhasePoint& point) const {
  point.momentum += 0.5 * step * point.white_gradient;
  // The circles have the force -z of a normal target already.
  if (motion_ == Motion::circular) point.momentum += 0.5 * step * point.white;
}

void Leapfrog::advance(double step, PhasePoint& point) {
  kick(step, point);
  if (motion_ == Motion::straight) {
    // kappa += step R R' p,   with w = R' p
    point.velocity = point.momentum;
    scale_.multiply_root(point.velocity);
    point.position.kappa += step * point.velocity;
  } else {
    // (z, w) <- (z cos + w sin, w cos - z sin),   kappa = m + R z
    const double c = std::cos(step), s = std::sin(step);
    point.velocity = c * point.momentum - s * point.white;
    point.white = c * point.white + s * point.momentum;
    point.momentum.swap(point.velocity);
    point.velocity = point.white;
    scale_.multiply_root(point.velocity);
    point.position.kappa = scale_.mean() + point.velocity;
  }
  target_.evaluate_with_gradient(point.position);
  point.white_gradient = point.position.gradient;
  scale_.multiply_root_transposed(point.white_gradient);
  kick(step, point);
}

double HamiltonianKernel::max_step() const {
  return motion_ == Motion::circular ? std::numbers::pi / 2 : Kernel::max_step();
}

double HamiltonianKernel::initial_step(Target& target, const Position& position, const gaussian::Gaussian& scale,
                                       Random& random) {
  constexpr double smallest = 1e-9, largest = 1e3;
  const double wanted = std::log(0.8);
  Leapfrog leapfrog(target, scale, motion_);
  PhasePoint point;
  double step = 1;
  bool growing = false;
  for (int trial = 0; step > smallest && step < largest; ++trial) {
    leapfrog.start(position, random, point);
    const double energy = point.energy();
    leapfrog.advance(step, point);
    const bool accepts = energy - point.energy() > wanted;
    if (trial == 0) growing = accepts;
    if (accepts != growing) return step;
    step *= growing ? 2 : 0.5;
  }
  return step;
}

}  // namespace varimesh::mcmc
