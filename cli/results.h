#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/override.h"

namespace varimesh::run {
struct Problem;
}

namespace varimesh::cli {

/// Says on standard error what was done with a problem's files that their owner may not expect.
void print_notes(const run::Problem& problem);

/// "key=value" as overrides. Throws InputError for what has no key or no '='.
std::vector<run::Override> parse_overrides(const std::vector<std::string>& texts);

/// As many as there are cores, if none are asked for.
int choose_threads(int asked);

/// Where results of a problem go unless told: beside its file, named after it.
std::filesystem::path beside(const std::filesystem::path& problem, const std::string& suffix);

/// Refuses a directory for results that has something in it, unless it may be used.
void require_usable(const std::filesystem::path& directory, bool may_be_used);

/// Writes a report on methods that have answers; none if no method has.
std::optional<std::filesystem::path> write_report(const std::filesystem::path& file,
                                                  const result::ProblemRecord& problem,
                                                  const std::vector<result::MethodRecord>& methods,
                                                  const std::vector<result::ComparisonRecord>& comparisons,
                                                  const std::string& command);

/// Compares methods, writes report.html in their directory (unless no method has an answer), and prints the table and
/// where the files are; quiet, only problems.
void finish_results(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                    const std::vector<result::MethodRecord>& methods, const std::string& command, int threads,
                    bool quiet);

}  // namespace varimesh::cli
