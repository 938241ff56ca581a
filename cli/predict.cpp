#include <fmt/format.h>

#include <limits>

#include "commands.h"
#include "interrupt.h"
#include "results.h"
#include "varimesh/directory_lock.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/predict_load.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::cli {
namespace {

/// Refuses a directory with something in it, unless it may be used.
void require_usable(const PredictOptions& options) {
  if (!options.force && file_exists(options.out) && !is_unused(options.out))
    throw InputError(fmt::format("'{}' exists: expected a new directory, or the option --force", options.out.string()));
}

}  // namespace

ExitCode run_predict(PredictOptions options) {
  const run::Config config = run::read_config(options.problem, parse_overrides(options.set));
  if (options.out.empty()) options.out = beside(config.file, "-predictions");
  require_usable(options);
  const int threads = choose_threads(options.threads);
  const std::vector<std::filesystem::path> directories = run::find_results(options.results);
  std::error_code error;
  for (const std::filesystem::path& directory : directories) {
    if (std::filesystem::equivalent(options.out, directory, error) ||
        std::filesystem::equivalent(options.out, directory.parent_path(), error))
      throw InputError(fmt::format("'{}' holds the inference: expected another directory for the predictions",
                                   options.out.string()));
  }
  const run::Problem problem = run::build_problem(config, run::Data::if_present);
  if (options.verbosity != Verbosity::quiet) print_notes(problem);
  const run::ConfiguredProblem load(config, problem);
  result::ProblemRecord record = load.record();
  protect_results();
  const CancellationScope scope({&user()});
  const DirectoryLock lock(options.out);
  require_usable(options);  // still: another run may have ended since
  std::vector<result::MethodRecord> methods;
  for (const std::filesystem::path& directory : directories) {
    const run::StoredResult stored = run_abandonable([directory] { return run::read_result(directory); });
    if (!stored.method.has_answer()) continue;
    run::name_source(stored.problem, record);
    Progress progress(stored.method.name, options.verbosity);
    methods.push_back(run::predict_load(load, stored, {options.draws, options.seed, threads}, [&](double done) {
      progress.show({run::Method::low_rank, "predictions", nullptr, nullptr, done});
      return !interrupted();
    }));
    run::write_result(options.out / methods.back().method, record, methods.back());
    if (interrupted()) break;
  }
  if (methods.empty())
    throw InputError(fmt::format("{}: expected a result with an answer, found none", options.results.string()));
  const run::Conclusion conclusion =
      run::conclude(options.out / "report.html", record, methods, options.command, threads);
  print_conclusion(options.out, record, methods, conclusion, options.verbosity == Verbosity::quiet);
  return interrupted() ? interrupted_by_user : success;
}

}  // namespace varimesh::cli
