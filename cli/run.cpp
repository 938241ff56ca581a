#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "commands.h"
#include "duration.h"
#include "interrupt.h"
#include "method_words.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/directory_lock.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/parse_duration.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/stored_inference.h"

namespace varimesh::cli {
namespace {

run::Config read_config(const RunOptions& options) {
  run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  if (options.seed) config.method.seed = *options.seed;
  if (!options.budget.empty())
    config.method.budget = run::at("--budget", [&] { return run::parse_duration(options.budget); });
  take_methods(options.methods, config);
  return config;
}

/// One method from its earlier state, if there is any, to its files.
result::MethodRecord run_method(const run::Config& config, const run::Problem& problem,
                                const inverse::Posterior& posterior, const result::ProblemRecord& record,
                                run::Method method, const RunOptions& options) {
  const std::string title = run::describe_method(config, problem, posterior, method).name;
  Progress progress(title, options.verbosity);
  run::StoredInference inference = run::infer_into(
      options.out / std::string(name(method)), config, problem, posterior, record, method,
      {options.threads, options.resume}, [&, told = false](const run::InferenceProgress& now) mutable {
        if (method == run::Method::automatic && !std::exchange(told, true))
          progress.say(fmt::format("a fit, and exact chains unless it is proven good, within {} (--budget)",
                                   duration(config.method.budget)));
        progress.show(now);
        return !interrupted();
      });
  if (inference.was_there && options.verbosity != Verbosity::quiet) print_error("{:<8}finished before\n", title);
  return std::move(inference.method);
}

/// Results of the same problem by other methods, for the report.
void add_others(const RunOptions& options, const result::ProblemRecord& problem,
                std::vector<result::MethodRecord>& methods) {
  for (const std::string_view word : run::method_names) {
    const std::filesystem::path directory = options.out / std::string(word);
    const bool known = std::any_of(methods.begin(), methods.end(), [&](const auto& m) { return m.method == word; });
    if (known) continue;
    std::optional<run::StoredResult> stored = run_abandonable([directory] { return run::find_result(directory); });
    if (stored && stored->problem.fingerprint == problem.fingerprint) methods.push_back(std::move(stored->method));
  }
}

}  // namespace

ExitCode run_run(RunOptions options) {
  tell_problem_from_methods("run", options.problem, options.methods);
  const run::Config config = read_config(options);
  if (options.out.empty()) options.out = beside(config.file, "-results");
  options.threads = choose_threads(options.threads);
  const bool quiet = options.verbosity == Verbosity::quiet;
  require_usable(options.out, options.resume || options.force);
  std::optional<StatusLine> status;
  if (!quiet) status.emplace("setting up the problem");
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const result::ProblemRecord record = run::record_problem(config, problem);
  status.reset();
  if (!quiet) print_notes(problem);
  protect_results();
  const CancellationScope scope({&user()});
  const DirectoryLock lock(options.out);
  require_usable(options.out, options.resume || options.force);  // still: another run may have ended since
  if (options.force) {
    for (const std::string_view word : run::method_names) run::remove_result(options.out / std::string(word));
  }

  std::vector<result::MethodRecord> methods;
  std::optional<InputError> fault;
  for (const run::Method method : run::choose_methods(config)) {
    if (interrupted()) break;
    try {
      methods.push_back(run_method(config, problem, posterior, record, method, options));
    } catch (const Interrupted&) {
      break;  // before it had begun
    } catch (const InputError& error) {
      fault = error;  // what other methods have found is shown first
      break;
    }
  }
  if (methods.empty() && fault) throw InputError(*fault);
  if (options.resume) completes([&] { add_others(options, record, methods); });
  if (!methods.empty()) finish_results(options.out, record, methods, options.command, options.threads, quiet);
  if (fault) throw InputError(*fault);
  if (interrupted()) {
    if (methods.empty())
      print_error("varimesh: interrupted; nothing was written\n");
    else
      print_error("varimesh: interrupted; what there was is in {}, and --resume goes on\n", options.out.string());
    return interrupted_by_user;
  }
  const bool all = std::all_of(methods.begin(), methods.end(), [](const result::MethodRecord& m) {
    return m.has_answer() && m.status != result::Status::diverged;
  });
  return all ? success : failed;
}

}  // namespace varimesh::cli
