#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/result/fit_record.h"
#include "varimesh/variational/curvature.h"
#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

struct NaturalGradientOptions {
  /// Antithetic draws of q in an iteration: an even number of 4 or more. Unless given 16, or 8 of a large problem,
  /// where each takes long and few are needed in all: they begin at a fit on a coarser mesh, or near the answer.
  std::optional<Index> samples = {};
  Index max_samples = 256;  ///< they are doubled up to here while very many iterations would be needed otherwise
  Index max_iterations = 60;
  double tolerance = 0.01;  ///< nats that q may be short of the best of its family
  std::uint64_t seed = 1;
};

struct NaturalGradientResult {
  std::unique_ptr<GaussianFamily> q;
  result::FitStatus status = result::FitStatus::iteration_limit;
  std::string message;
  std::vector<result::TracePoint> trace;
  std::unique_ptr<Curvature> curvature;  ///< of the last local quadratic model; null if there was none
};

/// Improves q by natural-gradient steps. Each takes the mean and the precision towards the best of the family for the
/// local quadratic model, whose curvature is averaged over draws of q: Gauss-Newton for a forward model; for a black
/// box from first derivatives, beginning with the curvature at q's mean.
///
/// At first the draws are z -> mean + R z with the same z, so that every step can be checked, until randomness is all
/// that is left to gain. Then every iteration has fresh z, and steps of size samples / (all samples so far) average it
/// out. Needs a normal prior.
NaturalGradientResult natural_gradient(Evaluator& evaluator, std::unique_ptr<GaussianFamily> start,
                                       const Curvature& start_curvature, const NaturalGradientOptions& options,
                                       const result::FitObserver& observer = {});

}  // namespace varimesh::variational
