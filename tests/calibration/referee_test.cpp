#include "varimesh/calibration/referee.h"

#include <gtest/gtest.h>

#include "varimesh/calibration/summary.h"

namespace varimesh::calibration {
namespace {

using Level = result::TrustItem::Level;

MethodScore answer(const char* method, double mean, double sd, Level trust = Level::good) {
  MethodScore score;
  score.method = method;
  score.has_answer = true;
  score.trust = trust;
  score.quantities = {{.truth = 0, .mean = mean, .sd = sd, .place = 0.5, .rank = 49, .of = 99}};
  return score;
}

TEST(Referee, IsNutsElseHmcElseNobody) {
  const auto repeat = [](const char* first, const char* second) {
    return std::vector<Repeat>{{0, {answer(first, 0, 1), answer(second, 0, 1)}}};
  };
  EXPECT_EQ(find_referee(repeat("hmc", "nuts")), 1u);
  EXPECT_EQ(find_referee(repeat("hmc", "fcvb")), 0u);
  EXPECT_FALSE(find_referee(repeat("laplace", "fcvb")));
  EXPECT_FALSE(find_referee({}));
}

TEST(Referee, FindsAnswersCloseUpToTheStatedShiftAndRatio) {
  const MethodScore exact = answer("nuts", 1, 2);
  EXPECT_TRUE(is_close(answer("fcvb", 1.59, 2), exact));
  EXPECT_FALSE(is_close(answer("fcvb", 1.61, 2), exact));
  EXPECT_TRUE(is_close(answer("fcvb", 1, 2.59), exact));
  EXPECT_FALSE(is_close(answer("fcvb", 1, 2.61), exact));
  EXPECT_FALSE(is_close(answer("fcvb", 1, 2 / 1.31), exact));
  EXPECT_FALSE(is_close(answer("fcvb", 1, std::nan("")), exact));
}

TEST(Calibration, CountsHowOftenEachVerdictAgreesWithTheReferee) {
  // Good three times, once wrongly so; bad once, although it agrees; once the referee itself cannot judge.
  const std::vector<Repeat> repeats = {
      {0, {answer("fcvb", 0, 1), answer("nuts", 0, 1)}},
      {1, {answer("fcvb", 0, 0.5), answer("nuts", 0, 1)}},
      {2, {answer("fcvb", 0, 1, Level::bad), answer("nuts", 0.1, 1)}},
      {3, {answer("fcvb", 5, 1), answer("nuts", 0, 1, Level::bad)}},
  };
  const Calibration result = summarize({{"flux", ""}}, {"FCVB", "NUTS"}, 1, repeats);
  EXPECT_EQ(result.referee, "NUTS");
  const auto& trust = result.methods[0].trust;
  EXPECT_EQ(trust[0].repeats, 3);
  EXPECT_EQ(trust[0].close.count, 2);
  EXPECT_EQ(trust[0].close.inside, 1);
  EXPECT_EQ(trust[2].close.count, 1);
  EXPECT_EQ(trust[2].close.inside, 1);
  // Nobody judges the referee.
  EXPECT_EQ(result.methods[1].trust[0].close.count, 0);
}

}  // namespace
}  // namespace varimesh::calibration
