#include <fmt/format.h>

#include <set>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "results_table.h"
#include "status_line.h"
#include "varimesh/error.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/run/problem_difference.h"
#include "varimesh/run/result_directory.h"

namespace varimesh::cli {

namespace {

/// Methods of one problem, with names of their own.
struct StoredMethods {
  result::ProblemRecord problem;
  std::vector<result::MethodRecord> methods;
  std::vector<std::string> fingerprints;  ///< of each method's problem
  std::vector<std::string> differences;   ///< between these problems, a sentence each
};

StoredMethods read_results(const ReportOptions& options) {
  const StatusLine status("reading results");
  std::optional<result::ProblemRecord> problem;
  std::vector<result::MethodRecord> methods;
  std::vector<std::string> fingerprints, names;
  std::vector<result::ProblemWords> words;
  std::set<std::string> ids;
  for (const std::filesystem::path& given : options.results) {
    for (const std::filesystem::path& directory : run::find_results(given)) {
      run::StoredResult stored = run::read_result(directory);
      if (problem && stored.method.has_answer()) {
        if (const std::string difference = run::problem_difference(*problem, stored.problem); !difference.empty())
          throw InputError(fmt::format("{}: expected a result that can stand beside {}, but {}", directory.string(),
                                       options.results.front().string(), difference));
      }
      // Two results of one method are told apart by where they are.
      if (ids.contains(stored.method.method)) {
        stored.method.name += fmt::format(" ({})", given.filename().string());
        int number = 2;
        while (ids.contains(fmt::format("{}-{}", stored.method.method, number))) ++number;
        stored.method.method += fmt::format("-{}", number);
      }
      ids.insert(stored.method.method);
      fingerprints.push_back(stored.problem.fingerprint);
      if (stored.method.has_answer()) {
        names.push_back(stored.method.name);
        words.push_back(stored.problem.words);
      }
      if (!problem && stored.method.has_answer()) problem = std::move(stored.problem);
      methods.push_back(std::move(stored.method));
    }
  }
  if (!problem)
    throw InputError(
        fmt::format("{}: expected at least one method with an answer, found none", options.results.front().string()));
  std::vector<std::string> differences = run::name_differences(names, words, *problem);
  return {std::move(*problem), std::move(methods), std::move(fingerprints), std::move(differences)};
}

}  // namespace

ExitCode run_report(ReportOptions options) {
  const int threads = choose_threads(options.threads);
  if (options.out.empty()) options.out = options.results.front() / "report.html";
  const auto [problem, methods, fingerprints, differences] = read_results(options);
  const auto comparisons = run::compare_methods(methods, fingerprints, threads);
  protect_results();
  run::write_report(options.out, problem, methods, comparisons, options.command);
  print_results(problem, methods, comparisons);
  for (const std::string& difference : differences) print("note     {}\n", difference);
  print("report   {}\n", options.out.string());
  return success;
}

}  // namespace varimesh::cli
