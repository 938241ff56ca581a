#pragma once

#include <string>

#include "varimesh/result/problem_record.h"

namespace varimesh::run {

/// How the cells, nodes and unknowns of two problems differ, in a clause; empty if they do not.
std::string mesh_difference(const result::ProblemRecord& a, const result::ProblemRecord& b);

/// The same, also of the sensors, what they measured, and the quantities: whether results can stand side by side.
std::string problem_difference(const result::ProblemRecord& a, const result::ProblemRecord& b);

/// What differs between problems whose results can stand side by side, by the results' names: a sentence each on
/// equation, prior and noise, where not all are the same; then the problem's own words, which are those of the first,
/// become these sentences.
std::vector<std::string> name_differences(const std::vector<std::string>& names,
                                          const std::vector<result::ProblemWords>& words,
                                          result::ProblemRecord& problem);

}  // namespace varimesh::run
