// What every variational family promises, against dense algebra, finite differences and Monte Carlo.
#include "variational/family_contract.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "expect_input_error.h"
#include "variational/family_cases.h"

namespace varimesh::variational::test {
namespace {

/// log q at x from dense algebra.
double reference_log_density(const std::vector<Normal>& components, const Vector& x) {
  double sum = 0;
  for (const Normal& c : components) sum += std::exp(normal_log_density(x, c.mean, c.covariance));
  return std::log(sum / static_cast<double>(components.size()));
}

INSTANTIATE_TEST_SUITE_P(All, FamilyContract, testing::ValuesIn(all_cases()), name_of);

/// Families that optimisers which know only gradients can fit: all but low rank, of which the mean is a parameter, and
/// the covariance is not.
class ParametricFamilyContract : public FamilyContract {};

std::vector<Case> parametric_cases() {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [](const Case& example) { return example.name == "LowRank"; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ParametricFamilyContract, testing::ValuesIn(parametric_cases()), name_of);

TEST_P(ParametricFamilyContract, ParametersDescribeTheDistributionCompletely) {
  const std::unique_ptr<Family> other = GetParam().create(random_);
  ASSERT_GT((other->parameters() - q_->parameters()).norm(), 0.1);
  ASSERT_TRUE(other->set_parameters(q_->parameters()));
  // log and exp cost a rounding or two.
  const Matrix z = normals(4);
  EXPECT_LT((other->parameters() - q_->parameters()).norm(), 1e-13 * q_->parameters().norm());
  EXPECT_LT((other->transform(z) - q_->transform(z)).norm(), 1e-13 * q_->transform(z).norm());
  EXPECT_LT((other->mean() - q_->mean()).norm(), 1e-13 * q_->mean().norm());
  EXPECT_LT((other->variance() - q_->variance()).norm(), 1e-13 * q_->variance().norm());
}

TEST_P(ParametricFamilyContract, ParametersThatAreNoDistributionChangeNothing) {
  const Vector good = q_->parameters();
  const Matrix z = normals(2), kappa = q_->transform(z);
  const Index parameters = static_cast<Index>(good.size());
  // Of each component the mean comes first; the last parameter is a logarithm of sigma, or of a diagonal entry.
  for (const Index place : {0, n_, parameters - 1}) {
    for (const double value : {std::nan(""), infinity, -infinity}) {
      Vector bad = good;
      bad[place] = value;
      EXPECT_FALSE(q_->set_parameters(bad)) << place << ": " << value;
    }
  }
  for (const double overflow : {800.0, -800.0}) {
    Vector bad = good;
    bad[parameters - 1] = overflow;
    bad[0] += 1;
    EXPECT_FALSE(q_->set_parameters(bad)) << overflow;
  }
  EXPECT_EQ(q_->parameters(), good);
  EXPECT_EQ(q_->transform(z), kappa);
}

TEST_P(FamilyContract, ClonesAreIndependent) {
  const std::unique_ptr<Family> copy = q_->clone();
  const Vector parameters = q_->parameters();
  const Matrix kappa = q_->transform(normals(6));
  const Vector densities = q_->log_densities(kappa);
  EXPECT_EQ(copy->parameters(), parameters);
  ASSERT_TRUE(copy->set_parameters(parameters.array() + 0.1));
  EXPECT_EQ(q_->parameters(), parameters);
  EXPECT_EQ(q_->log_densities(kappa), densities);
  EXPECT_NE(copy->log_densities(kappa), densities);
}

TEST_P(FamilyContract, LogDensitiesAreThoseOfTheDistributionOfItsDraws) {
  const std::vector<Normal> reference = components_of(*q_);
  const Matrix kappa = q_->transform(normals(10));
  const Vector densities = q_->log_densities(kappa);
  // Rounding times the condition number of the covariance, below 1e3.
  for (Index s = 0; s < kappa.cols(); ++s)
    EXPECT_NEAR(densities[s], reference_log_density(reference, kappa.col(s)), 1e-11);
}

TEST_P(FamilyContract, MeanAndVarianceAreThoseOfItsDraws) {
  constexpr Index samples = 4000;
  const Matrix kappa = q_->transform(normals(samples));
  const Vector mean = q_->mean(), variance = q_->variance();
  for (Index i = 0; i < n_; ++i) {
    const Vector deviation = kappa.row(i).transpose().array() - mean[i];
    expect_within_four_standard_errors(average(deviation), 0);
    expect_within_four_standard_errors(average(deviation.cwiseAbs2()), variance[i]);
  }
}

TEST_P(FamilyContract, MeanAndVarianceFollowFromItsComponents) {
  Vector mean = Vector::Zero(n_), second_moment = Vector::Zero(n_);
  const std::vector<Normal> reference = components_of(*q_);
  for (const Normal& c : reference) {
    mean += c.mean / static_cast<double>(reference.size());
    second_moment += (c.covariance.diagonal() + c.mean.cwiseAbs2()) / static_cast<double>(reference.size());
  }
  EXPECT_LT((q_->mean() - mean).norm(), 1e-12 * mean.norm());
  EXPECT_LT((q_->variance() + mean.cwiseAbs2() - second_moment).norm(), 1e-12 * second_moment.norm());
}

TEST_P(FamilyContract, LogDensityGradientsAreDerivatives) {
  const Matrix kappa = q_->transform(normals(4));
  const Matrix gradients = q_->log_density_gradients(kappa);
  for (Index s = 0; s < kappa.cols(); ++s) {
    const Vector expected = finite_differences([&](const Vector& x) { return q_->log_densities(x)[0]; }, kappa.col(s));
    EXPECT_LT((gradients.col(s) - expected).norm(), difference_tolerance * expected.norm());
  }
}

TEST_P(FamilyContract, PullBackIsTheDerivativeOfDrawsByEveryParameter) {
  const Matrix z = normals(6), g = normals(6);
  const std::unique_ptr<Family> moved = q_->clone();
  const Vector expected = finite_differences(
      [&](const Vector& parameters) {
        EXPECT_TRUE(moved->set_parameters(parameters));
        return g.cwiseProduct(moved->transform(z)).sum();
      },
      q_->parameters());
  const Vector gradient = q_->pull_back(z, g);
  ASSERT_EQ(gradient.size(), expected.size());
  EXPECT_LT((gradient - expected).lpNorm<Eigen::Infinity>(), difference_tolerance * expected.norm());
}

// ---- normal families

INSTANTIATE_TEST_SUITE_P(All, GaussianFamilyContract, testing::ValuesIn(gaussian_cases()), name_of);

TEST_P(GaussianFamilyContract, EntropyIsTheClosedFormAndTheMeanOfMinusLogDensity) {
  // 1/2 log det(2 pi e Sigma)
  const Matrix covariance = components_of(q())[0].covariance;
  const double expected = 0.5 * std::log((2 * std::numbers::pi * std::numbers::e * covariance).determinant());
  EXPECT_NEAR(q().gaussian().entropy(), expected, 1e-12 * n_);
  expect_within_four_standard_errors(average(-q().log_densities(q().transform(normals(2000)))), expected);
}

TEST_P(GaussianFamilyContract, AMixtureOfOneComponentIsThatComponent) {
  std::vector<std::unique_ptr<GaussianFamily>> components;
  components.emplace_back(dynamic_cast<GaussianFamily*>(q().clone().release()));
  const Mixture single(std::move(components));
  const Matrix z = normals(5), g = normals(5), kappa = q().transform(z);
  EXPECT_EQ(single.num_components(), 1);
  EXPECT_EQ(single.parameters(), q().parameters());
  EXPECT_EQ(single.transform(z), kappa);
  EXPECT_EQ(single.pull_back(z, g), q().pull_back(z, g));
  // Of log(exp(x)) and of x - x = 0 rounding may remain.
  EXPECT_LT((single.mean() - q().mean()).norm(), 1e-14 * q().mean().norm());
  EXPECT_LT((single.variance() - q().variance()).norm(), 1e-14 * q().variance().norm());
  EXPECT_LT((single.log_densities(kappa) - q().log_densities(kappa)).norm(), 1e-13 * n_);
  EXPECT_LT((single.log_density_gradients(kappa) - q().log_density_gradients(kappa)).norm(), 1e-12);
}

// ---- what does not fit together

TEST(Mixture, NeedsComponentsOfOneSize) {
  EXPECT_INPUT_ERROR(Mixture({}), "a mixture needs at least one component");
  Random random(1);
  EXPECT_INPUT_ERROR(mixture(mean_field(2, random), mean_field(3, random)),
                     "the components of a mixture differ in size");
}

TEST(Mixture, DensityFarFromAllComponentsDoesNotUnderflow) {
  const auto at = [](double mean) {
    return std::make_unique<MeanField>(gaussian::DiagonalGaussian(Vector::Constant(1, mean), Vector::Ones(1)));
  };
  // At 100 the nearer component has the density exp(-99^2/2) / sqrt(2 pi), which is no double.
  const Vector x = Vector::Constant(1, 100);
  const auto q = mixture(at(-1), at(1));
  EXPECT_NEAR(q->log_densities(x)[0], -0.5 * 99 * 99 - 0.5 * std::log(2 * std::numbers::pi) - std::log(2), 1e-9);
  EXPECT_NEAR(q->log_density_gradients(x)(0, 0), -99, 1e-12);
}

TEST(SparsePrecision, RefusesASparsePriorOutsideItsPattern) {
  Random random(1);
  const auto narrow = std::make_shared<linalg::CliqueTree>(linalg::create_graph(8, {}), linalg::natural_order(8),
                                                           linalg::Amalgamation::none);
  const auto q = sparse_precision(narrow, random);
  EXPECT_INPUT_ERROR(
      q->kl_divergence(*spde(interval())),
      "expected a sparse pattern that contains the precision matrix, found one without its entry (1, 0)");
}

}  // namespace
}  // namespace varimesh::variational::test
