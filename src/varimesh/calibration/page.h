#pragma once

#include <string>

#include "varimesh/calibration/calibration_file.h"
#include "varimesh/io/report.h"

namespace varimesh::calibration {

/// calibration.html: a self-contained page with the conclusion, pictures of ranks and coverage, and tables.
std::string format_page(const Calibration& calibration, const CalibrationOrigin& origin,
                        const io::ReportOrigin& generator);

}  // namespace varimesh::calibration
