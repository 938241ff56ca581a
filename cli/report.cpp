#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "results.h"
#include "results_table.h"
#include "status_line.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/run/read_methods.h"

namespace varimesh::cli {

ExitCode run_report(ReportOptions options) {
  const int threads = choose_threads(options.threads);
  if (options.out.empty()) options.out = options.results.front() / "report.html";
  const auto [problem, methods, fingerprints, differences] = [&] {
    const StatusLine status("reading results");
    return run::read_methods(options.results);
  }();
  const auto comparisons = run::compare_methods(methods, fingerprints, threads);
  protect_results();
  run::write_report(options.out, problem, methods, comparisons, options.command);
  print_results(problem, methods, comparisons);
  for (const std::string& difference : differences) print("note     {}\n", difference);
  print("report   {}\n", options.out.string());
  return success;
}

}  // namespace varimesh::cli
