#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "diagnostics/quantile_grid.h"
#include "expect_input_error.h"
#include "varimesh/diagnostics/psis.h"
#include "varimesh/random.h"

namespace varimesh::diagnostics {
namespace {

using test::quantile_grid;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where the likelihood of a generalised Pareto distribution is largest, by brute force: its k.
double maximum_likelihood_shape(const Vector& x) {
  double best = -infinity, best_k = 0;
  for (int i = -60; i < 150; i += 2) {
    for (int j = -60; j <= 60; j += 2) {
      const double k = 0.01 * i, log_sigma = 0.01 * j;
      const Eigen::ArrayXd base = 1 + k / std::exp(log_sigma) * x.array();
      if (i == 0 || (base <= 0).any()) continue;
      const double value = -static_cast<double>(x.size()) * log_sigma - (1 / k + 1) * base.log().sum();
      if (value > best) best = value, best_k = k;
    }
  }
  return best_k;
}

TEST(GeneralizedPareto, QuantilesInvertTheDistribution) {
  for (const double k : {-0.7, -1e-9, 0.0, 1e-9, 0.4, 1.3}) {
    const GeneralizedPareto pareto{k, 2};
    for (const double p : {0.01, 0.5, 0.99}) {
      const double x = pareto.quantile(p), survival = k == 0 ? std::exp(-x / 2) : std::pow(1 + k * x / 2, -1 / k);
      EXPECT_NEAR(1 - survival, p, 1e-6) << k;  // pow(1 + 1e-9 x, 1e9) has this rounding
    }
  }
}

TEST(GeneralizedPareto, FitAgreesWithPublishedSoftware) {
  // gpdfit(1:6, wip = FALSE) of the R package loo, as a test of a fork of Stan quotes it to seven digits.
  const GeneralizedPareto fit = fit_generalized_pareto(Vector::LinSpaced(6, 1, 6));
  EXPECT_NEAR(fit.k, -0.7598539, 5e-8);
  EXPECT_NEAR(fit.sigma, 5.616346, 5e-7);
}

TEST(GeneralizedPareto, FitRecoversTheShapeOfItsOwnQuantiles) {
  for (const double k : {-0.3, 0.2, 0.5, 0.7, 1.0}) {
    const Vector x = quantile_grid(1000, [&](double p) { return GeneralizedPareto{k, 1.5}.quantile(p); });
    const GeneralizedPareto fit = fit_generalized_pareto(x);
    // A grid's noise is less than a sample's, whose standard error is (1 + k) / sqrt(1000), 0.02 to 0.06.
    EXPECT_NEAR(fit.k, k, 0.02);
    EXPECT_NEAR(fit.sigma, 1.5, 0.03);
  }
}

TEST(GeneralizedPareto, FitIsNearTheMaximumOfTheLikelihood) {
  Random random(1);
  for (const double k : {-0.2, 0.3, 0.8}) {
    Vector x(100);
    for (double& value : x) value = GeneralizedPareto{k, 1}.quantile(random.uniform());
    std::sort(x.begin(), x.end());
    // A mean and a mode of nearly the same posterior: within its standard deviation, (1 + k) / sqrt(100).
    EXPECT_NEAR(fit_generalized_pareto(x).k, maximum_likelihood_shape(x), 0.1 * (1 + k)) << k;
  }
}

TEST(GeneralizedPareto, FitScalesWithTheValues) {
  const Vector x = Vector::LinSpaced(40, 0.1, 3).array().exp();
  const GeneralizedPareto fit = fit_generalized_pareto(x), scaled = fit_generalized_pareto(1e-100 * x);
  EXPECT_NEAR(scaled.k, fit.k, 1e-12);
  EXPECT_NEAR(scaled.sigma, 1e-100 * fit.sigma, 1e-112);
}

TEST(GeneralizedPareto, FitRefusesWhatIsNotPositiveAndAscending) {
  const std::string message = "expected at least two positive numbers in ascending order";
  EXPECT_INPUT_ERROR(fit_generalized_pareto(Vector::Ones(1)), message);
  EXPECT_INPUT_ERROR(fit_generalized_pareto(Vector::LinSpaced(5, 0, 1)), message);
  EXPECT_INPUT_ERROR(fit_generalized_pareto(Vector::LinSpaced(5, 2, 1)), message);
  EXPECT_INPUT_ERROR(fit_generalized_pareto(Vector::Constant(5, infinity)), message);
}

}  // namespace
}  // namespace varimesh::diagnostics
