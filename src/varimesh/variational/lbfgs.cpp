#include "varimesh/variational/lbfgs.h"

#include <cmath>
#include <deque>
#include <limits>
#include <vector>

namespace varimesh::variational {
namespace {

/// A step taken, and how the gradient of the function to be *minimised* changed along it.
struct Pair {
  Vector step, change;
  double curvature;  ///< step' change > 0
};

/// The direction of ascent H g by the two-loop recursion.
Vector direction(const std::deque<Pair>& pairs, const Vector& gradient) {
  Vector d = gradient;
  std::vector<double> alpha(pairs.size());
  for (std::size_t k = pairs.size(); k-- > 0;) {
    alpha[k] = pairs[k].step.dot(d) / pairs[k].curvature;
    d -= alpha[k] * pairs[k].change;
  }
  if (!pairs.empty()) d *= pairs.back().curvature / pairs.back().change.squaredNorm();
  for (std::size_t k = 0; k < pairs.size(); ++k)
    d += (alpha[k] - pairs[k].change.dot(d) / pairs[k].curvature) * pairs[k].step;
  return d;
}

/// A step along a direction that gains enough and flattens the slope, found by bisection (weak Wolfe conditions).
struct LineSearch {
  double t;                     ///< the first trial, and after search() the step
  double value = 0;             ///< the objective there
  Vector gradient = Vector(0);  ///< and its gradient

  /// False if rounding hides any gain.
  bool search(const Objective& objective, const Vector& x, double start, const Vector& direction, double slope) {
    constexpr double sufficient = 1e-4, curvature_share = 0.9;
    double low = 0, high = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < 40; ++trial) {
      value = objective(x + t * direction, gradient);
      if (!std::isfinite(value) || value < start + sufficient * t * slope)
        high = t;
      else if (gradient.dot(direction) > curvature_share * slope)
        low = t;
      else
        return true;
      t = std::isfinite(high) ? (low + high) / 2 : 2 * t;
    }
    return false;
  }
};

}  // namespace

LbfgsResult maximize_lbfgs(const Objective& objective, Vector start, const LbfgsOptions& options) {
  LbfgsResult result{.x = std::move(start)};
  Vector gradient;
  result.value = objective(result.x, gradient);
  if (!std::isfinite(result.value) || gradient.size() != result.x.size() || !gradient.allFinite()) return result;
  std::deque<Pair> pairs;
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    if (options.proceed && !options.proceed(result.iterations + 1, result.value)) return result;
    Vector d = direction(pairs, gradient);
    double slope = gradient.dot(d);
    if (!(slope > 0)) {
      pairs.clear();
      d = gradient;
      slope = gradient.squaredNorm();
    }
    if (!(slope > options.tolerance)) {
      result.converged = std::isfinite(slope);
      return result;
    }
    LineSearch line{.t = pairs.empty() ? std::min(1.0, 1 / std::sqrt(slope)) : 1};
    if (!line.search(objective, result.x, result.value, d, slope)) {
      // Rounding hides any further gain.
      result.converged = slope < 1e-6 * (1 + std::abs(result.value));
      return result;
    }
    Pair pair{line.t * d, gradient - line.gradient, 0};
    pair.curvature = pair.step.dot(pair.change);
    const double gain = line.value - result.value;
    result.x += pair.step;
    result.value = line.value;
    gradient = std::move(line.gradient);
    if (pair.curvature > 1e-12 * pair.change.squaredNorm()) {
      pairs.push_back(std::move(pair));
      if (pairs.size() > static_cast<std::size_t>(options.memory)) pairs.pop_front();
    }
    if (gain < options.tolerance && slope < 10 * options.tolerance) {
      result.converged = true;
      return result;
    }
  }
  return result;
}

}  // namespace varimesh::variational
