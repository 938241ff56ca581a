#include "varimesh/hyper/hyperprior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "expect_input_error.h"

namespace varimesh::hyper {
namespace {

struct Case {
  const char* name;
  Hyperprior prior;
};

const Case cases[] = {{"normal", Hyperprior::normal(-1, 2)},
                      {"log_normal", Hyperprior::log_normal(0.2, 0.7)},
                      {"half_normal", Hyperprior::half_normal(1.5)},
                      {"uniform", Hyperprior::uniform(0.1, 0.7)},
                      {"penalised_sd", Hyperprior::penalised_sd(2, 0.05)},
                      {"penalised_range", Hyperprior::penalised_range(0.1, 0.05, 2)}};

class EveryHyperprior : public testing::TestWithParam<Case> {};

double phi(double t) { return 0.5 * std::erfc(-t / std::numbers::sqrt2); }

TEST_P(EveryHyperprior, HasItsDensityWhereItsVariableIsStandardNormal) {
  // The integral of the density from psi(-6) to psi(t) against Phi, by Simpson's rule in t; its error is of the order
  // of the step to the fourth.
  const Hyperprior& prior = GetParam().prior;
  constexpr int steps = 4000;
  constexpr double first = -6, step = 12.0 / steps;
  double integral = 0;
  for (int k = 0; k < steps; ++k) {
    const auto density = [&](double t) {
      const double h = 1e-5;  // dpsi/dt by differences: what derivative() must not be needed for
      return std::exp(prior.log_density(prior.value(t))) * (prior.value(t + h) - prior.value(t - h)) / (2 * h);
    };
    const double t = first + k * step;
    integral += step / 6 * (density(t) + 4 * density(t + step / 2) + density(t + step));
    if (k % 500 == 0) {
      EXPECT_NEAR(integral, phi(t + step), 1e-7) << t;
    }
  }
  EXPECT_NEAR(integral, 1, 1e-7);
}

TEST_P(EveryHyperprior, TakesItsVariableThereAndBack) {
  const Hyperprior& prior = GetParam().prior;
  for (double t = -5; t <= 5; t += 0.37) EXPECT_NEAR(prior.standard(prior.value(t)), t, 1e-7) << t;
}

TEST_P(EveryHyperprior, DerivativesAreThoseOfDifferences) {
  const Hyperprior& prior = GetParam().prior;
  constexpr double h = 1e-5;
  for (double t = -3; t <= 3; t += 0.41) {
    const double slope = (prior.value(t + h) - prior.value(t - h)) / (2 * h);
    EXPECT_NEAR(prior.derivative(t), slope, 1e-6 * slope) << t;
    const double x = prior.value(t), reach = h * slope;
    EXPECT_NEAR(prior.log_density_derivative(x) * slope,
                (prior.log_density(x + reach) - prior.log_density(x - reach)) / (2 * h), 1e-4)
        << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Hyperprior, EveryHyperprior, testing::ValuesIn(cases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Hyperprior, PenalisedComplexityKeepsItsPromise) {
  EXPECT_NEAR(phi(Hyperprior::penalised_range(0.1, 0.05, 2).standard(0.1)), 0.05, 1e-12);
  EXPECT_NEAR(phi(Hyperprior::penalised_range(0.3, 0.2, 1).standard(0.3)), 0.2, 1e-12);
  EXPECT_NEAR(1 - phi(Hyperprior::penalised_sd(2, 0.05).standard(2)), 0.05, 1e-12);
}

TEST(Hyperprior, RefusesWhatIsNoDistribution) {
  EXPECT_INPUT_ERROR(Hyperprior::uniform(2, 1), "expected an interval, found 2 to 1");
  EXPECT_INPUT_ERROR(Hyperprior::half_normal(0), "expected a positive scale, found 0");
  EXPECT_INPUT_ERROR(Hyperprior::penalised_sd(1, 1.5), "expected a probability between 0 and 1, found 1.5");
}

}  // namespace
}  // namespace varimesh::hyper
