#include "varimesh/special_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "varimesh/diagnostics/fourier.h"

namespace varimesh::diagnostics {
namespace {

TEST(NormalQuantile, InvertsTheDistribution) {
  for (const double x : {-8.0, -5.5, -3.0, -1.3, -0.2, 0.0, 0.7, 2.0, 4.0}) {
    const double p = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    // p is known to rounding: relative to the density, that is the error of x.
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(normal_quantile(p), x, 1e-15 * (1 + std::abs(x)) + 4e-16 * p / density) << x;
  }
}

TEST(BetaQuantile, IsThatOfClosedForms) {
  for (const double p : {0.01, 0.1586553, 0.5, 0.8413447, 0.999}) {
    EXPECT_NEAR(beta_quantile(p, 1, 1), p, 1e-14);
    EXPECT_NEAR(beta_quantile(p, 7, 1), std::pow(p, 1.0 / 7), 1e-13);                  // P = x^7
    EXPECT_NEAR(beta_quantile(p, 1, 300), 1 - std::pow(1 - p, 1.0 / 300), 1e-13);      // P = 1 - (1 - x)^300
    EXPECT_NEAR(beta_quantile(p, 40.5, 9), 1 - beta_quantile(1 - p, 9, 40.5), 1e-13);  // symmetry
  }
}

TEST(BetaQuantile, IsThatOfBinomialSumsAndOfLargeParameters) {
  // For integers, P(Beta(a, b) <= x) is the probability of at least a successes among a + b - 1.
  const double x = beta_quantile(0.3, 3, 4);
  double sum = 0;
  for (int k = 3; k <= 6; ++k)
    sum += std::tgamma(7) / (std::tgamma(k + 1) * std::tgamma(7 - k)) * std::pow(x, k) * std::pow(1 - x, 6 - k);
  EXPECT_NEAR(sum, 0.3, 1e-13);
  // Nearly normal: median a / (a + b) + O(1 / a), sd sqrt(p q / n).
  const double sd = std::sqrt(0.05 * 0.95 / 1e6);
  EXPECT_NEAR(beta_quantile(0.8413447, 5e4, 9.5e5), 0.05 + sd, 0.01 * sd);
}

TEST(Fourier, IsTheSumThatDefinesIt) {
  Fourier fourier;
  for (const int n : {2, 6, 30, 64}) {
    std::vector<Fourier::Complex> in(static_cast<std::size_t>(n)), out(in.size());
    for (int j = 0; j < n; ++j) in[static_cast<std::size_t>(j)] = {std::sin(j * j), std::cos(3.0 * j)};
    fourier.forward(in, out);
    for (int k = 0; k < n; ++k) {
      Fourier::Complex sum = 0;
      for (int j = 0; j < n; ++j)
        sum += in[static_cast<std::size_t>(j)] * std::polar(1.0, -2 * std::numbers::pi * j * k / n);
      EXPECT_NEAR(std::abs(out[static_cast<std::size_t>(k)] - sum), 0, 1e-12) << n;  // 64 terms of size one
    }
  }
}

TEST(Fourier, GoodSizesHaveSmallPrimes) {
  EXPECT_EQ(Fourier::good_size(1), 2);
  EXPECT_EQ(Fourier::good_size(7), 8);
  EXPECT_EQ(Fourier::good_size(97), 100);
  EXPECT_EQ(Fourier::good_size(1025), 1080);
  EXPECT_EQ(Fourier::good_size(10'000), 10'000);
}

}  // namespace
}  // namespace varimesh::diagnostics
