#include "varimesh/calibration/rank_test.h"

#include <algorithm>

namespace varimesh::calibration {

RankTest::RankTest(Index count, Index points)
    : count_(count), points_(points), binomial_(count), lower_(count + 1, points), upper_(count + 1, points) {
  for (Index j = 0; j < points; ++j) {
    const double z = (j + 1.0) / (points + 1.0);
    double below = 0;
    for (Index k = 0; k <= count; ++k) lower_(k, j) = below += binomial_.density(k, count, z);
  }
  // P(X >= k) at z is P(X <= n - k) at 1 - z: equal to the last bit, so that bands are symmetric.
  upper_ = lower_.reverse();
}

RankBand RankTest::band_of(double gamma) const {
  RankBand band{gamma, std::vector<Index>(static_cast<std::size_t>(points_)),
                std::vector<Index>(static_cast<std::size_t>(points_))};
  for (Index j = 0; j < points_; ++j) {
    Index low = 0, high = count_;
    while (low < count_ && lower_(low, j) <= gamma / 2) ++low;
    while (high > 0 && upper_(high, j) <= gamma / 2) --high;
    band.low[static_cast<std::size_t>(j)] = low;
    band.high[static_cast<std::size_t>(j)] = high;
  }
  return band;
}

double RankTest::probability_inside(const RankBand& band) const {
  std::vector<double> now = {1};  // the probability of k = first, first + 1, ... below the last point, all inside
  Index first = 0;
  for (Index j = 0; j < points_; ++j) {
    const Index low = band.low[static_cast<std::size_t>(j)], high = band.high[static_cast<std::size_t>(j)];
    if (high < low) return 0;
    const double p = 1.0 / (points_ + 1 - j);  // (z' - z) / (1 - z)
    std::vector<double> next(static_cast<std::size_t>(high - low) + 1, 0.0);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Index k = first + static_cast<Index>(i);
      for (Index m = std::max(low, k); m <= high; ++m)
        next[static_cast<std::size_t>(m - low)] += now[i] * binomial_.density(m - k, count_ - k, p);
    }
    now = std::move(next);
    first = low;
  }
  double sum = 0;
  for (const double probability : now) sum += probability;
  return sum;
}

RankBand RankTest::band(double level) const {
  // Inside gets less likely as gamma grows, in steps.
  double low = 0, high = 1;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (probability_inside(band_of(middle)) >= level ? low : high) = middle;
  }
  return band_of(low);
}

double RankTest::p_value(const std::vector<Index>& counts) const {
  double tail = 1;
  for (Index j = 0; j < points_; ++j) {
    const Index k = counts[static_cast<std::size_t>(j)];
    tail = std::min({tail, lower_(k, j), upper_(k, j)});
  }
  return std::clamp(1 - probability_inside(band_of(2 * tail)), 0.0, 1.0);
}

std::vector<Index> RankTest::counts(const std::vector<double>& numbers) const {
  std::vector<Index> result(static_cast<std::size_t>(points_));
  for (Index j = 0; j < points_; ++j) {
    const double z = (j + 1.0) / (points_ + 1.0);
    result[static_cast<std::size_t>(j)] =
        static_cast<Index>(std::ranges::count_if(numbers, [&](double u) { return u < z; }));
  }
  return result;
}

}  // namespace varimesh::calibration
