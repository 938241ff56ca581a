#include "varimesh/paper/judgement.h"

#include <fmt/format.h>

#include <algorithm>

namespace varimesh::paper {

void Range::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

std::string Range::words() const { return fmt::format("{:.2f} to {:.2f}", low, high); }

void judge(Claim& claim, const std::vector<Part>& parts) {
  int held = 0;
  for (const Part& part : parts) {
    held += int{part.holds};
    if (!part.holds) claim.why += (claim.why.empty() ? "" : " ") + part.otherwise;
  }
  claim.verdict = verdict_of(held, static_cast<int>(parts.size()));
}

}  // namespace varimesh::paper
