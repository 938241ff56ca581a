#include "varimesh/paper/judgement.h"

#include <fmt/format.h>

#include <algorithm>

namespace varimesh::paper {

void Range::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

std::string Range::words() const { return fmt::format("{:.2f} to {:.2f}", low, high); }

}  // namespace varimesh::paper
