#include "varimesh/result/trust_item.h"

#include <gtest/gtest.h>

namespace varimesh::result {
namespace {

using Level = TrustItem::Level;

TrustItem finding(Level level, const char* headline, const char* quantity = "") {
  return {level, headline, "", "", TrustItem::Kind::convergence, quantity};
}

TEST(Verdict, SaysForWhatAnAnswerCanBeUsed) {
  EXPECT_EQ(verdict({}, {"left"}), "Nothing was checked.");
  const TrustItem good = finding(Level::good, "The chains have converged.");
  EXPECT_EQ(verdict({good}, {}), "The answer can be used, for the field.");
  EXPECT_EQ(verdict({good}, {"left", "right"}), "The answer can be used, for the field and for every quantity.");
  EXPECT_EQ(verdict({good, finding(Level::warn, "", "left")}, {"left", "right"}),
            "The answer can be used, for the field. Take care with 'left'.");
  EXPECT_EQ(verdict({good, finding(Level::bad, "", "a"), finding(Level::bad, "", "b"), finding(Level::bad, "", "c")},
                    {"a", "b", "c"}),
            "The answer can be used, for the field. Do not rely on 'a', 'b' and 'c'.");
}

TEST(Verdict, SaysUnderWhatAssumptionAnAnswerHolds) {
  const TrustItem good = finding(Level::good, "The chains have converged.");
  TrustItem prior = finding(Level::good, "The error bars hold if the field is as smooth as assumed.");
  prior.kind = TrustItem::Kind::prior;
  EXPECT_EQ(verdict({good, prior}, {"left"}),
            "The answer can be used, for the field and for every quantity, if the field is as smooth as assumed.");
  EXPECT_EQ(verdict({good, prior, finding(Level::warn, "", "left")}, {"left"}),
            "The answer can be used, for the field, if the field is as smooth as assumed. Take care with 'left'.");
}

TEST(Verdict, NamesTheFirstOfTheWorst) {
  const TrustItem care = finding(Level::warn, "There are few effective draws.");
  const TrustItem worse = finding(Level::bad, "R-hat is large."), worst = finding(Level::bad, "It failed.");
  EXPECT_EQ(verdict({care}, {}), "The answer can be used with care: there are few effective draws.");
  EXPECT_EQ(verdict({care, worse, worst}, {"left"}), "Do not rely on this answer: R-hat is large.");
  EXPECT_EQ(verdict({care, worst}, {}), "Do not rely on this answer: it failed.");
  EXPECT_EQ(worst_level({care, worse}), Level::bad);
  EXPECT_EQ(worst_level({}), Level::good);
}

}  // namespace
}  // namespace varimesh::result
