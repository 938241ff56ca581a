#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "commands.h"
#include "interrupt.h"
#include "results.h"
#include "status_line.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/record_problem.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::cli {
namespace {

/// `varimesh run --method pmvb problem.toml` reads like a list of methods that ends with a file.
void tell_problem_from_methods(RunOptions& options) {
  if (options.problem.empty() && !options.methods.empty()) {
    options.problem = options.methods.back();
    options.methods.pop_back();
  }
  if (options.problem.empty()) throw InputError("run: expected a problem file; 'varimesh run --help' says more");
}

run::Config read_config(const RunOptions& options) {
  run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  if (options.seed) config.method.seed = *options.seed;
  if (!options.methods.empty()) {
    config.method.use.clear();
    for (const std::string& word : options.methods) {
      const run::Method method = run::parse_method(word);
      auto& use = config.method.use;
      if (std::find(use.begin(), use.end(), method) == use.end()) use.push_back(method);
    }
  }
  return config;
}

/// Refuses a directory with something in it, unless it may be used.
void require_usable(const RunOptions& options) {
  std::error_code error;
  if (!file_exists(options.out)) return;
  if (!std::filesystem::is_directory(options.out, error))
    throw InputError(fmt::format("'{}' is a file: expected a directory for the results", options.out.string()));
  if (!std::filesystem::is_empty(options.out, error) && !options.resume && !options.force)
    throw InputError(
        fmt::format("'{}' exists: expected a new directory, or the option --resume or --force", options.out.string()));
}

/// A directory for one method's results, and the one it is in; they go again if nothing comes of them.
class MethodDirectory {
 public:
  explicit MethodDirectory(std::filesystem::path path) : path_(std::move(path)) { ensure_directory(path_); }
  ~MethodDirectory() {
    std::error_code ignored;  // that they are not empty
    if (std::filesystem::remove(path_, ignored)) std::filesystem::remove(path_.parent_path(), ignored);
  }
  MethodDirectory(const MethodDirectory&) = delete;
  MethodDirectory& operator=(const MethodDirectory&) = delete;

 private:
  std::filesystem::path path_;
};

/// The result of an earlier run, if it can be taken as it is. Throws InputError if it is of another problem.
std::optional<result::MethodRecord> find_finished(const std::filesystem::path& directory,
                                                  const result::ProblemRecord& problem,
                                                  const result::MethodRecord& wanted) {
  if (!run::holds_result(directory)) return std::nullopt;
  run::StoredResult stored = run::read_result(directory);
  if (stored.problem.fingerprint != problem.fingerprint)
    throw InputError(
        fmt::format("'{}' holds results of another problem, or of this one before it was changed: expected "
                    "the same to --resume; --force begins anew",
                    directory.string()));
  const bool same = stored.method.seed == wanted.seed && stored.method.settings == wanted.settings;
  if (!same || stored.method.status == result::Status::interrupted) return std::nullopt;
  return std::move(stored.method);
}

}  // namespace

ExitCode run_run(RunOptions options) {
  tell_problem_from_methods(options);
  const run::Config config = read_config(options);
  if (options.out.empty()) options.out = config.file.stem().string() + "-results";
  const int threads = choose_threads(options.threads);
  const bool quiet = options.verbosity == Verbosity::quiet;
  require_usable(options);
  std::optional<StatusLine> status;
  if (!quiet) status.emplace("setting up the problem");
  const run::Problem problem = run::build_problem(config, run::Data::required);
  const inverse::Posterior posterior = run::build_posterior(config, problem);
  const result::ProblemRecord record = run::record_problem(config, problem);
  status.reset();
  watch_interrupts();

  std::vector<result::MethodRecord> methods;
  for (const run::Method method : config.method.use) {
    const std::filesystem::path directory = options.out / std::string(name(method));
    result::MethodRecord wanted = run::describe_method(config, problem, posterior, method);
    if (options.force && !options.resume) std::filesystem::remove_all(directory);
    if (options.resume) {
      if (auto finished = find_finished(directory, record, wanted)) {
        if (!quiet) fmt::print(stderr, "{:<8}finished before\n", wanted.name);
        methods.push_back(std::move(*finished));
        continue;
      }
    }
    if (interrupted()) break;
    const MethodDirectory made(directory);
    Progress progress(wanted.name, options.verbosity);
    const bool has_chains = file_exists(directory / "chains");
    methods.push_back(run::infer(config, problem, posterior, method,
                                 {threads, directory / "chains", options.resume && has_chains},
                                 [&](const run::InferenceProgress& now) {
                                   progress.show(now);
                                   return !interrupted();
                                 }));
    run::write_result(directory, record, methods.back());
  }
  finish_results(options.out / "report.html", record, methods, options.command, threads, quiet);
  if (interrupted()) {
    fmt::print(stderr, "varimesh: interrupted; what there was is in {}, and --resume goes on\n", options.out.string());
    return interrupted_by_user;
  }
  const bool all = std::all_of(methods.begin(), methods.end(), [](const result::MethodRecord& m) {
    return m.has_answer() && m.status != result::Status::diverged;
  });
  return all ? success : failed;
}

}  // namespace varimesh::cli
