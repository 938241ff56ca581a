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
  Index sensors = 0;              ///< evenly spaced, if not all
};

/// As precise as a small file allows, and coarser the more there is to hold, so that the page is open in a moment and
/// can be mailed: below 15 MB for the meshes of ReportMaps and up to ten methods or so.
ReportSize choose_report_size(const result::ProblemRecord& problem,
                              const std::vector<const result::MethodRecord*>& methods);

}  // namespace varimesh::io
