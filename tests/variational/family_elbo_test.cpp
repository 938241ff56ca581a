// The ELBO of every variational family, and the divergence of the normal ones from a prior.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "variational/family_cases.h"
#include "variational/family_contract.h"
#include "varimesh/variational/elbo.h"

namespace varimesh::variational::test {
namespace {

class FamilyElbo : public FamilyContract {};

INSTANTIATE_TEST_SUITE_P(All, FamilyElbo, testing::ValuesIn(all_cases()), name_of);

TEST_P(FamilyElbo, TheExactPosteriorHasTheEvidenceAsElboWithoutError) {
  const auto [problem, q] = GetParam().exact();
  Evaluator evaluator(*problem.posterior, 1);
  const ElboEstimate estimate = estimate_elbo(evaluator, *q, 40, random_);
  // Rounding of sums of size 10 to 100, through matrices of condition 1e3.
  EXPECT_NEAR(estimate.value, problem.log_evidence, 1e-10);
  EXPECT_LT(estimate.standard_error, 1e-11);
}

TEST_P(FamilyElbo, EstimatedElboIsTheClosedFormWithinItsStandardError) {
  const LinearGaussian problem = measured_together(gaussian_process(GetParam().mesh));
  // Components far apart do not see each other: log q = log q_k - log(number of components).
  const Index components = q_->num_components();
  Vector parameters = q_->parameters();
  for (Index k = 0; k < components; ++k) parameters[k * (parameters.size() / components)] += 60 * k;
  ASSERT_TRUE(q_->set_parameters(parameters));
  double exact = std::log(components);
  for (const Normal& c : components_of(*q_)) exact += problem.elbo(c.mean, c.covariance) / components;

  Evaluator evaluator(*problem.posterior, 1);
  const ElboEstimate estimate = estimate_elbo(evaluator, *q_, 2000, random_);
  EXPECT_EQ(estimate.samples, 2000);
  EXPECT_GT(estimate.standard_error, 0);
  EXPECT_NEAR(estimate.value, exact, 4 * estimate.standard_error);
}

TEST_P(FamilyElbo, StandardErrorsOfTheElboAreHonestWithFewDraws) {
  const LinearGaussian problem = measured_together(independent(GetParam().mesh));
  Evaluator evaluator(*problem.posterior, 1);
  for (const Index samples : {2, 20}) {
    constexpr Index repetitions = 300;
    Vector values(repetitions), squared_errors(repetitions);
    for (Index r = 0; r < repetitions; ++r) {
      const ElboEstimate estimate = estimate_elbo(evaluator, *q_, samples, random_);
      values[r] = estimate.value;
      squared_errors[r] = estimate.standard_error * estimate.standard_error;
    }
    // With 300 repetitions of heavy-tailed squares, means are known to some 20 %. Draws in equal numbers from the
    // components make a mixture's estimate better than it says.
    const double variance = (values.array() - values.mean()).square().mean();
    EXPECT_GT(squared_errors.mean(), 0.6 * variance) << samples << " draws";
    EXPECT_LT(squared_errors.mean(), (q_->num_components() > 1 ? 10 : 1.8) * variance) << samples << " draws";
  }
}

TEST_P(FamilyElbo, AModelThatFailsAtADrawHasNoElbo) {
  const auto likelihood = std::make_shared<BlackBox>(n_, [](const Vector& kappa, Vector& gradient) {
    gradient.setZero();
    return kappa[0] > 0 ? 0.0 : std::nan("");
  });
  const inverse::Posterior posterior(likelihood, independent(GetParam().mesh));
  Evaluator evaluator(posterior, 1);
  EXPECT_EQ(estimate_elbo(evaluator, *q_, 200, random_).value, -infinity);
}

// ---- normal families

class FamilyDivergence : public GaussianFamilyContract {
 protected:
  /// Sparse families do without dense matrices only for a prior that lies in their pattern, as these do.
  std::vector<std::pair<std::string, GaussianPriorPointer>> priors() const {
    const mesh::Mesh& mesh = GetParam().mesh;
    return {{"dense", gaussian_process(mesh)}, {"independent", independent(mesh)}, {"sparse", spde(mesh)}};
  }
};

INSTANTIATE_TEST_SUITE_P(All, FamilyDivergence, testing::ValuesIn(gaussian_cases()), name_of);

TEST_P(FamilyDivergence, DivergenceFromThePriorIsTheClosedFormAndTheMeanLogRatio) {
  const Normal reference = components_of(q())[0];
  for (const auto& [name, prior] : priors()) {
    SCOPED_TRACE(name);
    // 1/2 [ tr(K^-1 Sigma) + (mu - m)' K^-1 (mu - m) - n + log det K - log det Sigma ]
    const Matrix prior_covariance = prior->gaussian().covariance_times(Matrix::Identity(n_, n_));
    const Vector offset = reference.mean - prior->gaussian().mean();
    const Matrix prior_precision = prior_covariance.inverse();
    const double expected =
        0.5 * ((prior_precision * reference.covariance).trace() + offset.dot(prior_precision * offset) - n_ +
               std::log(prior_covariance.determinant()) - std::log(reference.covariance.determinant()));
    const double divergence = q().kl_divergence(*prior);
    EXPECT_NEAR(divergence, expected, 1e-11 * expected);  // a condition number of 1e3 or less

    const Matrix kappa = q().transform(normals(4000));
    expect_within_four_standard_errors(average(q().log_densities(kappa) - prior->gaussian().log_densities(kappa)),
                                       divergence);
  }
}

TEST_P(FamilyDivergence, GradientOfTheDivergenceIsItsDerivativeByEveryParameter) {
  const std::unique_ptr<Family> moved = q().clone();
  for (const auto& [name, prior] : priors()) {
    SCOPED_TRACE(name);
    Vector gradient;
    EXPECT_EQ(q().kl_divergence(*prior, gradient), q().kl_divergence(*prior));
    const Vector expected = finite_differences(
        [&](const Vector& parameters) {
          EXPECT_TRUE(moved->set_parameters(parameters));
          return dynamic_cast<const GaussianFamily&>(*moved).kl_divergence(*prior);
        },
        q().parameters());
    ASSERT_EQ(gradient.size(), expected.size());
    EXPECT_LT((gradient - expected).lpNorm<Eigen::Infinity>(), difference_tolerance * expected.norm());
  }
}

}  // namespace
}  // namespace varimesh::variational::test
