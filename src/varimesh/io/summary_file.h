#pragma once

#include <string>
#include <string_view>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"
#include "varimesh/result/problem_sizes.h"

namespace varimesh::io {

/// summary.json (docs/results.md has its schema): everything about a result that is not an array over cells, nodes,
/// sensors or draws.
std::string format_summary(const result::ProblemRecord& problem, const result::MethodRecord& method);

/// Reads it back into the records, whose arrays (mesh, truth and densities too) stay as they are, and says how large
/// these are. InputErrors name the source and the key.
result::ProblemSizes parse_summary(std::string_view text, std::string_view source, result::ProblemRecord& problem,
                                   result::MethodRecord& method);

}  // namespace varimesh::io
