#include "varimesh/calibration/referee.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace varimesh::calibration {

std::optional<std::size_t> find_referee(const std::vector<Repeat>& repeats) {
  if (repeats.empty()) return std::nullopt;
  const std::vector<MethodScore>& methods = repeats.front().methods;
  for (const std::string_view method : {"nuts", "hmc"}) {
    const auto found = std::ranges::find(methods, method, &MethodScore::method);
    if (found != methods.end()) return static_cast<std::size_t>(found - methods.begin());
  }
  return std::nullopt;
}

bool can_judge(const MethodScore& referee) {
  return referee.has_answer && referee.trust != result::TrustItem::Level::bad;
}

bool is_close(const MethodScore& answer, const MethodScore& referee) {
  constexpr double most_shift = 0.3, most_ratio = 1.3;
  for (std::size_t q = 0; q < answer.quantities.size(); ++q) {
    const QuantityScore &own = answer.quantities[q], &exact = referee.quantities[q];
    if (!std::isfinite(exact.place)) continue;  // the same for every draw
    const double shift = std::abs(own.mean - exact.mean) / exact.sd, ratio = own.sd / exact.sd;
    if (!(shift <= most_shift && std::max(ratio, 1 / ratio) <= most_ratio)) return false;
  }
  return true;
}

}  // namespace varimesh::calibration
