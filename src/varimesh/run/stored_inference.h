#pragma once

#include <filesystem>

#include "varimesh/run/infer.h"

namespace varimesh::run {

struct StoredInferenceOptions {
  int threads = 1;
  /// Takes a result of the same problem, seed, settings and version as it is, and goes on with chains that were
  /// interrupted or are to have more draws. Without it a directory that holds chains is refused.
  bool resume = false;
  bool question_prior = true;  ///< compare the answer with those of other priors, as the file wants it
  /// Draws of so many bytes are written in a moment, for which a request to end waits.
  double bytes_of_a_moment = 1e8;
};

/// A method's answer and whether it was there already.
struct StoredInference {
  result::MethodRecord method;
  bool was_there = false;
};

/// Infers into a directory. If that fails, directories that were not there go again. Interrupted while it writes many
/// draws of chains, it leaves these in their files, from which --resume writes them. Throws InputError if the directory
/// holds a result of another problem.
StoredInference infer_into(const std::filesystem::path& directory, const MethodConfig& config,
                           const InverseProblem& problem, const inverse::Posterior& posterior, Method method,
                           const StoredInferenceOptions& options, const InferenceObserver& observer = {});

}  // namespace varimesh::run
