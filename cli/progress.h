#pragma once

#include <string>
#include <vector>

#include "live_line.h"
#include "varimesh/run/infer.h"
#include "varimesh/stopwatch.h"

namespace varimesh::cli {

enum class Verbosity { quiet, normal, verbose };

/// Shows where a method is, on a LiveLine; verbose, every iteration.
class Progress {
 public:
  Progress(std::string name, Verbosity verbosity);

  /// A line that stays.
  void say(const std::string& words);
  void show(const run::InferenceProgress& progress);

 private:
  std::string describe(const run::InferenceProgress& progress);
  std::string describe_chains(const result::ChainProgress& chain, Index count);

  std::string name_;
  Verbosity verbosity_;
  LiveLine line_;
  Stopwatch stage_watch_;  ///< since the stage began
  Stopwatch last_watch_;   ///< since anything was heard
  std::string stage_;
  std::vector<result::ChainProgress> chains_;
};

}  // namespace varimesh::cli
