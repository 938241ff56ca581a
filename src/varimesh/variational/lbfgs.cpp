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

}  // namespace

LbfgsResult maximize_lbfgs(const Objective& objective, Vector start, const LbfgsOptions& options) {
  constexpr double sufficient = 1e-4, curvature_share = 0.9;
  LbfgsResult result{.x = std::move(start)};
  Vector gradient, next_gradient;
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
    // Bisection for a step that gains enough and flattens the slope (weak Wolfe conditions).
    double low = 0, high = std::numeric_limits<double>::infinity();
    double t = pairs.empty() ? std::min(1.0, 1 / std::sqrt(slope)) : 1;
    double value = 0;
    bool found = false;
    for (int trial = 0; trial < 40 && !found; ++trial) {
      value = objective(result.x + t * d, next_gradient);
      if (!std::isfinite(value) || value < result.value + sufficient * t * slope)
        high = t;
      else if (next_gradient.dot(d) > curvature_share * slope)
        low = t;
      else
        found = true;
      if (!found) t = std::isfinite(high) ? (low + high) / 2 : 2 * t;
    }
    if (!found) {
      // Rounding hides any further gain.
      result.converged = slope < 1e-6 * (1 + std::abs(result.value));
      return result;
    }
    Pair pair{t * d, gradient - next_gradient, 0};
    pair.curvature = pair.step.dot(pair.change);
    const double gain = value - result.value;
    result.x += pair.step;
    result.value = value;
    gradient = next_gradient;
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
