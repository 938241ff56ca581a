#pragma once

#include <optional>
#include <vector>

#include "varimesh/result/estimate.h"
#include "varimesh/types.h"

namespace varimesh::result {

/// What leaving out one sensor changes.
struct SensorInfluence {
  Index sensor = 0;
  double field = 0;   ///< how far the mean of an unknown moves, in sds, where that is largest
  Vector quantities;  ///< how far the mean of each quantity moves, in sds; NaN for one without sd
};

/// Each sensor as all others predict it. Vectors have an entry for each sensor, and are empty if nothing is known.
struct LeaveOneOut {
  Vector mean, sd;  ///< of the prediction, without the noise of a measurement
  Vector residual;  ///< (measured - mean) / sqrt(standard error^2 + sd^2)
  Vector khat;      ///< of the importance weights that leave it out; NaN where it was done by linearising the model
  Vector elpd;      ///< log density of the measured mean as the others predict it

  Index matched = 0;                   ///< sensors whose draws were moved to where their weights have a thinner tail
  std::vector<SensorInfluence> worst;  ///< of the sensors with the largest residuals, these first

  bool is_known() const { return residual.size() > 0; }
  Index size() const { return static_cast<Index>(residual.size()); }
  /// The sum of elpd, and its standard error by the sensors' spread.
  Estimate total_elpd() const;
  /// The sensors by the size of their residuals, the largest first; those without one come last.
  std::vector<Index> by_residual() const;
};

/// Above this k-hat, weights that leave out a sensor say nothing.
constexpr double largest_usable_khat = 0.7;

}  // namespace varimesh::result
