#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/run/override.h"

namespace varimesh::cli {

/// "key=value" as overrides. Throws InputError for what has no key or no '='.
std::vector<run::Override> parse_overrides(const std::vector<std::string>& texts);

/// As many as there are cores, if none are asked for.
int choose_threads(int asked);

/// Compares methods, writes the report (unless no method has an answer), and prints the table (unless quiet).
void finish_results(const std::filesystem::path& report, const result::ProblemRecord& problem,
                    const std::vector<result::MethodRecord>& methods, const std::string& command, int threads,
                    bool quiet);

}  // namespace varimesh::cli
