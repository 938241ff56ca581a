#include "varimesh/diagnostics/density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "diagnostics/quantile_grid.h"
#include "diagnostics/stored_draws.h"
#include "expect_input_error.h"
#include "varimesh/special_functions.h"

namespace varimesh::diagnostics {
namespace {

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

double integral(const Density& density, const Vector& values) {
  const double spacing = (density.x[density.x.size() - 1] - density.x[0]) / static_cast<double>(density.x.size() - 1);
  return spacing * (values.sum() - 0.5 * (values[0] + values[values.size() - 1]));
}

/// int (estimate - f)^2 for the standard normal density f.
double squared_error(const Density& density) {
  Vector squares(density.x.size());
  for (Eigen::Index i = 0; i < squares.size(); ++i)
    squares[i] = std::pow(density.value[i] - normal_density(density.x[i]), 2);
  return integral(density, squares);
}

/// Draws of 1/2 N(-separation, 1) + 1/2 N(separation, 1).
Vector bimodal_draws(Index count, double separation, std::uint64_t seed) {
  Random random(seed);
  Vector draws(count);
  for (double& x : draws) x = random.normal() + (random.uniform() < 0.5 ? -separation : separation);
  return draws;
}

TEST(Density, BandwidthOfANormalSampleIsTheOptimalOne) {
  // (4 / 3)^(1/5) sd N^-1/5; the plug-in estimate has a relative error of order N^-5/14, 8 % for the smallest.
  for (const Index count : {1000, 10'000, 100'000}) {
    const double optimal = 3 * std::pow(4.0 / 3 / count, 0.2);
    EXPECT_NEAR(choose_bandwidth(3 * Random(1).normal_vector(count)) / optimal, 1, 0.15) << count;
  }
}

TEST(Density, ErrorOfANormalSampleFallsAtTheOptimalRate) {
  // The best mean integrated squared error is (5/4) (2 sqrt(pi))^(-4/5) |f''|^(2/5) N^-4/5 with |f''|^2 = 3 / (8
  // sqrt(pi)) (Wand and Jones 1995, section 2.5). The errors of
  // samples spread by 40 to 70 %, so the mean of 20 is known to 9 to 16 %; the asymptotic formula is some percent too
  // large for normal samples of these sizes.
  const double roughness = 3 / (8 * std::sqrt(std::numbers::pi));
  for (const Index count : {500, 5000, 50'000}) {
    const double optimal =
        1.25 * std::pow(2 * std::sqrt(std::numbers::pi), -0.8) * std::pow(roughness, 0.2) * std::pow(count, -0.8);
    double error = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      error += squared_error(estimate_density(Random(seed).normal_vector(count))) / 20;
    EXPECT_NEAR(error / optimal, 1, 0.35) << count;
  }
}

TEST(Density, ModesFarApartAreNotOversmoothed) {
  // Each mode has half of the draws: the bandwidth is that of a normal sample of half the size, not one that follows
  // from the sd of the whole, which is 10 times as large.
  const Index count = 10'000;
  const Vector draws = bimodal_draws(count, 10, 2);
  const double optimal = std::pow(4.0 / 3 / (count / 2.0), 0.2);
  EXPECT_NEAR(choose_bandwidth(draws) / optimal, 1, 0.2);
  const auto exact = [](double x) { return 0.5 * (normal_density(x - 10) + normal_density(x + 10)); };
  const Density density = estimate_density(draws);
  // At the modes the standard error is sqrt(f / (2 sqrt(pi) N h)) = 0.0052 and the bias h^2 |f''| / 2 = 0.0036.
  for (const double mode : {-10.0, 10.0}) {
    Eigen::Index nearest = 0;
    (density.x.array() - mode).abs().minCoeff(&nearest);
    EXPECT_NEAR(density.value[nearest], exact(mode), 4 * 0.0052 + 0.0036);
  }
  Eigen::Index middle = 0;
  density.x.cwiseAbs().minCoeff(&middle);
  EXPECT_LT(density.value[middle], 1e-6);
}

TEST(Density, IsTheSumOfItsKernels) {
  const Vector draws = Random(3).normal_vector(200);
  const Density density = estimate_density(draws);
  const double h = density.bandwidth;
  const auto direct = [&](double x) {
    return ((draws.array() - x) / h).square().unaryExpr([](double z) { return std::exp(-0.5 * z); }).sum() /
           (200 * h * std::sqrt(2 * std::numbers::pi));
  };
  // Linear binning, eight points for each bandwidth: relative errors of (1/8)^2 / 24 and (1/8)^4 where kernels are
  // largest.
  for (Eigen::Index i = 0; i < density.x.size(); i += 7)
    EXPECT_NEAR(density.value[i], direct(density.x[i]), 1e-3 * density.value.maxCoeff()) << density.x[i];
}

class SmallSamples : public testing::TestWithParam<Index> {};

TEST_P(SmallSamples, HaveDensitiesThatIntegrateToOneAndKeepTheMean) {
  const Vector draws = Random(4).normal_vector(GetParam()).array() * 1e-5 + 7;
  const Density density = estimate_density(draws);
  EXPECT_GT(density.bandwidth, 0);
  EXPECT_GE(density.x.size(), 512);
  EXPECT_TRUE((density.value.array() >= 0).all());
  EXPECT_NEAR(integral(density, density.value), 1, 1e-10);  // x near 7, over a length of 1e-5, is rounded
  EXPECT_LT(density.x[0], draws.minCoeff());
  EXPECT_GT(density.x[density.x.size() - 1], draws.maxCoeff());
  const Vector moments = density.value.array() * (density.x.array() - draws.mean());
  EXPECT_NEAR(integral(density, moments), 0, 1e-10);  // 1e-5 sds: tails beyond five bandwidths
}

INSTANTIATE_TEST_SUITE_P(Density, SmallSamples, testing::Values(2, 3, 10, 1000));

TEST(Density, ScalesWithItsDraws) {
  const Vector draws = Random(5).normal_vector(500);
  EXPECT_NEAR(choose_bandwidth(1e6 * draws) / choose_bandwidth(draws), 1e6, 1e-3);
  EXPECT_NEAR(choose_bandwidth(draws.array() - 5) / choose_bandwidth(draws), 1, 1e-6);
}

TEST(Density, AutocorrelatedDrawsAreSmoothedMore) {
  const Vector draws = Random(6).normal_vector(10'000);
  // h ~ N^-1/5
  EXPECT_NEAR(choose_bandwidth(draws, 1000) / choose_bandwidth(draws), std::pow(10, 0.2), 0.15 * std::pow(10, 0.2));
}

TEST(Density, RepeatedDrawsAreNotSpikes) {
  // A Metropolis chain stays where it is in four of five transitions.
  Vector draws(10'000);
  Random random(7);
  for (Index s = 0; s < 10'000; s += 5) draws.segment(s, 5).setConstant(random.normal());
  const double optimal = std::pow(4.0 / 3 / 2000, 0.2);
  EXPECT_NEAR(choose_bandwidth(draws) / optimal, 1, 0.2);
}

TEST(Density, EqualDrawsHaveNone) {
  const Density density = estimate_density(Vector::Constant(50, 2.5));
  EXPECT_EQ(density.bandwidth, 0);
  EXPECT_EQ(density.x.size(), 0);
  EXPECT_EQ(density.value.size(), 0);
  EXPECT_EQ(quantiles(Vector::Constant(50, 2.5), Vector{{0, 0.3, 1}}), Vector::Constant(3, 2.5));
  EXPECT_EQ(choose_bandwidth(Vector::Constant(1, 3.0)), 0);
}

TEST(Density, FewDistinctValuesAreStillADensity) {
  Vector draws = Vector::Zero(100);
  draws[99] = 1;
  const Density density = estimate_density(draws);
  EXPECT_GT(density.bandwidth, 0);
  EXPECT_NEAR(integral(density, density.value), 1, 1e-12);
}

TEST(Density, LeavesOutWhatIsNotFinite) {
  Vector draws = Random(8).normal_vector(100);
  const Density expected = estimate_density(draws);
  draws.conservativeResize(102);
  draws[100] = std::nan("");
  draws[101] = INFINITY;
  const Density density = estimate_density(draws);
  EXPECT_EQ(density.left_out, 2);
  EXPECT_EQ(density.value, expected.value);
  EXPECT_INPUT_ERROR(choose_bandwidth(draws), "expected finite values, found some that are not");
  EXPECT_INPUT_ERROR(estimate_density(Vector::Constant(3, std::nan(""))),
                     "expected at least one finite value, found none among 3");
}

TEST(Quantiles, AreInterpolated) {
  const Vector values{{4, 1, 3, 2}};
  EXPECT_EQ(quantiles(values, Vector{{0, 0.5, 1}}), (Vector{{1, 2.5, 4}}));
  EXPECT_NEAR(quantiles(values, Vector{{0.1}})[0], 1.3, 1e-15);
  const Vector normal = test::quantile_grid(10'001, normal_quantile);
  EXPECT_NEAR(quantiles(normal, Vector{{0.95}})[0], normal_quantile(0.95), 1e-3);  // levels differ by 1e-4
  EXPECT_INPUT_ERROR(quantiles(values, Vector{{-0.1}}), "expected the level of a quantile from 0 to 1, found -0.1");
}

}  // namespace
}  // namespace varimesh::diagnostics
