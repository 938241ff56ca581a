#include "varimesh/mcmc/nuts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace varimesh::mcmc {
namespace {

/// log(exp(a) + exp(b))
double log_add(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == -std::numeric_limits<double>::infinity()) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// Whether the momenta at both ends point along their sum, which is given in two parts.
bool goes_on(const Vector& first, const Vector& last, const Vector& sum1, const Vector& sum2) {
  return first.dot(sum1) + first.dot(sum2) > 0 && last.dot(sum1) + last.dot(sum2) > 0;
}

}  // namespace

/// What a trajectory has in common while it grows.
struct Nuts::Growth {
  Leapfrog leapfrog;
  Random& random;
  double start_energy;
  PhasePoint* end;  ///< that moves
  double step;      ///< negative backwards
  Transition result{.steps = 0};
  double acceptance_sum = 0;
};

bool Nuts::grow(Growth& growth, Index depth, Tree& tree) {
  if (depth == 0) {
    PhasePoint& end = *growth.end;
    growth.leapfrog.advance(growth.step, end);
    ++growth.result.steps;
    const double energy = end.energy();
    tree.log_weight = growth.start_energy - energy;
    if (!(tree.log_weight > -Leapfrog::divergence)) {
      growth.result.divergent = true;
      return false;
    }
    growth.acceptance_sum += std::min(1.0, std::exp(tree.log_weight));
    tree.sum = tree.first = tree.last = end.momentum;
    tree.draw = end.position;
    tree.draw_energy = energy;
    return true;
  }
  if (!grow(growth, depth - 1, tree)) return false;
  Tree& second = second_halves_[depth];
  if (!grow(growth, depth - 1, second)) return false;

  const bool straight = goes_on(tree.first, second.last, tree.sum, second.sum) &&
                        goes_on(tree.first, second.first, tree.sum, second.first) &&
                        goes_on(tree.last, second.last, second.sum, tree.last);
  const double log_weight = log_add(tree.log_weight, second.log_weight);
  if (growth.random.uniform() < std::exp(second.log_weight - log_weight)) {
    std::swap(tree.draw, second.draw);
    tree.draw_energy = second.draw_energy;
  }
  tree.sum += second.sum;
  std::swap(tree.last, second.last);
  tree.log_weight = log_weight;
  return straight;
}

Transition Nuts::move(Target& target, Position& position, double step, const gaussian::Gaussian& scale,
                      Random& random) {
  Growth growth{
      .leapfrog = Leapfrog(target, scale, motion()), .random = random, .start_energy = 0, .end = nullptr, .step = 0};
  growth.leapfrog.start(position, random, forward_end_);
  backward_end_ = forward_end_;
  growth.start_energy = forward_end_.energy();
  trajectory_.sum = trajectory_.first = trajectory_.last = forward_end_.momentum;
  trajectory_.log_weight = 0;
  trajectory_.draw_energy = growth.start_energy;

  Transition& result = growth.result;
  bool straight = true;
  while (straight && result.depth < max_depth_) {
    const bool forward = random.uniform() < 0.5;
    growth.end = forward ? &forward_end_ : &backward_end_;
    growth.step = forward ? step : -step;
    if (!grow(growth, result.depth, extension_)) break;
    ++result.depth;
    // The later half is preferred: the draw moves to it with probability min(1, its weight / the weight so far).
    if (random.uniform() < std::exp(extension_.log_weight - trajectory_.log_weight)) {
      std::swap(position, extension_.draw);
      trajectory_.draw_energy = extension_.draw_energy;
    }
    Vector& near = forward ? trajectory_.last : trajectory_.first;
    const Vector& far = forward ? trajectory_.first : trajectory_.last;
    straight = goes_on(far, extension_.last, trajectory_.sum, extension_.sum) &&
               goes_on(far, extension_.first, trajectory_.sum, extension_.first) &&
               goes_on(near, extension_.last, extension_.sum, near);
    trajectory_.sum += extension_.sum;
    std::swap(near, extension_.last);
    trajectory_.log_weight = log_add(trajectory_.log_weight, extension_.log_weight);
  }
  result.acceptance = growth.acceptance_sum / result.steps;
  result.energy = trajectory_.draw_energy;
  return result;
}

}  // namespace varimesh::mcmc
