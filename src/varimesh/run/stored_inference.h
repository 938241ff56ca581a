#pragma once

#include <filesystem>

#include "varimesh/result/problem_record.h"
#include "varimesh/run/infer.h"

namespace varimesh::run {

struct StoredInferenceOptions {
  int threads = 1;
  /// Takes a result of the same problem, seed, settings and version as it is, and goes on with chains that were
  /// interrupted or are to have more draws. Without it a directory that holds chains is refused.
  bool resume = false;
  bool question_prior = true;  ///< compare the answer with those of other priors, as the file wants it
};

/// A method's answer and whether it was there already.
struct StoredInference {
  result::MethodRecord method;
  bool was_there = false;
};

/// Infers into a directory. If that fails, directories that were not there go again. Throws InputError if the directory
/// holds a result of another problem.
StoredInference infer_into(const std::filesystem::path& directory, const Config& config, const Problem& problem,
                           const inverse::Posterior& posterior, const result::ProblemRecord& record, Method method,
                           const StoredInferenceOptions& options, const InferenceObserver& observer = {});

}  // namespace varimesh::run
