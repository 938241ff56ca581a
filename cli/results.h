#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/override.h"
#include "varimesh/run/run_methods.h"

namespace varimesh::cli {

/// Says on standard error what was done with a problem's files that their owner may not expect.
void print_notes(const run::Problem& problem);

/// "key=value" as overrides. Throws InputError for what has no key or no '='.
std::vector<run::Override> parse_overrides(const std::vector<std::string>& texts);

/// As many as there are cores, if none are asked for.
int choose_threads(int asked);

/// Where results of a problem go unless told: beside its file, named after it.
std::filesystem::path beside(const std::filesystem::path& problem, const std::string& suffix);

/// Prints what several answers come to, and where the files are; quiet, only problems.
void print_conclusion(const std::filesystem::path& directory, const result::ProblemRecord& problem,
                      const std::vector<result::MethodRecord>& methods, const run::Conclusion& conclusion, bool quiet);

}  // namespace varimesh::cli
