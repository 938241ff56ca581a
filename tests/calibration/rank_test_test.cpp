#include "varimesh/calibration/rank_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "varimesh/random.h"

namespace varimesh::calibration {
namespace {

std::vector<double> uniform_numbers(Index count, Random& random) {
  std::vector<double> numbers;
  for (Index k = 0; k < count; ++k) numbers.push_back(random.uniform());
  return numbers;
}

bool inside(const RankBand& band, const std::vector<Index>& counts) {
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j] < band.low[j] || counts[j] > band.high[j]) return false;
  }
  return true;
}

struct Size {
  Index count, points;
};

class Bands : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Bands, testing::Values(Size{10, 99}, Size{50, 19}, Size{100, 99}, Size{200, 9}),
                         [](const auto& size) {
                           return std::to_string(size.param.count) + "at" + std::to_string(size.param.points);
                         });

TEST_P(Bands, HoldUniformNumbersAsOftenAsTheySayByBruteForce) {
  const auto [count, points] = GetParam();
  const RankTest test(count, points);
  constexpr int simulations = 4000;
  for (const double level : {0.8, 0.95}) {
    const RankBand band = test.band(level);
    Random random(5);
    int held = 0;
    for (int s = 0; s < simulations; ++s) held += inside(band, test.counts(uniform_numbers(count, random))) ? 1 : 0;
    const double share = static_cast<double>(held) / simulations;
    const double error = std::sqrt(level * (1 - level) / simulations);
    // Counts are integers: no band has exactly this level, and the narrowest that has it at least may have more.
    EXPECT_GT(share, level - 4 * error);
    EXPECT_LT(share, level + 4 * error + 0.5 * (1 - level));
  }
}

TEST_P(Bands, AreLeftExactlyByThoseWithASmallPValue) {
  const auto [count, points] = GetParam();
  const RankTest test(count, points);
  const RankBand band = test.band(0.95);
  Random random(6);
  for (int s = 0; s < 300; ++s) {
    std::vector<double> numbers = uniform_numbers(count, random);
    if (s % 2 == 0) {
      for (double& u : numbers) u = std::pow(u, 1.4);  // some that are not uniform
    }
    const std::vector<Index> counts = test.counts(numbers);
    EXPECT_EQ(inside(band, counts), test.p_value(counts) > 0.05) << s;
  }
}

TEST_P(Bands, PValuesOfUniformNumbersAreSmallAsOftenAsTheySay) {
  const auto [count, points] = GetParam();
  const RankTest test(count, points);
  constexpr int simulations = 2000;
  Random random(7);
  int small = 0;
  for (int s = 0; s < simulations; ++s)
    small += test.p_value(test.counts(uniform_numbers(count, random))) <= 0.2 ? 1 : 0;
  const double error = std::sqrt(0.2 * 0.8 / simulations);
  EXPECT_LT(static_cast<double>(small) / simulations, 0.2 + 4 * error);
  EXPECT_GT(static_cast<double>(small) / simulations, 0.1);  // not idle
}

TEST(RankTest, TheEdgeOfABandIsJustInside) {
  for (const Index count : {100, 1000}) {
    const RankTest test(count, 99);
    const RankBand band = test.band(0.95);
    EXPECT_GT(test.p_value(band.low), 0.05);
    EXPECT_GT(test.p_value(band.high), 0.05);
    std::vector<Index> outside = band.low;
    --outside[49];
    EXPECT_LE(test.p_value(outside), 0.05);
    for (std::size_t j = 0; j < 99; ++j) EXPECT_EQ(band.low[j], count - band.high[98 - j]);
  }
}

TEST(RankTest, BandAtOnePointIsTheBinomialInterval) {
  // X ~ Binomial(100, 1/2): P(X <= 39) = 0.0176, P(X <= 40) = 0.0284
  const RankBand band = RankTest(100, 1).band(0.95);
  EXPECT_EQ(band.low[0], 40);
  EXPECT_EQ(band.high[0], 60);
}

TEST(RankTest, FindsNumbersThatPileUpAtTheEnds) {
  const RankTest test(100, 99);
  std::vector<double> even, ends;
  for (int k = 0; k < 100; ++k) {
    even.push_back((k + 0.5) / 100);
    ends.push_back(0.5 + 0.5 * std::sin((even.back() - 0.5) * 3.14159));
  }
  EXPECT_GT(test.p_value(test.counts(even)), 0.99);
  EXPECT_LT(test.p_value(test.counts(ends)), 0.05);
}

}  // namespace
}  // namespace varimesh::calibration
