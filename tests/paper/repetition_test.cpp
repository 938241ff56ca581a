#include "varimesh/paper/repetition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace varimesh::paper {
namespace {

TEST(Repetition, KeepsShiftsRatiosAndCoverage) {
  result::ProblemRecord problem;
  problem.truth = result::Truth{Vector::Constant(4, 1.0), Vector(), Vector()};
  result::MethodRecord referee, method;
  referee.kappa.mean = Vector::Zero(4);
  referee.kappa.sd = Vector::Constant(4, 2.0);
  referee.kappa_error = referee.u_error = result::Estimate{1.0, 0.0};
  method = referee;
  method.method = "fcvb";
  method.kappa.mean << 0, 0, 0, 3;
  method.kappa.sd << 1, 0.4, 2, 4;
  const Repetition numbers = summarize(problem, method, referee);
  EXPECT_EQ(numbers.method, "fcvb");
  EXPECT_EQ(numbers.largest_shift, 1.5);
  EXPECT_EQ(numbers.least_ratio, 0.2);
  EXPECT_EQ(numbers.median_ratio, 0.75);  // of 0.2, 0.5, 1 and 2
  EXPECT_EQ(numbers.largest_ratio, 2);
  EXPECT_EQ(numbers.coverage, 0.75);  // the second is 2.5 sds off
  EXPECT_EQ(numbers.ess, 0);
}

TEST(Repetition, SurvivesAFileOfTheSameKeyOnly) {
  Repetition first, second;
  first.method = "hmc";
  first.kappa_error = 1.0 / 3;
  second.method = "pcn";
  second.rhat = std::nan("");
  const std::string text = format_repetitions("key", {first, second});
  const std::vector<Repetition> read = parse_repetitions(text, "key");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].method, "hmc");
  EXPECT_EQ(read[0].kappa_error, first.kappa_error);
  EXPECT_TRUE(std::isnan(read[1].rhat));
  EXPECT_TRUE(parse_repetitions(text, "another key").empty());
  EXPECT_TRUE(parse_repetitions(text.substr(0, text.size() / 2), "key").empty());
  EXPECT_TRUE(parse_repetitions("[]", "key").empty());
}

TEST(Repetition, QuantilesInterpolate) {
  EXPECT_EQ(quantile({3}, 0.5), 3);
  EXPECT_EQ(quantile({4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_EQ(quantile({1, 2}, 1), 2);
}

}  // namespace
}  // namespace varimesh::paper
