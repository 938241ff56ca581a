#include "varimesh/hyper/hyper_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linear_hyper.h"

namespace varimesh::hyper {
namespace {

/// What is exact on a linear problem: moments of t and kappa, and the evidence, by a dense grid over t.
struct Exact {
  Vector mean, sd;              ///< of each t
  Vector field_mean, field_sd;  ///< of kappa
  double log_evidence = 0;
};

/// Of one point in t and the next there is so much distance: the sum is the integral to rounding for densities that are
/// smooth on this scale.
Exact integrate(const test::LinearHyper& problem, double spacing) {
  const Index d = problem.family.size();
  const int reach = static_cast<int>(3.6 / spacing);
  const int side = 2 * reach + 1;
  long total = 1;
  for (Index j = 0; j < d; ++j) total *= side;
  std::vector<Vector> places;
  std::vector<test::LinearGaussian> fits;
  std::vector<double> logs;
  double largest = -1e300;
  for (long k = 0; k < total; ++k) {
    Vector t(d);
    long rest = k;
    for (Index j = 0; j < d; ++j, rest /= side) t[j] = spacing * static_cast<double>(rest % side - reach);
    places.push_back(t);
    fits.push_back(problem.at(t));
    logs.push_back(fits.back().log_evidence + problem.family.log_prior(t));
    largest = std::max(largest, logs.back());
  }
  const Eigen::Index n = problem.a.cols();
  Exact result{Vector::Zero(d), Vector::Zero(d), Vector::Zero(n), Vector::Zero(n), 0};
  double sum = 0;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const double weight = std::exp(logs[k] - largest);
    sum += weight;
    result.mean += weight * places[k];
    result.sd += weight * places[k].cwiseAbs2();
    result.field_mean += weight * fits[k].mean;
    result.field_sd += weight * (fits[k].covariance.diagonal() + fits[k].mean.cwiseAbs2());
  }
  result.mean /= sum;
  result.field_mean /= sum;
  result.sd = (result.sd / sum - result.mean.cwiseAbs2()).cwiseSqrt();
  result.field_sd = (result.field_sd / sum - result.field_mean.cwiseAbs2()).cwiseSqrt();
  result.log_evidence = largest + std::log(sum) + d * std::log(spacing);
  return result;
}

HyperFitOptions options() {
  HyperFitOptions result;
  result.fit.family = variational::FamilyKind::full_covariance;
  result.fit.elbo_samples = 64;
  // In nats: so that every sd is right to about one percent.
  result.fit.natural_gradient.tolerance = 1e-4;
  return result;
}

class LinearHyperFit : public testing::TestWithParam<Index> {};

TEST_P(LinearHyperFit, AgreesWithADenseGridWhereBothAreExact) {
  const auto problem = test::linear_hyper(GetParam());
  const Exact exact = integrate(*problem, GetParam() < 3 ? 0.1 : 0.36);
  const HyperFit fit = fit_hyper(problem->family, options());
  EXPECT_TRUE(fit.converged) << fit.message;
  // The fits are exact; what is left is the interpolation between twenty to fifty points. A quarter of an sd and of the
  // sd is what grids and designs of this kind give where three hyperparameters are skew; a tenth with one or two.
  const double tolerance = GetParam() < 3 ? 0.1 : 0.2;
  EXPECT_NEAR(fit.log_evidence, exact.log_evidence, GetParam() < 3 ? 0.05 : 0.2) << fit.message;
  const Eigen::Index d = GetParam();
  for (Eigen::Index j = 0; j < d; ++j) {
    const double mean = fit.t_draws.row(j).mean();
    const double sd = std::sqrt((fit.t_draws.row(j).array() - mean).square().mean());
    EXPECT_NEAR(mean, exact.mean[j], tolerance * exact.sd[j]) << j;
    EXPECT_NEAR(sd / exact.sd[j], 1, tolerance) << j;
  }
  Vector mean = Vector::Zero(40), square = Vector::Zero(40);
  for (std::size_t k = 0; k < fit.points.size(); ++k) {
    const auto& q = *fit.points[k].q;
    mean += fit.weights[static_cast<Eigen::Index>(k)] * q.mean();
    square += fit.weights[static_cast<Eigen::Index>(k)] * (q.variance() + q.mean().cwiseAbs2());
  }
  const Vector sd = (square - mean.cwiseAbs2()).cwiseSqrt();
  EXPECT_LT(((mean - exact.field_mean).array() / exact.field_sd.array()).abs().maxCoeff(), tolerance);
  // Sds of the field are too small so far: in single cells the variance is many times as large at short length-scales,
  // of which the last point stands for all.
  EXPECT_LT(std::sqrt((sd.array() / exact.field_sd.array()).log().square().mean()), GetParam() < 3 ? 0.15 : 0.35);
}

INSTANTIATE_TEST_SUITE_P(Hyper, LinearHyperFit, testing::Values(1, 2, 3));

TEST(HyperFit, GradientIsThatOfTheEvidence) {
  const auto problem = test::linear_hyper(4);
  variational::FitOptions settings = options().fit;
  Objective objective(problem->family, settings, {});
  Vector t(4);
  t << 0.3, -0.5, 0.4, 0.2;
  const FittedPoint point = objective.fit(t, nullptr);
  EXPECT_NEAR(point.log_posterior, problem->log_posterior(t), 1e-3);
  for (Eigen::Index j = 0; j < 4; ++j) {
    constexpr double h = 1e-4;
    const Vector shift = h * Vector::Unit(4, j);
    const double slope = (problem->log_posterior(t + shift) - problem->log_posterior(t - shift)) / (2 * h);
    EXPECT_NEAR(point.gradient[j], slope, 1e-2 * (1 + std::abs(slope))) << j;
  }
}

TEST(HyperFit, OfTheModeAloneTakesFewFits) {
  const auto problem = test::linear_hyper(3);
  HyperFitOptions cheap = options();
  cheap.mode_only = true;
  const HyperFit fit = fit_hyper(problem->family, cheap);
  EXPECT_EQ(fit.points.size(), 1U);
  EXPECT_LE(fit.fits, 15);
  EXPECT_LT(fit.mode().gradient.norm(), 0.5);
}

TEST(HyperFit, WithNoDataIsThePrior) {
  auto problem = test::linear_hyper(2);
  problem->y.setZero();
  problem->family.observations = [&](const Vector&) {
    return inverse::observe_means(problem->y, Vector::Ones(25), Vector::Constant(25, 1e6));
  };
  const HyperFit fit = fit_hyper(problem->family, options());
  for (Eigen::Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(fit.t_draws.row(j).mean(), 0, 0.05);
    EXPECT_NEAR(std::sqrt(fit.t_draws.row(j).array().square().mean()), 1, 0.05);
  }
}

}  // namespace
}  // namespace varimesh::hyper
