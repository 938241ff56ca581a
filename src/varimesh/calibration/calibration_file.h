#pragma once

#include <string>

#include "varimesh/calibration/summary.h"

namespace varimesh::calibration {

/// What was calibrated, for files and pages.
struct CalibrationOrigin {
  std::string title;        ///< of the problem
  std::string problem;      ///< in words: the mesh, the sensors, the noise and the prior
  std::string fingerprint;  ///< as of the experiment
  ExperimentOptions options;
};

CalibrationOrigin describe_origin(const Experiment& experiment);

/// calibration.json (docs/results.md).
std::string format_calibration(const Calibration& calibration, const CalibrationOrigin& origin);

}  // namespace varimesh::calibration
