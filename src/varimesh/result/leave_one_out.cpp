#include "varimesh/result/leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace varimesh::result {

Estimate LeaveOneOut::total_elpd() const {
  // standard error = sqrt(m) times the sd of the sensors' own
  const auto m = static_cast<double>(elpd.size());
  if (elpd.size() < 2) return {elpd.sum(), 0};
  const double variance = (elpd.array() - elpd.mean()).square().sum() / (m - 1);
  return {elpd.sum(), std::sqrt(m * variance)};
}

std::vector<Index> LeaveOneOut::by_residual() const {
  std::vector<Index> order(static_cast<std::size_t>(residual.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto size = [&](Index i) { return std::isnan(residual[i]) ? -1 : std::abs(residual[i]); };
  std::ranges::stable_sort(order, [&](Index a, Index b) { return size(a) > size(b); });
  return order;
}

}  // namespace varimesh::result
