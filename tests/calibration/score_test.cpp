#include "varimesh/calibration/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/random.h"

namespace varimesh::calibration {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Score, CountsDrawsBelowTheTruth) {
  const Matrix draws = Vector::LinSpaced(99, 1, 99);
  const QuantityScore found = score(draws, DrawKind::independent, 90.5);
  EXPECT_EQ(found.rank, 90);
  EXPECT_EQ(found.of, 99);
  EXPECT_DOUBLE_EQ(found.place, 0.905);
  EXPECT_DOUBLE_EQ(found.mean, 50);
  EXPECT_DOUBLE_EQ(found.z(), (90.5 - 50) / found.sd);
  EXPECT_FALSE(found.covered(0.5));
  EXPECT_TRUE(found.covered(0.9));
}

TEST(Score, IntervalsHoldTheirShareOfTheGapsBetweenDraws) {
  const Matrix draws = Vector::LinSpaced(999, 1, 999);
  for (const double level : levels) {
    int covered = 0;
    for (int gap = 0; gap < 1000; ++gap)
      covered += score(draws, DrawKind::independent, gap + 0.5).covered(level) ? 1 : 0;
    EXPECT_EQ(covered, std::lround(1000 * level));
  }
}

TEST(Score, OfTooFewDrawsRanksAmongThoseThereAre) {
  EXPECT_EQ(score(Vector::LinSpaced(20, 1, 20), DrawKind::independent, 3.5).of, 20);
}

TEST(Score, LeavesOutDrawsAtWhichTheModelFails) {
  Vector draws = Vector::LinSpaced(50, 1, 50);
  draws[10] = nan;
  const QuantityScore found = score(draws, DrawKind::independent, 20.5);
  EXPECT_EQ(found.of, 49);
  EXPECT_EQ(found.rank, 19);
}

TEST(Score, HasNoRankWhereNothingVariesOrNothingIsKnown) {
  EXPECT_FALSE(score(Vector::Constant(50, 2), DrawKind::independent, 2).has_rank());
  EXPECT_TRUE(std::isnan(score(Vector::Constant(50, 2), DrawKind::independent, 2).place));
  EXPECT_FALSE(score(Vector::LinSpaced(50, 1, 2), DrawKind::independent, nan).has_rank());
  EXPECT_FALSE(score(Vector::Constant(50, nan), DrawKind::independent, 1).has_rank());
}

TEST(Score, ThinsChainsToTwoAutocorrelationTimes) {
  Random random(3);
  Matrix chains(500, 2);
  for (Index c = 0; c < 2; ++c) {
    double x = random.normal();
    for (Index s = 0; s < 500; ++s) chains(s, c) = x = 0.95 * x + std::sqrt(1 - 0.95 * 0.95) * random.normal();
  }
  const double ess = std::min(diagnostics::ess_bulk(chains), diagnostics::ess_tail(chains));
  ASSERT_LT(ess, 2 * rank_draws);
  const QuantityScore found = score(chains, DrawKind::chains, 0.1);
  EXPECT_EQ(found.of, static_cast<Index>(ess / 2));
  EXPECT_EQ(score(chains, DrawKind::independent, 0.1).of, rank_draws);
  EXPECT_FALSE(score(chains.topRows(5), DrawKind::chains, 0.1).has_rank());  // too few for an effective sample size
}

}  // namespace
}  // namespace varimesh::calibration
