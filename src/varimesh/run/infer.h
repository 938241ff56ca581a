#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string_view>

#include "varimesh/inverse/posterior.h"
#include "varimesh/result/chain_record.h"
#include "varimesh/result/method_record.h"
#include "varimesh/run/build.h"
#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// Where an inference is.
struct InferenceProgress {
  Method method = Method::automatic;
  std::string_view stage;                                  ///< "fit", "chains", ...
  const result::TracePoint* fit = nullptr;                 ///< while a distribution is fitted
  const result::ChainProgress* chain = nullptr;            ///< while chains run
  double done = std::numeric_limits<double>::quiet_NaN();  ///< share of the stage at least; NaN if unknown
  Index chains = 0;                                        ///< that will run, of which some may not have begun
};

/// Called now and then, from one thread at a time; the inference stops soon after it returns false.
using InferenceObserver = std::function<bool(const InferenceProgress&)>;

struct InferenceOptions {
  int threads = 1;
  std::filesystem::path chains = "";  ///< a directory for draws and checkpoints of chains; empty: in memory
  bool resume = false;                ///< go on with the chains in it
  bool check_mesh = true;             ///< compare predictions with those on a finer mesh
  bool question_prior = true;         ///< compare the answer with those of other priors, as the file wants it
};

/// The methods that a file asks for; if it asks for none, auto.
std::vector<Method> choose_methods(const MethodConfig& config);

/// The posterior of a problem with measurements. Throws InputError if it has none, or no prior.
inverse::Posterior build_posterior(const Config& config, const Problem& problem);

/// From a problem to a method's answer, with all that follows from it. What goes wrong numerically is in the status;
/// InputErrors are about settings that make no sense for this problem. Interrupted (cancellation.h), it makes an answer
/// of what is there, and throws Interrupted only if it has not begun. Results depend on the seed, not on the threads.
result::MethodRecord infer(const MethodConfig& config, const InverseProblem& problem,
                           const inverse::Posterior& posterior, Method method, const InferenceOptions& options,
                           const InferenceObserver& observer = {});

/// The same of the problem of a file.
result::MethodRecord infer(const Config& config, const Problem& problem, const inverse::Posterior& posterior,
                           Method method, const InferenceOptions& options, const InferenceObserver& observer = {});

/// What a method will be called, and the settings that it runs with: what a stored result must have to be this one.
result::MethodRecord describe_method(const MethodConfig& config, const InverseProblem& problem,
                                     const inverse::Posterior& posterior, Method method);

}  // namespace varimesh::run
