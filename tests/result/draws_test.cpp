#include "varimesh/result/draws.h"

#include <gtest/gtest.h>

#include <memory>

#include "../expect_input_error.h"

namespace varimesh::result {
namespace {

/// Draw d of chain c: unknown i is 1000 c + 10 d + i, statistic s is -(1000 c + 10 d + s).
std::shared_ptr<const ChainDraws> numbered_chain(Index c, Index draws, Index unknowns) {
  std::vector<double> records;
  for (Index d = 0; d < draws; ++d) {
    for (Index i = 0; i < unknowns; ++i) records.push_back(1000 * c + 10 * d + i);
    for (Index s = 0; s < num_statistics; ++s) records.push_back(-(1000 * c + 10 * d + s));
  }
  return std::make_shared<MemoryDraws>(std::move(records));
}

Draws numbered_draws() { return {3, {numbered_chain(0, 200, 3), numbered_chain(1, 150, 3)}}; }

TEST(Draws, ChainsAreViewsOfOneDrawAColumn) {
  const Draws draws = numbered_draws();
  EXPECT_EQ(draws.size(), 3);
  EXPECT_EQ(draws.num_chains(), 2);
  EXPECT_EQ(draws.num_draws(0), 200);
  EXPECT_EQ(draws.num_draws(), 150);
  EXPECT_EQ(draws.chain(0).cols(), 200);
  EXPECT_EQ(draws.chain(1).col(149), Vector({{2490, 2491, 2492}}));
}

TEST(Draws, SeriesAndStatisticsAreOfTheShortestChain) {
  const Draws draws = numbered_draws();
  const Matrix depth = draws.statistic(Statistic::depth);
  ASSERT_EQ(depth.rows(), 150);
  EXPECT_EQ(depth(7, 1), -1075);
  const std::vector<Matrix> series = draws.series(1, 2);
  ASSERT_EQ(series.size(), 2);
  for (Index i = 0; i < 2; ++i) {
    for (Index c = 0; c < 2; ++c) EXPECT_EQ(series[i].col(c), draws.chain(c).row(1 + i).head(150).transpose());
  }
  EXPECT_TRUE(draws.series(3, 0).empty());
  EXPECT_INPUT_ERROR(draws.series(2, 2), "expected unknowns from 0 to 2, found 2 from 2");
  EXPECT_INPUT_ERROR(draws.series(-1, 2), "expected unknowns from 0 to 2, found 2 from -1");
}

TEST(Draws, SpreadTakesEvenlySpacedDrawsOfAllChains) {
  const Draws draws = numbered_draws();
  EXPECT_EQ(draws.spread(7).row(0).transpose(), Vector({{250, 750, 1250, 1750, 1250, 1750, 2250}}));
  EXPECT_EQ(draws.spread(350).leftCols(200), draws.chain(0));
  EXPECT_EQ(draws.spread(1000).cols(), 350);
  EXPECT_EQ(draws.spread(0).cols(), 0);
}

TEST(Draws, MayBeEmpty) {
  const Draws none;
  EXPECT_EQ(none.num_draws(), 0);
  const Draws begun(2, {std::make_shared<MemoryDraws>(), numbered_chain(0, 3, 2)});
  EXPECT_EQ(begun.num_draws(), 0);
  EXPECT_EQ(begun.chain(0).cols(), 0);
  EXPECT_EQ(begun.statistic(Statistic::energy).rows(), 0);
  EXPECT_EQ(begun.spread(10).cols(), 3);
}

TEST(Draws, RecordsOfAnotherLengthAreRefused) {
  EXPECT_INPUT_ERROR(Draws(4, {numbered_chain(0, 2, 3)}),
                     "expected records of 11 numbers in chain 0, found 20 numbers in all");
  EXPECT_INPUT_ERROR(Draws(0, {}), "expected draws of 1 or more unknowns, found 0");
}

}  // namespace
}  // namespace varimesh::result
