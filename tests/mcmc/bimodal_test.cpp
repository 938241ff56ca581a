// The paper's bimodal problem: constant conductivity and the right boundary value from two measurements at x = 1/2.
// With two unknowns all expectations follow from quadrature on a grid.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "expect_input_error.h"
#include "mcmc/sampling.h"
#include "variational/toy_problems.h"
#include "varimesh/gaussian/diagonal_gaussian.h"
#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/inverse/independent_prior.h"

namespace varimesh::mcmc::test {
namespace {

/// -exp(kappa) u'' = 2, u(0) = 0, u(1) = u_R: u(1/2) = u_R / 2 + exp(-kappa) / 4, for x = (kappa, log u_R).
double log_likelihood(const Vector& x, Vector& gradient) {
  constexpr double sigma = 0.05, measurements[] = {0.60, 0.66};
  const double half = std::exp(x[1]) / 2, quarter = std::exp(-x[0]) / 4;
  double value = 0, slope = 0;
  for (const double y : measurements) {
    const double residual = (y - half - quarter) / sigma;
    value -= 0.5 * residual * residual;
    slope += residual / sigma;
  }
  gradient = Eigen::Vector2d(-quarter * slope, half * slope);
  return value;
}

std::shared_ptr<const inverse::Posterior> bimodal() {
  const auto component = [](double conductivity, double boundary) {
    return std::make_shared<inverse::IndependentPrior>(Eigen::Vector2d(std::log(conductivity), std::log(boundary)),
                                                       Vector::Constant(2, std::sqrt(0.5)));
  };
  const auto prior = std::make_shared<inverse::GaussianMixturePrior>(
      Vector::Ones(2), std::vector<inverse::GaussianMixturePrior::Component>{component(0.1, 1e-8), component(2, 1)});
  return std::make_shared<inverse::Posterior>(std::make_shared<variational::test::BlackBox>(2, log_likelihood), prior);
}

/// Between the modes, at log u_R = -18.4 and 0.
constexpr double boundary_between_modes = -9;
enum class Region { low, high, all };

/// A grid that covers eight prior sds around each mode, with the density there: the trapezoidal rule is exact to
/// rounding for smooth functions that vanish at the ends.
class Quadrature {
 public:
  explicit Quadrature(const inverse::Posterior& posterior) {
    constexpr double step = 0.04;
    for (double kappa = -8; kappa < 6.5; kappa += step) {
      for (double log_u = -24.4; log_u < 5.7; log_u += step) {
        const Vector x = Eigen::Vector2d(kappa, log_u);
        const double density = std::exp(posterior.likelihood().value(x) + posterior.prior().log_density(x));
        if (density > 0) nodes_.push_back({x, density});
      }
    }
  }

  /// E[f] over a region.
  double expectation(Region region, const Function& f) const {
    double sum = 0, weight = 0;
    for (const auto& [x, density] : nodes_) {
      const Region here = x[1] < boundary_between_modes ? Region::low : Region::high;
      if (region != Region::all && region != here) continue;
      sum += density * f(x);
      weight += density;
    }
    return sum / weight;
  }

 private:
  struct Node {
    Vector x;
    double density;
  };
  std::vector<Node> nodes_;
};

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
  const auto posterior = bimodal();
  const auto chains = sample_from(*posterior, {.kernel = GetParam()}, starts_in_both_modes(), 10'000);
  const Quadrature quadrature(*posterior);
  for (const auto& [name, f] : expectations()) {
    expect_mean(series({chains[0], chains[2]}, f), quadrature.expectation(Region::low, f), name);
    expect_mean(series({chains[1], chains[3]}, f), quadrature.expectation(Region::high, f), name);
  }
}

TEST_P(GradientKernel, ChainsStuckInDifferentModesAreDetectedByRhat) {
  const auto posterior = bimodal();
  const auto chains = sample_from(*posterior, {.kernel = GetParam()}, starts_in_both_modes(), 1000);
  EXPECT_GT(diagnostics::rhat(series(chains, [](const Vector& x) { return x[1]; })), 1.5);
  // Two chains in the same mode know nothing of the other.
  EXPECT_LT(diagnostics::rhat(series({chains[0], chains[2]}, [](const Vector& x) { return x[1]; })), 1.01);
}

INSTANTIATE_TEST_SUITE_P(Bimodal, GradientKernel, testing::Values(KernelKind::nuts, KernelKind::hmc),
                         [](const auto& c) { return c.param == KernelKind::nuts ? "Nuts" : "Hmc"; });

TEST(Bimodal, ChainsThatJumpBetweenModesMixAndAgreeWithQuadrature) {
  const auto posterior = bimodal();
  // Proposals from a normal distribution that is wide enough for both modes.
  const auto reference = std::make_shared<gaussian::DiagonalGaussian>(Eigen::Vector2d(0, -9), Eigen::Vector2d(1.2, 10));
  const SamplerOptions options{.kernel = KernelKind::pcn, .warmup = 100, .reference = reference, .step = 1};
  const auto chains = sample_from(*posterior, options, starts_in_both_modes(), 60'000);
  const Quadrature quadrature(*posterior);
  for (const auto& [name, f] : expectations()) {
    const Matrix draws = series(chains, f);
    expect_mean(draws, quadrature.expectation(Region::all, f), name);
    EXPECT_LT(diagnostics::rhat(draws), 1.01) << name;
  }
  const Function is_high = [](const Vector& x) { return x[1] < boundary_between_modes ? 0.0 : 1.0; };
  expect_mean(series(chains, is_high), quadrature.expectation(Region::all, is_high), "weight of the upper mode");
}

TEST(Bimodal, PcnWithoutAReferenceIsRefusedForAMixturePrior) {
  const auto posterior = bimodal();
  EXPECT_INPUT_ERROR(Chain(*posterior, {.kernel = KernelKind::pcn}, 1, 0, Vector::Zero(2)),
                     "pCN proposes from a normal prior, but this prior is not normal: give a reference, or use NUTS");
}

}  // namespace
}  // namespace varimesh::mcmc::test
