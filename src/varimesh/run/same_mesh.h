#pragma once

#include <string>

#include "varimesh/result/problem_record.h"

namespace varimesh::run {

/// How the cells, nodes and unknowns of two problems differ, in a clause; empty if they do not.
std::string mesh_difference(const result::ProblemRecord& a, const result::ProblemRecord& b);

/// The same, also of the sensors, what they measured, and the quantities: whether results can stand side by side.
std::string problem_difference(const result::ProblemRecord& a, const result::ProblemRecord& b);

}  // namespace varimesh::run
