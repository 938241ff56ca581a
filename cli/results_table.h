#pragma once

#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::cli {

/// Rows of as many cells as the first, in columns as wide as they need.
void print_table(const std::vector<std::vector<std::string>>& rows);

/// Problems of results, a line each, on standard error.
void print_doubts(const std::vector<result::MethodRecord>& methods);

/// The results side by side, their problems, and how they compare.
void print_results(const result::ProblemRecord& problem, const std::vector<result::MethodRecord>& methods,
                   const std::vector<result::ComparisonRecord>& comparisons);

}  // namespace varimesh::cli
