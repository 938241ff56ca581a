#pragma once

#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::cli {

/// What is off with results, a line each, on standard error.
void print_doubts(const std::vector<result::MethodRecord>& methods);

/// The results side by side, what is off with them, and how they compare.
void print_results(const result::ProblemRecord& problem, const std::vector<result::MethodRecord>& methods,
                   const std::vector<result::ComparisonRecord>& comparisons);

}  // namespace varimesh::cli
