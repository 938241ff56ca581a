#pragma once

#include <vector>

#include "varimesh/io/packed_numbers.h"
#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// How much of the methods' answers a report holds.
struct ReportSize {
  Packing fields = Packing::f64;  ///< of kappa and u
  Index picture = 512;            ///< rows, at most, of the pictures of precision matrices
  Index draws = 0;                ///< of each method, at most
};

/// As precise as a small file allows, and coarser the more there is to hold: browsers are slow with files of more than
/// 20 MB, and mail programs refuse them.
ReportSize choose_report_size(const result::ProblemRecord& problem,
                              const std::vector<const result::MethodRecord*>& methods);

}  // namespace varimesh::io
