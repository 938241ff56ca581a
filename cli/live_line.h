#pragma once

#include <string>

#include "varimesh/stopwatch.h"

namespace varimesh::cli {

/// Says on standard error where long work is: one line that is replaced on a terminal, else a plain line every ten
/// seconds. On a terminal the line is wiped when done.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  /// Shows the line if it is time to.
  void show(const std::string& line);
  /// Prints a line that stays.
  void print(const std::string& line);
  /// Since the beginning.
  double seconds() const { return watch_.seconds(); }

 private:
  bool live_;
  Stopwatch watch_;
  double shown_ = -1;  ///< seconds when something was shown last
};

}  // namespace varimesh::cli
