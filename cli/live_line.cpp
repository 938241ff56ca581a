#include "live_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "output.h"

namespace varimesh::cli {
namespace {

constexpr double live_every = 0.1, plain_every = 10;  // seconds

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

LiveLine::LiveLine() : live_(isatty(STDERR_FILENO) != 0) {}

LiveLine::~LiveLine() {
  if (live_ && shown_ >= 0) std::fputs("\r\033[K", stderr);
}

void LiveLine::show(const std::string& line) {
  const double now = watch_.seconds();
  if (shown_ >= 0 && now - shown_ < (live_ ? live_every : plain_every)) return;
  if (!live_ && shown_ < 0 && now < plain_every) {
    shown_ = 0;  // what is done before the first line is due needs none
    return;
  }
  shown_ = now;
  if (live_) {
    std::fputs("\r\033[K", stderr);
    print_error("{}", line.substr(0, terminal_width() - 1));
  } else {
    print_error("{}\n", line);
  }
  std::fflush(stderr);
}

void LiveLine::print(const std::string& line) {
  if (live_) std::fputs("\r\033[K", stderr);
  print_error("{}\n", line);
  shown_ = watch_.seconds();
}

}  // namespace varimesh::cli
