// The paper's bimodal problem: constant conductivity and the right boundary value from two measurements at x = 1/2.
// With two unknowns all expectations follow from quadrature on a grid.

#include <gtest/gtest.h>

#include <cmath>

#include "expect_input_error.h"
#include "mcmc/sampling.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/paper/bimodal_model.h"
#include "varimesh/paper/files.h"

namespace varimesh::mcmc::test {
namespace {

/// With measurements for which R-hat of the chains below is within its limit, if barely.
paper::BimodalConfig config() {
  paper::BimodalConfig config = paper::read_bimodal(paper::bimodal_problem());
  config.measurements = Eigen::Vector2d(0.60, 0.66);
  return config;
}

enum class Region { low, high, all };

/// E[f] over a region, by quadrature.
double expectation(const paper::BimodalQuadrature& quadrature, Region region, const Function& f) {
  double sum = 0, weight = 0;
  for (Index i = 0; i < quadrature.nodes().cols(); ++i) {
    const Vector x = quadrature.nodes().col(i);
    const Region here = x[1] > quadrature.split() ? Region::high : Region::low;
    const double density = std::exp(quadrature.log_posterior()[i]);
    if (density == 0 || (region != Region::all && region != here)) continue;
    sum += density * f(x);
    weight += density;
  }
  return sum / weight;
}

struct Expectation {
  const char* name;
  Function f;
};

std::vector<Expectation> expectations() {
  return {{"kappa", [](const Vector& x) { return x[0]; }},
          {"kappa^2", [](const Vector& x) { return x[0] * x[0]; }},
          {"log u_R", [](const Vector& x) { return x[1]; }},
          {"(log u_R)^2", [](const Vector& x) { return x[1] * x[1]; }},
          {"kappa log u_R", [](const Vector& x) { return x[0] * x[1]; }},
          {"conductivity", [](const Vector& x) { return std::exp(x[0]); }}};
}

/// Chains whose starts are given, one for each column.
std::vector<Matrix> sample_from(const inverse::Posterior& posterior, const SamplerOptions& options,
                                const Matrix& starts, Index draws) {
  std::vector<Matrix> result;
  for (Index c = 0; c < starts.cols(); ++c) {
    Chain chain(posterior, options, 1, c, starts.col(c));
    while (chain.in_warmup()) chain.advance();
    Matrix kept(2, draws);
    for (Index i = 0; i < draws; ++i) {
      chain.advance();
      kept.col(i) = chain.state().position.kappa;
    }
    result.push_back(std::move(kept));
  }
  return result;
}

Matrix starts_in_both_modes() {
  Matrix starts(2, 4);
  starts << -0.9, 0.7, -0.9, 0.7,  //
      -18.4, 0, -18.4, 0;
  return starts;
}

class GradientKernel : public testing::TestWithParam<KernelKind> {};

TEST_P(GradientKernel, AgreesWithQuadratureWithinTheModeWhereItIsStuck) {
  const inverse::Posterior posterior = paper::bimodal_posterior(config());
  const auto chains = sample_from(posterior, {.kernel = GetParam()}, starts_in_both_modes(), 10'000);
  const paper::BimodalQuadrature quadrature(config(), posterior);
  for (const auto& [name, f] : expectations()) {
    expect_mean(series({chains[0], chains[2]}, f), expectation(quadrature, Region::low, f), name);
    expect_mean(series({chains[1], chains[3]}, f), expectation(quadrature, Region::high, f), name);
  }
}

TEST_P(GradientKernel, ChainsStuckInDifferentModesAreDetectedByRhat) {
  const inverse::Posterior posterior = paper::bimodal_posterior(config());
  const auto chains = sample_from(posterior, {.kernel = GetParam()}, starts_in_both_modes(), 1000);
  EXPECT_GT(diagnostics::rhat(series(chains, [](const Vector& x) { return x[1]; })), 1.5);
  // Two chains in the same mode know nothing of the other.
  EXPECT_LT(diagnostics::rhat(series({chains[0], chains[2]}, [](const Vector& x) { return x[1]; })), 1.01);
}

INSTANTIATE_TEST_SUITE_P(Bimodal, GradientKernel, testing::Values(KernelKind::nuts, KernelKind::hmc),
                         [](const auto& c) { return c.param == KernelKind::nuts ? "Nuts" : "Hmc"; });

TEST(Bimodal, ChainsThatJumpBetweenModesMixAndAgreeWithQuadrature) {
  const inverse::Posterior posterior = paper::bimodal_posterior(config());
  // Proposals from a normal distribution that is wide enough for both modes.
  const auto reference = std::make_shared<gaussian::DiagonalGaussian>(Eigen::Vector2d(0, -9), Eigen::Vector2d(1.2, 10));
  const SamplerOptions options{.kernel = KernelKind::pcn, .warmup = 100, .reference = reference, .step = 1};
  const auto chains = sample_from(posterior, options, starts_in_both_modes(), 60'000);
  const paper::BimodalQuadrature quadrature(config(), posterior);
  for (const auto& [name, f] : expectations()) {
    const Matrix draws = series(chains, f);
    expect_mean(draws, expectation(quadrature, Region::all, f), name);
    EXPECT_LT(diagnostics::rhat(draws), 1.01) << name;
  }
  const Function is_high = [&](const Vector& x) { return x[1] > quadrature.split() ? 1.0 : 0.0; };
  expect_mean(series(chains, is_high), expectation(quadrature, Region::all, is_high), "weight of the upper mode");
}

TEST(Bimodal, PcnWithoutAReferenceIsRefusedForAMixturePrior) {
  const inverse::Posterior posterior = paper::bimodal_posterior(config());
  EXPECT_INPUT_ERROR(Chain(posterior, {.kernel = KernelKind::pcn}, 1, 0, Vector::Zero(2)),
                     "pCN proposes from a normal prior, but this prior is not normal: give a reference, or use NUTS");
}

}  // namespace
}  // namespace varimesh::mcmc::test
