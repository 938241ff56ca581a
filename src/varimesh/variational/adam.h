#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "varimesh/result/fit_record.h"
#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

struct AdamOptions {
  Index samples = 5;  ///< draws of q in each step, from each of its components
  Index max_steps = 100'000;
  double learning_rate = 0.01;
  double decay = 0.96;    ///< the learning rate is multiplied by this ...
  Index decay_every = 0;  ///< ... each time after so many steps; 0: the paper's, 1,000 for mean field, else 2,500
  double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  double tolerance = 0.1;  ///< nats that the last half of the steps may have gained at the end
  std::uint64_t seed = 1;
  Index trace_every = 100;  ///< steps between two points of the trace
};

struct AdamResult {
  std::unique_ptr<Family> q;
  result::FitStatus status = result::FitStatus::iteration_limit;
  std::string message;
  std::vector<result::TracePoint> trace;
};

/// Improves q by stochastic gradient ascent on the ELBO (Adam), with the reparametrisation trick. KL(q || prior) is in
/// closed form as far as it has one (normal distributions, and most of it for mixtures of them), else estimated from
/// the draws; with a prior that is both stiff and not normal that may be too noisy. Draws at which the model fails are
/// left out.
///
/// The result is a mean of the iterates in which the last tenth of the steps has most of the weight: it has less noise
/// than any iterate. Now and then its ELBO is compared, at common draws, with that of the mean iterate at half as many
/// steps. The fit has converged if twice in a row the gain was below the tolerance, by two standard errors. (A moving
/// average of the ELBO's change from step to step, as is usual, shows the noise and not the gain.) That the gain is
/// small because the learning rate has become small does not count: the gain is that at the first learning rate, in
/// proportion.
///
/// Throws InputError for options that make no sense, or a q of another size than the posterior.
AdamResult adam(Evaluator& evaluator, std::unique_ptr<Family> start, const AdamOptions& options,
                const result::FitObserver& observer = {});

}  // namespace varimesh::variational
