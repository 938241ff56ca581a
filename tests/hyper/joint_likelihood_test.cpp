#include "varimesh/hyper/joint_likelihood.h"

#include <gtest/gtest.h>

#include <limits>

#include "linear_hyper.h"
#include "varimesh/error.h"
#include "varimesh/inverse/contract.h"

namespace varimesh::hyper {
namespace {

TEST(ScaledObservations, AreThoseOfAnotherSigma) {
  const Matrix y = Random(1).normal_matrix(3, 4);
  const Vector sigma = Vector::LinSpaced(4, 0.5, 2), prediction = Vector::Constant(4, 0.3);
  const Vector mean = y.colwise().mean(), count = Vector::Constant(4, 3);
  const auto expect_same = [&](const inverse::Observations& found, const inverse::Observations& expected) {
    EXPECT_NEAR(inverse::log_likelihood(found, prediction), inverse::log_likelihood(expected, prediction), 1e-12);
    EXPECT_TRUE(found.sigma.isApprox(expected.sigma));
  };
  expect_same(scaled(inverse::observe_replicates(y, sigma), 1.7), inverse::observe_replicates(y, 1.7 * sigma));
  expect_same(scaled(inverse::observe_means(mean, count, sigma), 0.2),
              inverse::observe_means(mean, count, 0.2 * sigma));
}

TEST(JointLikelihood, GradientByFieldAndHyperparametersIsThatOfDifferences) {
  const auto problem = test::linear_hyper(4);
  Random random(2);
  const JointLikelihood likelihood(problem->family, 40);
  for (int k = 0; k < 3; ++k) {
    const auto contract = inverse::check_log_likelihood(likelihood, random.normal_vector(44), random);
    EXPECT_LT(contract.value_error, 1e-12);
    // Differences in t of the root are good to about 1e-8, as is the check.
    EXPECT_LT(contract.gradient_error, 1e-6);
    EXPECT_TRUE(contract.same_on_threads);
  }
}

TEST(JointLikelihood, OfAPriorThatIsNoneIsImpossible) {
  auto problem = test::linear_hyper(1);
  problem->family.prior = [](const Vector&) -> std::shared_ptr<const inverse::GaussianPrior> {
    throw InputError("not positive definite");
  };
  Vector gradient;
  const JointLikelihood likelihood(problem->family, 40);
  EXPECT_EQ(likelihood.value(Vector::Zero(41)), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(likelihood.value_and_gradient(Vector::Zero(41), gradient), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace varimesh::hyper
