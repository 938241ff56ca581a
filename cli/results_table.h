#pragma once

#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::cli {

/// The results side by side, what is off with them, and how they compare.
void print_results(const result::ProblemRecord& problem, const std::vector<result::MethodRecord>& methods,
                   const std::vector<result::ComparisonRecord>& comparisons);

}  // namespace varimesh::cli
