#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "varimesh/calibration/experiment.h"

namespace varimesh::calibration {

struct CalibrateOptions {
  Index repeats = 100;
  int threads = 1;                  ///< each repeat takes one
  std::filesystem::path directory;  ///< of the file that finished repeats go to
  bool resume = false;              ///< keep those that are there
};

/// Where a calibration is.
struct CalibrateProgress {
  Index done = 0, total = 0;  ///< repeats
  double seconds_left = 0;    ///< estimated; NaN before the first repeat is done
};

/// Called now and then, by one thread at a time; the calibration stops soon after it returns false.
using CalibrateObserver = std::function<bool(const CalibrateProgress&)>;

/// The name of the file of finished repeats.
constexpr const char* repeats_file = "repeats.jsonl";

/// The experiment's repeats, by number: all that were asked for, or those that were finished when the observer said
/// stop. Numbers but for seconds do not depend on threads, nor on stops in between.
std::vector<Repeat> calibrate(const Experiment& experiment, const CalibrateOptions& options,
                              const CalibrateObserver& observer = {});

}  // namespace varimesh::calibration
