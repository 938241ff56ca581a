#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "varimesh/types.h"

namespace varimesh::variational {

/// The part of a curvature H relative to the prior that matters: R'H R = U diag(values) U' + a rest, with R the prior's
/// root and U'U = I.
struct Spectrum {
  std::shared_ptr<const Matrix> directions = nullptr;  ///< U, n x k
  Vector values = Vector(0);                           ///< ascending
  double rest = 0;                                     ///< the trace of the rest, about

  Index rank() const { return static_cast<Index>(values.size()); }

  /// The largest eigenvalue of the rest, about: none is larger than the smallest one kept, nor than their sum.
  double cut() const { return rank() > 0 ? std::clamp(values[0], 0.0, rest) : rest; }
  /// What the ELBO loses without the rest, at most: 1/2 sum (lambda - log(1 + lambda)) <= 1/4 sum lambda^2.
  double nats() const { return cut() * rest / 4; }
  /// By what factor, less one, an sd is too large without the rest, at most: sqrt(1 + lambda) - 1.
  double sd_excess() const { return std::sqrt(1 + cut()) - 1; }
};

}  // namespace varimesh::variational
