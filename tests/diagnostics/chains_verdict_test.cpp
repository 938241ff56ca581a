#include "varimesh/diagnostics/chains_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "diagnostics/stored_draws.h"
#include "expect_input_error.h"

namespace varimesh::diagnostics {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

const double nan = std::nan("");

/// Diagnostics in which only convergence matters.
QuantityDiagnostics unknown(double rhat, double ess_bulk, double ess_tail) {
  return {.mean = 0,
          .sd = 1,
          .mcse_mean = 0,
          .mcse_sd = 0,
          .rhat = rhat,
          .ess_bulk = ess_bulk,
          .ess_tail = ess_tail,
          .q05 = 0,
          .median = 0,
          .q95 = 0};
}

const std::vector<QuantityDiagnostics> fine = {unknown(1.001, 900, 800), unknown(1.004, 700, 750)};

TEST(ChainsVerdict, SaysThatAllIsWell) {
  const ChainsVerdict verdict = judge(fine, 0, {0.9, 1.1, 0.8, 1.0});
  EXPECT_TRUE(verdict.is_good);
  EXPECT_THAT(verdict.sentences,
              ElementsAre("All is well: R-hat is at most 1.004, the effective sample sizes are at least 700 in the "
                          "bulk and 750 in the tails, and no transition diverged."));
  EXPECT_EQ(verdict.rhat.index, 1);
  EXPECT_EQ(verdict.ess_bulk.index, 1);
  EXPECT_EQ(verdict.e_bfmi.value, 0.8);
  EXPECT_EQ(verdict.e_bfmi.index, 2);
}

TEST(ChainsVerdict, NamesTheWorstUnknownAndWhatToDo) {
  const ChainsVerdict verdict =
      judge({unknown(1.02, 500, 390), unknown(1.3, 80, 200), unknown(1, 500, 500)}, 0, {nan, nan, nan, nan});
  EXPECT_FALSE(verdict.is_good);
  EXPECT_THAT(
      verdict.sentences,
      ElementsAre(StartsWith("R-hat is 1.300 for unknown 1, above 1.01: the chains do not agree yet. Run them longer"),
                  StartsWith("The bulk effective sample size is 80 for unknown 1, below 400 for 4 chains: means and "
                             "medians are not reliable. Draw about 5.0 times as many."),
                  StartsWith("The tail effective sample size is 200 for unknown 1, below 400 for 4 chains")));
  EXPECT_TRUE(std::isnan(verdict.e_bfmi.value));
  EXPECT_EQ(verdict.e_bfmi.index, -1);
}

TEST(ChainsVerdict, ShowsTheDigitsThatMatter) {
  EXPECT_THAT(judge({unknown(1.0103, 399.8, 500)}, 0, {1, 1, 1, 0.2996}).sentences,
              ElementsAre(StartsWith("R-hat is 1.0103 for unknown 0, above 1.01:"),
                          StartsWith("The bulk effective sample size is 399.8 for unknown 0, below 400 for"),
                          StartsWith("E-BFMI is 0.2996 in chain 3, below 0.3:")));
}

TEST(ChainsVerdict, AsksForAHundredEffectiveDrawsOfEachChain) {
  const std::vector<QuantityDiagnostics> unknowns = {unknown(1, 150, 150)};
  EXPECT_TRUE(judge(unknowns, 0, {1}).is_good);
  EXPECT_THAT(judge(unknowns, 0, {1, 1}).sentences[0], testing::HasSubstr("below 200 for 2 chains"));
}

TEST(ChainsVerdict, ReportsDivergencesAndTimidMomenta) {
  const ChainsVerdict verdict = judge(fine, 3, {0.9, 0.2, nan});
  EXPECT_THAT(verdict.sentences, ElementsAre(StartsWith("3 transitions diverged: "),
                                             StartsWith("E-BFMI is 0.20 in chain 1, below 0.3: ")));
  EXPECT_THAT(judge(fine, 1, {0.9}).sentences, ElementsAre(StartsWith("1 transition diverged: ")));
}

TEST(ChainsVerdict, DivergencesAreNothingThatMoreDrawsWouldMend) {
  EXPECT_TRUE(judge(fine, 0, {0.9}).has_converged);
  const ChainsVerdict diverged = judge(fine, 2, {0.9});
  EXPECT_TRUE(diverged.has_converged);
  EXPECT_FALSE(diverged.is_good);
  EXPECT_FALSE(judge({unknown(1, 90, 900)}, 0, {0.9}).has_converged);
  EXPECT_FALSE(judge({unknown(nan, nan, nan)}, 0, {0.9}).has_converged);
}

TEST(ChainsVerdict, IsNotGoodIfNothingCanBeSaid) {
  const ChainsVerdict verdict = judge({unknown(nan, nan, nan), unknown(1, 900, 900)}, 0, {1});
  EXPECT_FALSE(verdict.is_good);
  EXPECT_EQ(verdict.undetermined, 1);
  EXPECT_THAT(verdict.sentences, ElementsAre(StartsWith("Convergence cannot be judged for 1 of 2 unknowns, ")));
  const ChainsVerdict stuck = judge({unknown(std::numeric_limits<double>::infinity(), 4, 4)}, 0, {1, 1});
  EXPECT_THAT(stuck.sentences[0], StartsWith("R-hat is inf for unknown 0"));
  EXPECT_INPUT_ERROR(judge({}, 0, {1}), "expected diagnostics of an unknown and of a chain at least, found 0 and 1");
}

TEST(ChainsVerdict, UnknownTailsAreNotGood) {
  // Five percent of the draws at the largest value, as a chain has that is stuck there: the quantile is not known.
  const ChainsVerdict verdict = judge({unknown(1, 900, nan)}, 0, {1});
  EXPECT_FALSE(verdict.is_good);
  EXPECT_EQ(verdict.undetermined, 1);
}

}  // namespace
}  // namespace varimesh::diagnostics
