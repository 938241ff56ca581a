#pragma once

#include <string>
#include <vector>

#include "varimesh/result/prior_sensitivity.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// A prior that might have been assumed instead of a problem's own.
struct AlternativePrior {
  result::PriorAlternative::Change change;
  std::string name;  ///< "half the length-scale (0.1)"
  PriorConfig prior;
};

/// Half and double the length-scale and the sd, and rougher fields: the next two kernels of squared_exponential,
/// matern52, matern32 and matern12, or an SPDE of the order below; a quarter of the length-scale where there is none.
/// Of independent unknowns the sds only; none of a mixture, or without a prior.
std::vector<AlternativePrior> alternative_priors(const Config& config, const Problem& problem);

}  // namespace varimesh::run
