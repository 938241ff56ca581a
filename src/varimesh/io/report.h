#pragma once

#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// Who made a report, when, and with which command, as it should be shown.
struct ReportOrigin {
  std::string version, date, command;
};

/// report.html: a self-contained page on one problem and what several methods say of it (docs/report-data.md). Methods
/// without an answer are left out; at least one must have one.
std::string format_report(const result::ProblemRecord& problem, const std::vector<result::MethodRecord>& methods,
                          const std::vector<result::ComparisonRecord>& comparisons, const ReportOrigin& origin);

}  // namespace varimesh::io
