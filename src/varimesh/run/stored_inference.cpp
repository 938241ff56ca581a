#include "varimesh/run/stored_inference.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::run {
namespace {

/// A directory and the one it is in; if they were not there, they go again if nothing comes of them.
class NewDirectory {
 public:
  explicit NewDirectory(const std::filesystem::path& path) {
    for (const auto& directory : {path, path.parent_path()}) {
      if (!directory.empty() && !file_exists(directory)) made_.push_back(directory);
    }
    ensure_directory(path);
  }
  ~NewDirectory() {
    std::error_code ignored;  // that they are not empty
    for (const auto& directory : made_) std::filesystem::remove(directory, ignored);
  }
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

 private:
  std::vector<std::filesystem::path> made_;
};

/// The result of an earlier run of this problem. Throws InputError if it is of another problem.
std::optional<result::MethodRecord> find_earlier(const std::filesystem::path& directory,
                                                 const result::ProblemRecord& problem) {
  std::optional<StoredResult> stored = run_abandonable([directory] { return find_result(directory); });
  if (!stored) return std::nullopt;
  if (stored->problem.fingerprint != problem.fingerprint)
    throw InputError(
        fmt::format("'{}' holds results of another problem, or of this one before it was changed: expected "
                    "the same to --resume; --force begins anew",
                    directory.string()));
  return std::move(stored->method);
}

bool is_finished(const result::MethodRecord& earlier, const result::MethodRecord& wanted) {
  const bool ended = earlier.status == result::Status::diverged ||
                     (earlier.status != result::Status::interrupted && earlier.has_answer());
  return ended && earlier.seed == wanted.seed && earlier.settings == wanted.settings &&
         earlier.version == wanted.version;
}

double bytes_of_draws(const result::MethodRecord& answer) {
  return sizeof(double) * static_cast<double>(answer.num_draws()) * answer.draws.size();
}

/// What is left of an answer that was interrupted while it was written: --resume makes it anew of the chains.
result::MethodRecord leave_in_chains(result::MethodRecord described, const result::MethodRecord& answer) {
  described.seconds = answer.seconds;
  described.phases = answer.phases;
  described.counts = answer.counts;
  record_interruption(answer.message + "; interrupted while the draws were written", described);
  return described;
}

}  // namespace

StoredInference infer_into(const std::filesystem::path& directory, const MethodConfig& config,
                           const InverseProblem& problem, const inverse::Posterior& posterior, Method method,
                           const StoredInferenceOptions& options, const InferenceObserver& observer) {
  const result::ProblemRecord& record = problem.record();
  std::optional<result::MethodRecord> earlier;
  if (options.resume) earlier = find_earlier(directory, record);
  if (earlier && is_finished(*earlier, describe_method(config, problem, posterior, method)))
    return {std::move(*earlier), true};
  const NewDirectory made(directory);
  const bool goes_on = options.resume && file_exists(directory / "chains");
  try {
    InferenceOptions inference{options.threads, directory / "chains", goes_on};
    inference.question_prior = options.question_prior;
    result::MethodRecord answer = infer(config, problem, posterior, method, inference, observer);
    if (goes_on && earlier && answer.chains) answer.seconds += earlier->seconds;  // of the same chains
    const bool can_wait = answer.chains && file_exists(directory / "chains");     // for --resume
    const Listening to = can_wait && bytes_of_draws(answer) > options.bytes_of_a_moment ? finishing() : Listening{};
    if (!completes([&] { write_result(directory, record, answer, to); })) {
      answer = leave_in_chains(describe_method(config, problem, posterior, method), answer);
      write_result(directory, record, answer);
    }
    return {std::move(answer), false};
  } catch (const InputError& error) {
    if (!goes_on) throw;
    throw InputError(std::string(error.what()) + "; --force begins anew");
  }
}

}  // namespace varimesh::run
