#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "commands.h"
#include "duration.h"
#include "interrupt.h"
#include "method_words.h"
#include "output.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/error.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/parse_duration.h"
#include "varimesh/run/run_methods.h"

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

/// Shows on standard error where a run is.
class Display {
 public:
  Display(Verbosity verbosity, double budget) : verbosity_(verbosity), budget_(budget) {}

  run::RunObserver observer() {
    return {.begin = [this](const result::MethodRecord& method) { begin(method); },
            .progress = [this](const run::InferenceProgress& now) { return show(now); },
            .end = [this](const result::MethodRecord& method, bool was_there) { end(method, was_there); }};
  }

 private:
  void begin(const result::MethodRecord& method) {
    progress_.emplace(method.name, verbosity_);
    says_budget_ = method.method == name(run::Method::automatic);
  }

  bool show(const run::InferenceProgress& now) {
    if (std::exchange(says_budget_, false))
      progress_->say(
          fmt::format("a fit, and unless it is proven good weighted draws or exact chains, within {} (--budget)",
                      duration(budget_)));
    progress_->show(now);
    return !interrupted();
  }

  void end(const result::MethodRecord& method, bool was_there) {
    progress_.reset();
    if (was_there && verbosity_ != Verbosity::quiet) print_error("{:<8}finished before\n", method.name);
  }

  Verbosity verbosity_;
  double budget_;
  bool says_budget_ = false;          ///< before the first progress
  std::optional<Progress> progress_;  ///< of the method that runs
};

}  // namespace

ExitCode run_run(RunOptions options) {
  tell_problem_from_methods("run", options.problem, options.methods);
  const run::Config config = read_config(options);
  if (options.out.empty()) options.out = beside(config.file, "-results");
  options.threads = choose_threads(options.threads);
  const bool quiet = options.verbosity == Verbosity::quiet;
  run::require_usable(options.out, options.resume || options.force);
  std::optional<StatusLine> status;
  if (!quiet) status.emplace("setting up the problem");
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const run::ConfiguredProblem configured(config, problem);
  status.reset();
  if (!quiet) print_notes(problem);
  protect_results();
  const CancellationScope scope({&user()});
  const run::RunResult found = [&] {
    Display display(options.verbosity, config.method.budget);
    return run::run_methods(options.out, configured, posterior, config.method,
                            {options.threads, options.resume, options.force, options.command}, display.observer());
  }();
  const std::vector<result::MethodRecord>& methods = found.methods;
  if (!methods.empty()) print_conclusion(options.out, configured.record(), methods, found.conclusion, quiet);
  if (found.fault) throw InputError(*found.fault);
  if (found.interrupted) {
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
