#pragma once

#include <functional>

#include "varimesh/types.h"

namespace varimesh::variational {

struct LbfgsOptions {
  Index max_iterations = 200;
  Index memory = 20;
  std::function<bool(Index iteration, double value)> proceed =
      nullptr;              ///< stops before an iteration if it returns false
  double tolerance = 1e-9;  ///< stops when an iteration gains less, and its gradient promises less
};

struct LbfgsResult {
  Vector x;
  double value = 0;
  Index iterations = 0;
  bool converged = false;
};

/// A function to be maximised: its value, and its gradient if that is finite.
using Objective = std::function<double(const Vector& x, Vector& gradient)>;

/// Maximises a smooth function by limited-memory BFGS with a weak-Wolfe line search. Works best in coordinates in which
/// the curvature is near one. Values that are not finite shorten the step.
LbfgsResult maximize_lbfgs(const Objective& objective, Vector start, const LbfgsOptions& options = {});

}  // namespace varimesh::variational
