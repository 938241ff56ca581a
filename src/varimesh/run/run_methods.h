#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/result/method_record.h"
#include "varimesh/run/infer.h"

namespace varimesh::run {

struct RunOptions {
  int threads = 1;
  bool resume = false;       ///< keeps what an earlier run has finished, and goes on with what it has not
  bool replace = false;      ///< removes what an earlier run has left
  std::string command = {};  ///< what was asked for, for the report; may be empty
};

/// Is told what a run does, from one thread at a time; each may be empty.
struct RunObserver {
  std::function<void(const result::MethodRecord& described)> begin;  ///< a method, of which nothing else is known yet
  InferenceObserver progress;  ///< the run makes an answer of what is there, and ends, soon after it returns false
  std::function<void(const result::MethodRecord& method, bool was_there)> end;  ///< perhaps of an earlier run
};

/// What several answers come to.
struct Conclusion {
  std::vector<result::ComparisonRecord> comparisons;
  std::optional<std::filesystem::path> report;  ///< none without an answer to show
  bool complete = true;                         ///< false if there was no time left for all of it
};

struct RunResult {
  std::vector<result::MethodRecord> methods;  ///< in the order in which they were asked for
  Conclusion conclusion;
  std::optional<InputError> fault;  ///< why a method could not run; those after it did not
  bool interrupted = false;         ///< methods may be missing, or their answers unfinished
};

/// Refuses a directory for results that has something in it, unless that may be used.
void require_usable(const std::filesystem::path& directory, bool may_be_used);

/// All that `varimesh run` does with a problem once it is read: infers by each of the methods that the settings ask
/// for, writes what each finds into a directory of its own, compares them, and writes report.html. Listens to a
/// CancellationScope of the caller's. Throws InputError if nothing could be done at all.
RunResult run_methods(const std::filesystem::path& directory, const InverseProblem& problem,
                      const inverse::Posterior& posterior, const MethodConfig& config, const RunOptions& options = {},
                      const RunObserver& observer = {});

/// Compares answers, and writes a report on them; there is none if no method has an answer.
Conclusion conclude(const std::filesystem::path& report, const result::ProblemRecord& problem,
                    const std::vector<result::MethodRecord>& methods, const std::string& command, int threads);

/// Writes a report on methods that have answers; none if no method has.
std::optional<std::filesystem::path> write_report(const std::filesystem::path& file,
                                                  const result::ProblemRecord& problem,
                                                  const std::vector<result::MethodRecord>& methods,
                                                  const std::vector<result::ComparisonRecord>& comparisons,
                                                  const std::string& command);

}  // namespace varimesh::run
