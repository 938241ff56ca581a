#include "varimesh/calibration/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

namespace varimesh::calibration {
namespace {

/// P(X >= k).
double upper_tail(const Binomial& binomial, Index k, Index n, double p) {
  double sum = 0;
  for (Index j = k; j <= n; ++j) sum += binomial.density(j, n, p);
  return sum;
}

TEST(Binomial, DensityHasItsMomentsAndEnds) {
  const Binomial binomial(50);
  for (const double p : {0.0, 0.02, 0.5, 1.0}) {
    double sum = 0, mean = 0;
    for (Index k = 0; k <= 50; ++k) {
      sum += binomial.density(k, 50, p);
      mean += k * binomial.density(k, 50, p);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(mean, 50 * p, 1e-11);
  }
  EXPECT_NEAR(binomial.density(2, 4, 0.5), 6.0 / 16, 1e-14);
}

TEST(ClopperPearson, HasItsClosedFormsAtTheEnds) {
  for (const Index n : {1, 7, 100}) {
    // (1 - high)^n = 0.025
    const double miss = std::pow(0.025, 1.0 / n);
    const Interval none = clopper_pearson(0, n, 0.95), all = clopper_pearson(n, n, 0.95);
    EXPECT_EQ(none.low, 0);
    EXPECT_NEAR(none.high, 1 - miss, 1e-11);
    EXPECT_NEAR(all.low, miss, 1e-11);
    EXPECT_EQ(all.high, 1);
  }
}

TEST(ClopperPearson, EndsLeaveTheTailsOfTheBinomialDistribution) {
  const Binomial binomial(100);
  for (const Index k : {1, 9, 50, 93, 99}) {
    const Interval interval = clopper_pearson(k, 100, 0.9);
    EXPECT_NEAR(upper_tail(binomial, k, 100, interval.low), 0.05, 1e-10) << k;
    EXPECT_NEAR(1 - upper_tail(binomial, k + 1, 100, interval.high), 0.05, 1e-10) << k;
  }
}

TEST(ClopperPearson, HoldsTheTrueProbabilityAtLeastAsOftenAsItSays) {
  constexpr Index n = 40;
  const Binomial binomial(n);
  for (const double p : {0.03, 0.3, 0.5, 0.9}) {
    double held = 0;
    for (Index k = 0; k <= n; ++k) {
      const Interval interval = clopper_pearson(k, n, 0.95);
      if (interval.low <= p && p <= interval.high) held += binomial.density(k, n, p);
    }
    EXPECT_GE(held, 0.95) << p;
  }
}

}  // namespace
}  // namespace varimesh::calibration
