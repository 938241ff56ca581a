#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "output.h"
#include "results_table.h"
#include "varimesh/error.h"
#include "varimesh/quote.h"

namespace varimesh::cli {

void print_notes(const run::Problem& problem) {
  if (!problem.sensors) return;
  for (const std::string& note : problem.sensors->notes) print_error("note: {}\n", note);
}

std::vector<run::Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<run::Override> overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--set: expected KEY=VALUE, such as method.seed=2, found {}", quote(text)));
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

int choose_threads(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::filesystem::path beside(const std::filesystem::path& problem, const std::string& suffix) {
  return problem.parent_path() / (problem.stem().string() + suffix);
}

void print_conclusion(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                      const std::vector<result::MethodRecord>& methods, const run::Conclusion& conclusion, bool quiet) {
  if (!conclusion.complete)
    print_error("varimesh: there was no time for the report: 'varimesh report {}' makes it\n", directory.string());
  if (quiet) {
    print_doubts(methods);
    return;
  }
  print_results(problem, methods, conclusion.comparisons);
  std::vector<std::string> files;
  for (const result::MethodRecord& method : methods) files.push_back((directory / method.method).string());
  if (!files.empty()) print("files    {}\n", fmt::format("{}", fmt::join(files, ", ")));
  if (conclusion.report) print("report   {}\n", conclusion.report->string());
}

}  // namespace varimesh::cli
