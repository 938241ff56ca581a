#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "varimesh/result/fit_record.h"
#include "varimesh/variational/curvature.h"
#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

struct NaturalGradientOptions {
  Index samples = 16;         ///< antithetic draws of q at first; an even number of 4 or more
  Index max_samples = 1024;   ///< they are doubled up to here while their randomness matters
  Index max_iterations = 60;  ///< evaluations of all draws
  double tolerance = 0.01;    ///< nats that a full step may still promise at fresh draws
  std::uint64_t seed = 1;
};

struct NaturalGradientResult {
  std::unique_ptr<GaussianFamily> q;
  result::FitStatus status = result::FitStatus::iteration_limit;
  std::string message;
  std::vector<result::TracePoint> trace;
};

/// Improves q by natural-gradient steps. Each takes the mean and the precision to the best of the family for the local
/// quadratic model, whose curvature is averaged over draws of q: Gauss-Newton for a forward model; for a black box from
/// first derivatives, beginning with the curvature at q's mean. A forward model's draws are z -> mean + R z with the
/// same z until the steps promise less than the tolerance; it has converged when they still do with fresh z. Needs a
/// normal prior.
NaturalGradientResult natural_gradient(Evaluator& evaluator, std::unique_ptr<GaussianFamily> start,
                                       const Curvature& start_curvature, const NaturalGradientOptions& options,
                                       const result::FitObserver& observer = {});

}  // namespace varimesh::variational
