#include "varimesh/mcmc/leapfrog.h"

#include <cmath>

namespace varimesh::mcmc {

void Leapfrog::start(const Position& position, Random& random, PhasePoint& point) const {
  point.position = position;
  point.momentum.resize(position.kappa.size());
  random.fill_normal(point.momentum);
  point.white_gradient = position.gradient;
  scale_.multiply_root_transposed(point.white_gradient);
}

void Leapfrog::advance(double step, PhasePoint& point) {
  // p += step/2 grad,   kappa += step R R' p,   p += step/2 grad,   with w = R' p
  point.momentum += 0.5 * step * point.white_gradient;
  point.velocity = point.momentum;
  scale_.multiply_root(point.velocity);
  point.position.kappa += step * point.velocity;
  target_.evaluate_with_gradient(point.position);
  point.white_gradient = point.position.gradient;
  scale_.multiply_root_transposed(point.white_gradient);
  point.momentum += 0.5 * step * point.white_gradient;
}

double HamiltonianKernel::initial_step(Target& target, const Position& position, const gaussian::Gaussian& scale,
                                       Random& random) {
  constexpr double smallest = 1e-9, largest = 1e3;
  const double wanted = std::log(0.8);
  Leapfrog leapfrog(target, scale);
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
