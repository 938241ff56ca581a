#pragma once

#include <functional>

#include "varimesh/types.h"

namespace varimesh::result {

/// How a fit ended.
enum class FitStatus { converged, iteration_limit, diverged, interrupted };

/// In how many directions a fit of low rank differs from the prior, and what leaving out all others costs.
struct RankRecord {
  Index rank = 0;
  double nats = 0;  ///< of ELBO, at most
  double sd = 0;    ///< by this share, at most, an sd is too large: 0.01 is 1 %
};

/// One iteration of a fit. While the most probable kappa is searched for there are no draws, and the log posterior
/// stands in place of the ELBO.
struct TracePoint {
  Index iteration = 0;
  Index samples = 0;  ///< draws of q that it used
  double elbo = 0;    ///< estimated from them
  double elbo_standard_error = 0;
  double step = 0;     ///< rho, or the learning rate
  double promise = 0;  ///< nats that a full step promises, or the recent gain
  double seconds = 0;  ///< since the start
};

/// Called after every iteration; the fit stops after it if it returns false.
using FitObserver = std::function<bool(const TracePoint&)>;

}  // namespace varimesh::result
