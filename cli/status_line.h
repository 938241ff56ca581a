#pragma once

#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "output.h"

namespace varimesh::cli {

/// Says on a terminal's standard error what is going on, and wipes it when done. Silent when standard error is no
/// terminal.
class StatusLine {
 public:
  explicit StatusLine(std::string_view doing) : active_(isatty(STDERR_FILENO) != 0) {
    if (active_) {
      print_error("{} ...", doing);
      std::fflush(stderr);
    }
  }
  ~StatusLine() {
    if (active_) std::fputs("\r\033[K", stderr);
  }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

 private:
  bool active_;
};

}  // namespace varimesh::cli
