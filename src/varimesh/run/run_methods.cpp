#include "varimesh/run/run_methods.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "varimesh/cancellation.h"
#include "varimesh/directory_lock.h"
#include "varimesh/file.h"
#include "varimesh/io/report.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/stored_inference.h"
#include "varimesh/version.h"

namespace varimesh::run {
namespace {

bool asked_to_end() {
  const Cancellation* cancellation = listening().cancellation;
  return cancellation && cancellation->requested();
}

/// Results of the same problem by other methods, for the report.
void add_others(const std::filesystem::path& results, const std::string& fingerprint,
                std::vector<result::MethodRecord>& methods) {
  for (const std::string_view word : method_names) {
    const bool known = std::ranges::any_of(methods, [&](const auto& m) { return m.method == word; });
    if (known) continue;
    const std::filesystem::path directory = results / std::string(word);
    std::optional<StoredResult> stored = run_abandonable([directory] { return find_result(directory); });
    if (stored && stored->problem.fingerprint == fingerprint) methods.push_back(std::move(stored->method));
  }
}

}  // namespace

void require_usable(const std::filesystem::path& directory, bool may_be_used) {
  std::error_code error;
  if (!file_exists(directory)) return;
  if (!std::filesystem::is_directory(directory, error))
    throw InputError(fmt::format("'{}' is a file: expected a directory for the results", directory.string()));
  if (!is_unused(directory) && !may_be_used)
    throw InputError(
        fmt::format("'{}' exists: expected a new directory, or the option --resume or --force", directory.string()));
}

RunResult run_methods(const std::filesystem::path& directory, const InverseProblem& problem,
                      const inverse::Posterior& posterior, const MethodConfig& config, const RunOptions& options,
                      const RunObserver& observer) {
  const linalg::OneBlasThread serial;
  const DirectoryLock lock(directory);
  require_usable(directory, options.resume || options.replace);
  if (options.replace) {
    for (const std::string_view word : method_names) remove_result(directory / std::string(word));
  }
  RunResult result;
  bool stopped = false;
  const InferenceObserver progress = [&](const InferenceProgress& now) {
    stopped = stopped || (observer.progress && !observer.progress(now));
    return !stopped;
  };
  for (const Method method : choose_methods(config)) {
    if (stopped || asked_to_end()) break;
    try {
      if (observer.begin) observer.begin(describe_method(config, problem, posterior, method));
      StoredInference inference = infer_into(directory / std::string(name(method)), config, problem, posterior, method,
                                             {options.threads, options.resume}, progress);
      result.methods.push_back(std::move(inference.method));
      if (observer.end) observer.end(result.methods.back(), inference.was_there);
    } catch (const Interrupted&) {
      break;  // before it had begun
    } catch (const InputError& error) {
      if (result.methods.empty()) throw;
      result.fault = error;  // what other methods have found is worth showing
      break;
    }
  }
  if (options.resume) completes([&] { add_others(directory, problem.record().fingerprint, result.methods); });
  if (!result.methods.empty())
    result.conclusion =
        conclude(directory / "report.html", problem.record(), result.methods, options.command, options.threads);
  result.interrupted = stopped || asked_to_end();
  return result;
}

Conclusion conclude(const std::filesystem::path& report, const result::ProblemRecord& problem,
                    const std::vector<result::MethodRecord>& methods, const std::string& command, int threads) {
  Conclusion conclusion;
  const CancellationScope scope(finishing());
  conclusion.complete = completes([&] {
    conclusion.comparisons = compare_methods(methods, threads);
    throw_if_interrupted();
    conclusion.report = write_report(report, problem, methods, conclusion.comparisons, command);
  });
  return conclusion;
}

std::optional<std::filesystem::path> write_report(const std::filesystem::path& file,
                                                  const result::ProblemRecord& problem,
                                                  const std::vector<result::MethodRecord>& methods,
                                                  const std::vector<result::ComparisonRecord>& comparisons,
                                                  const std::string& command) {
  const bool answered = std::ranges::any_of(methods, [](const auto& m) { return m.has_answer(); });
  if (!answered) return std::nullopt;
  const std::string today = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  write_file(file, io::format_report(problem, methods, comparisons, {std::string(version()), today, command}),
             Durable::yes);
  return file;
}

}  // namespace varimesh::run
