#pragma once

#include "varimesh/types.h"

namespace varimesh::inverse {

/// The weaker contract for a user's own model: log p(y | kappa) and its gradient, nothing more. Const members must be
/// safe to call from several threads.
class LogLikelihood {
 public:
  virtual ~LogLikelihood() = default;

  virtual Index num_parameters() const = 0;
  /// Minus infinity where the model cannot be evaluated; then the gradient is NaN.
  virtual double value(const Vector& kappa) const = 0;
  virtual double value_and_gradient(const Vector& kappa, Vector& gradient) const = 0;
};

}  // namespace varimesh::inverse
