#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "varimesh/diagnostics/psis.h"
#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// How far draws of q can be trusted as draws of the posterior.
struct ImportanceCheck {
  diagnostics::PsisResult psis;
  std::string verdict;                                    ///< in plain words
  Index failures = 0;                                     ///< draws at which the model cannot be evaluated
  std::optional<diagnostics::WeightedMoments> corrected;  ///< means and sds of the posterior, if khat is good

  // What it was made from
  Matrix draws;           ///< of q, one a column, as many as are kept; of components in random order
  Vector log_likelihood;  ///< at each
  Vector log_posterior;   ///< at each, up to a constant
  Vector log_weights;     ///< of each: smoothed importance weights
};

/// From so many draws of q, each costs one evaluation of the model; the first `kept` are kept. Equally many are of each
/// component. Throws InputError if they would not fit into memory or the model fails at all of them.
ImportanceCheck check_importance(Evaluator& evaluator, const Family& q, Index draws, std::uint64_t seed,
                                 Index kept = std::numeric_limits<Index>::max());

}  // namespace varimesh::variational
