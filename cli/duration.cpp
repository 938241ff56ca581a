#include "duration.h"

#include <fmt/format.h>

#include <cmath>

namespace varimesh::cli {

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 0.1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  const long long whole = std::llround(std::min(seconds, 1e12));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace varimesh::cli
