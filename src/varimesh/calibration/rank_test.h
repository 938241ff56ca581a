#pragma once

#include <vector>

#include "varimesh/calibration/binomial.h"
#include "varimesh/types.h"

namespace varimesh::calibration {

/// How many numbers may lie below each evaluation point while they still look uniform.
struct RankBand {
  double gamma = 0;  ///< each point alone is left with probability gamma at most
  std::vector<Index> low, high;
};

/// Whether numbers are uniform on (0, 1), by their empirical distribution function at the points j / (K + 1), j = 1 ..
/// K, at all of them at once (Sailynoja, Buerkner and Vehtari, Statistics and Computing 32, 2022). How many of N
/// numbers lie below z is binomial at one z; from z to z' it grows by Binomial(N - k, (z' - z) / (1 - z)), k being
/// those below z, which gives the probability of staying in a band at all points exactly.
class RankTest {
 public:
  /// Of `count` numbers, at K `points`; both are at least one.
  RankTest(Index count, Index points);

  /// The narrowest band that uniform numbers keep to at all points with probability `level` at least.
  RankBand band(double level) const;

  /// The probability that uniform numbers leave the middle as far, at some point, as these counts do: below 1 - level
  /// where they leave the band of that level.
  double p_value(const std::vector<Index>& counts) const;

  /// How many of so many numbers lie below each point.
  std::vector<Index> counts(const std::vector<double>& numbers) const;

 private:
  /// Counts for which neither tail is gamma / 2 or less.
  RankBand band_of(double gamma) const;
  double probability_inside(const RankBand& band) const;

  Index count_, points_;
  Binomial binomial_;
  Matrix lower_, upper_;  ///< P(X <= k) and P(X >= k), a column for each point
};

}  // namespace varimesh::calibration
