#pragma once

#include "varimesh/result/problem_record.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// What was inferred from what, in words and numbers, for results.
result::ProblemRecord record_problem(const Config& config, const Problem& problem);

}  // namespace varimesh::run
