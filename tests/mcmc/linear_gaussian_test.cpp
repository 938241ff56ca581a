// Every kernel, with every kind of scale, on a posterior that is known: mean and covariance of all unknowns.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mcmc/sampling.h"
#include "variational/linear_problem.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/gaussian_process.h"
#include "varimesh/linalg/graph.h"

namespace varimesh::mcmc::test {
namespace {

using varimesh::test::LinearGaussian;

constexpr Index size = 5;

/// Five unknowns of a smooth process, three of which are measured.
LinearGaussian problem() {
  std::vector<Point> points;
  for (Index i = 0; i < size; ++i) points.push_back({0.2 * i, 0, 0});
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.4, 0.4, 0.4}}, points, 0.3, 1e-6);
  return varimesh::test::linear_gaussian(prior, varimesh::test::smooth_rows(3, size, 4), Vector::LinSpaced(3, 1, 2),
                                         0.5);
}

/// Neighbours at most two apart.
std::shared_ptr<const linalg::CliqueTree> band() {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < size; ++i) {
    for (Index j = i + 1; j < std::min(i + 3, size); ++j) edges.emplace_back(i, j);
  }
  return std::make_shared<linalg::CliqueTree>(linalg::create_graph(size, edges), linalg::natural_order(size),
                                              linalg::Amalgamation::none);
}

/// Close to the posterior but not equal, as a fit is.
std::shared_ptr<const gaussian::Gaussian> rough_fit() {
  const LinearGaussian linear = problem();
  Matrix factor = linear.covariance.llt().matrixL();
  factor.col(0) *= 1.4;
  factor.col(2) *= 0.8;
  return std::make_shared<gaussian::DenseGaussian>(linear.mean + Vector::Constant(size, 0.1), factor);
}

struct Case {
  const char* name;
  SamplerOptions options;
  Index draws, thin;
};

std::vector<Case> cases() {
  using enum KernelKind;
  return {
      {"NutsDiagonal", {.kernel = nuts}, 4000, 1},
      {"NutsDense", {.kernel = nuts, .scale = ScaleKind::dense}, 4000, 1},
      {"NutsSparse", {.kernel = nuts, .scale = ScaleKind::sparse, .pattern = band()}, 4000, 1},
      {"NutsFit", {.kernel = nuts, .reference = rough_fit()}, 4000, 1},
      {"NutsRefinedFit",
       {.kernel = nuts, .reference = rough_fit(), .refine_reference = true, .scale = ScaleKind::dense},
       4000,
       1},
      {"NutsLargeFixedStep", {.kernel = nuts, .warmup = 50, .reference = rough_fit(), .step = 1.2}, 8000, 1},
      {"NutsShallow", {.kernel = nuts, .step = 0.2, .max_depth = 2}, 8000, 2},
      {"HmcDiagonal", {.kernel = hmc}, 4000, 2},
      {"HmcDense", {.kernel = hmc, .scale = ScaleKind::dense}, 4000, 1},
      {"HmcSparse", {.kernel = hmc, .scale = ScaleKind::sparse, .pattern = band()}, 4000, 1},
      {"HmcFit", {.kernel = hmc, .reference = rough_fit(), .leapfrog_steps = 5}, 4000, 1},
      {"HmcLowAcceptance", {.kernel = hmc, .reference = rough_fit(), .target_acceptance = 0.4}, 8000, 1},
      {"PcnPrior", {.kernel = pcn, .warmup = 1000}, 8000, 8},
      {"PcnFit", {.kernel = pcn, .warmup = 1000, .reference = rough_fit()}, 8000, 2},
      {"PcnFitSmallBeta", {.kernel = pcn, .reference = rough_fit(), .step = 0.4}, 8000, 8},
      {"RandomWalk", {.kernel = random_walk}, 8000, 8},
      {"RandomWalkFit", {.kernel = random_walk, .reference = rough_fit()}, 8000, 8},
  };
}

class LinearGaussianPosterior : public testing::TestWithParam<Case> {};

TEST_P(LinearGaussianPosterior, MeanAndCovarianceAreReproducedWithinMonteCarloError) {
  const LinearGaussian linear = problem();
  const auto chains = sample(*linear.posterior, GetParam().options, 4, GetParam().draws, GetParam().thin);
  for (Index i = 0; i < size; ++i) {
    const Matrix draws = series(chains, [&](const Vector& x) { return x[i]; });
    expect_mean(draws, linear.mean[i], fmt::format("mean {}", i));
    EXPECT_LT(diagnostics::rhat(draws), 1.02);
    for (Index j = 0; j <= i; ++j) {
      // around the exact mean, so that the estimate is unbiased
      expect_mean(series(chains, [&](const Vector& x) { return (x[i] - linear.mean[i]) * (x[j] - linear.mean[j]); }),
                  linear.covariance(i, j), fmt::format("covariance {}, {}", i, j));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, LinearGaussianPosterior, testing::ValuesIn(cases()),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace varimesh::mcmc::test
