#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// A number worth a glance.
struct ReportFact {
  std::string label;
  std::variant<double, std::string> value;
};

/// "triangles"; but nobody calls the cells of an interval lines.
std::string_view cells_of(const mesh::Mesh& mesh);

/// Cells, unknowns, sensors, measurements and noise.
std::vector<ReportFact> report_facts(const result::ProblemRecord& problem);

/// Two or three sentences: what was inferred from what by which methods, and what the first of them says.
std::string report_summary(const result::ProblemRecord& problem,
                           const std::vector<const result::MethodRecord*>& methods);

}  // namespace varimesh::io
