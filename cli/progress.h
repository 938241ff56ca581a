#pragma once

#include <string>
#include <vector>

#include "varimesh/run/infer.h"
#include "varimesh/stopwatch.h"

namespace varimesh::cli {

enum class Verbosity { quiet, normal, verbose };

/// Shows on standard error where a method is: one live line on a terminal, else a plain line every ten seconds;
/// verbose, every iteration.
class Progress {
 public:
  Progress(std::string name, Verbosity verbosity);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const run::InferenceProgress& progress);

 private:
  std::string describe(const run::InferenceProgress& progress);
  std::string describe_chains(const result::ChainProgress& chain, Index count);

  std::string name_;
  Verbosity verbosity_;
  bool live_;
  Stopwatch watch_, stage_watch_;
  std::string stage_;
  double shown_ = -1;  ///< seconds when something was shown last
  std::vector<result::ChainProgress> chains_;
};

}  // namespace varimesh::cli
