// The referees on the paper's 1D problem, with the mass matrix of a variational fit, and the measures taken from them.

#include <gtest/gtest.h>

#include <cmath>

#include "paper_problems.h"
#include "varimesh/diagnostics/compare.h"
#include "varimesh/diagnostics/density.h"
#include "varimesh/diagnostics/error_norms.h"
#include "varimesh/diagnostics/quantity.h"
#include "varimesh/fem/boundary_flux.h"
#include "varimesh/mcmc/chains_summary.h"
#include "varimesh/variational/fit.h"

namespace varimesh::mcmc {
namespace {

class PaperProblem1d : public testing::Test {
 protected:
  std::shared_ptr<const gaussian::Gaussian> fit_mass() const {
    variational::FitResult fit =
        variational::fit(*problem_.posterior, {.family = variational::FamilyKind::full_covariance});
    return variational::shared_gaussian(std::move(fit.q));
  }

  test::PaperProblem problem_ = test::paper_1d(0.2);
};

TEST_F(PaperProblem1d, NutsHmcAndPcnAgree) {
  const auto mass = fit_mass();
  const auto sample = [&](KernelKind kernel, Index draws, Index thin) {
    const ChainsResult run = run_chains(*problem_.posterior, {.kernel = kernel, .reference = mass},
                                        {.chains = 4, .draws = draws, .thin = thin});
    const auto unknowns = diagnostics::diagnose(run.draws, 1);
    const diagnostics::ChainsVerdict verdict = judge(run, unknowns);
    EXPECT_TRUE(verdict.is_good) << verdict.sentences[0];
    return summarize("chains", run, unknowns);
  };
  const diagnostics::Contender nuts = sample(KernelKind::nuts, 1500, 1);
  // More effective draws than draws: neighbours are anticorrelated.
  EXPECT_GT(*nuts.effective_draws, 6000);
  for (const auto& other : {sample(KernelKind::hmc, 2500, 1), sample(KernelKind::pcn, 2500, 20)}) {
    const diagnostics::Comparison comparison = diagnostics::compare(other, nuts);
    for (Index i = 0; i < nuts.size(); ++i) {
      // 64 differences: four standard errors each.
      EXPECT_LT(std::abs(comparison.mean_shift[i]), 4 * comparison.mean_shift_error[i]) << i;
      EXPECT_LT(std::abs(comparison.sd_ratio[i] - 1), 4 * comparison.sd_ratio_error[i]) << i;
    }
  }
}

TEST_F(PaperProblem1d, ErrorNormsAndTheDensityOfTheLogFluxFollowFromDraws) {
  const mesh::Mesh& mesh = problem_.mesh;
  const fem::CoefficientMap map = fem::one_per_cell(mesh);
  const std::vector<fem::BoundaryCondition> conditions = {test::dirichlet("left", test::constant(0)),
                                                          test::dirichlet("right", test::constant(0))};
  const fem::EllipticProblem problem(mesh, map, {{.region = {}, .value = test::constant(1)}}, conditions);
  const fem::Observable flux = fem::boundary_flux(mesh, map, conditions, problem, "left");
  const ChainsResult run = run_chains(*problem_.posterior, {.kernel = KernelKind::nuts, .reference = fit_mass()},
                                      {.chains = 4, .draws = 500});

  const diagnostics::ErrorNorms norms = diagnostics::error_norms(
      run.draws, 250, problem_.truth, [&](const Vector& kappa) { return problem.solve(kappa).u(); }, 2);
  EXPECT_EQ(norms.draws, 1000);
  EXPECT_EQ(norms.failures, 0);
  // Measured to 0.01 / sqrt(5) at 31 nodes: each solution is off by about sqrt(31) times that, or less as they are
  // smooth.
  EXPECT_GT(norms.expected_solution.value, 0.1 * std::sqrt(31.0 / 5) * 0.01);
  EXPECT_LT(norms.expected_solution.value, std::sqrt(31.0 / 5) * 0.01);
  EXPECT_LT(norms.mean_kappa.value, problem_.truth.norm());

  const Matrix log_flux = diagnostics::evaluate_quantity(
      run.draws, 500, [&](const Vector& kappa) { return std::log(flux.value(problem.solve(kappa))); }, 2);
  const diagnostics::Density density = diagnostics::estimate_density(log_flux.reshaped());
  // The truth is where the posterior is.
  const double truth = std::log(flux.value(problem.solve(problem_.truth)));
  const Vector tails = diagnostics::quantiles(log_flux.reshaped(), Eigen::Vector2d(0.0005, 0.9995));
  EXPECT_GT(truth, tails[0]);
  EXPECT_LT(truth, tails[1]);
  EXPECT_LT(density.x[0], tails[0]);
  EXPECT_GT(density.x[density.x.size() - 1], tails[1]);
}

}  // namespace
}  // namespace varimesh::mcmc
