#include "results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "output.h"
#include "results_table.h"
#include "varimesh/cancellation.h"
#include "varimesh/directory_lock.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/io/report.h"
#include "varimesh/quote.h"
#include "varimesh/run/build.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/version.h"

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

void require_usable(const std::filesystem::path& directory, bool may_be_used) {
  std::error_code error;
  if (!file_exists(directory)) return;
  if (!std::filesystem::is_directory(directory, error))
    throw InputError(fmt::format("'{}' is a file: expected a directory for the results", directory.string()));
  if (!is_unused(directory) && !may_be_used)
    throw InputError(
        fmt::format("'{}' exists: expected a new directory, or the option --resume or --force", directory.string()));
}

std::optional<std::filesystem::path> write_report(const std::filesystem::path& file,
                                                  const result::ProblemRecord& problem,
                                                  const std::vector<result::MethodRecord>& methods,
                                                  const std::vector<result::ComparisonRecord>& comparisons,
                                                  const std::string& command) {
  const bool answered = std::any_of(methods.begin(), methods.end(), [](const auto& m) { return m.has_answer(); });
  if (!answered) return std::nullopt;
  const std::string today = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  write_file(file, io::format_report(problem, methods, comparisons, {std::string(version()), today, command}),
             Durable::yes);
  return file;
}

void finish_results(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                    const std::vector<result::MethodRecord>& methods, const std::string& command, int threads,
                    bool quiet) {
  std::vector<result::ComparisonRecord> comparisons;
  std::optional<std::filesystem::path> report;
  const CancellationScope scope(finishing());
  const bool completed = completes([&] {
    comparisons = run::compare_methods(methods, threads);
    throw_if_interrupted();
    report = write_report(directory / "report.html", problem, methods, comparisons, command);
  });
  if (!completed)
    print_error("varimesh: there was no time for the report: 'varimesh report {}' makes it\n", directory.string());
  if (quiet) {
    print_doubts(methods);
    return;
  }
  print_results(problem, methods, comparisons);
  std::vector<std::string> files;
  for (const result::MethodRecord& method : methods) files.push_back((directory / method.method).string());
  if (!files.empty()) print("files    {}\n", fmt::format("{}", fmt::join(files, ", ")));
  if (report) print("report   {}\n", report->string());
}

}  // namespace varimesh::cli
