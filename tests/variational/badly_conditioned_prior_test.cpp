// Normal families with a prior whose precision matrix, written out, would cost digits that matter: the root does not.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "variational/family_cases.h"
#include "varimesh/variational/fit.h"

namespace varimesh::variational::test {
namespace {

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

class BadlyConditionedPrior : public testing::Test {
 protected:
  BadlyConditionedPrior() {
    std::vector<Point> points;
    for (Index i = 0; i < n_; ++i) points.emplace_back((i + 0.5) / n_, 0, 0);
    prior_ = std::make_shared<inverse::GaussianProcess>(
        inverse::Kernel{.type = inverse::KernelType::squared_exponential, .length_scale = {0.3, 0.3, 0.3}}, points, 0.4,
        1e-12);
    root_ = dynamic_cast<const gaussian::DenseGaussian&>(prior_->gaussian()).factor().cast<long double>();
  }

  /// |R^-1 x|^2 with the prior's root R, in more digits.
  double squared_norm(const Matrix& x) const {
    const Long white = root_.triangularView<Eigen::Lower>().solve(x.cast<long double>());
    return static_cast<double>(white.squaredNorm());
  }

  double divergence(const GaussianFamily& q) const {
    return 0.5 * (squared_norm(q.gaussian().dense_root()) + squared_norm(q.mean() - prior_->gaussian().mean()) - n_ +
                  prior_->gaussian().log_determinant() - q.gaussian().log_determinant());
  }

  /// Draws of the prior as directions: only such q have a divergence that is not astronomical.
  Vector smooth() { return prior_->sample(random_); }

  static constexpr Index n_ = 24;
  GaussianPriorPointer prior_;
  Long root_;
  Random random_{3};
};

TEST_F(BadlyConditionedPrior, HasNoPrecisionMatrix) {
  EXPECT_EQ(prior_->dense_precision(), nullptr);
  EXPECT_EQ(prior_->sparse_precision(), nullptr);
}

TEST_F(BadlyConditionedPrior, LogDensityIsRightWithAndWithoutGradient) {
  const Vector kappa = smooth();
  Vector gradient;
  const double value = prior_->log_density_and_gradient(kappa, gradient);
  EXPECT_NEAR(value, prior_->log_density(kappa), 1e-6);
  EXPECT_NEAR(prior_->log_density(kappa),
              prior_->gaussian().log_density_of_white(squared_norm(kappa - prior_->gaussian().mean())), 1e-6);
}

TEST_F(BadlyConditionedPrior, DivergenceOfAFullCovarianceIsRight) {
  // Half the prior, so that all is of order one.
  const FullCovariance q(gaussian::DenseGaussian(
      smooth(), 0.5 * dynamic_cast<const gaussian::DenseGaussian&>(prior_->gaussian()).factor()));
  EXPECT_NEAR(q.kl_divergence(*prior_), divergence(q), 1e-6);
  // 1/2 [ n f^2 - n - n log f^2 ] + 1/2 |mean - m|^2 for a root of f times the prior's: the derivative by log f.
  Vector gradient;
  q.kl_divergence(*prior_, gradient);
  const Vector up = dynamic_cast<const FullCovariance&>(*q.scaled(std::exp(1e-4))).parameters(),
               down = dynamic_cast<const FullCovariance&>(*q.scaled(std::exp(-1e-4))).parameters();
  EXPECT_NEAR(gradient.dot(up - down) / 2e-4, n_ * (0.25 - 1), 1e-4);
}

TEST_F(BadlyConditionedPrior, DivergenceOfASparsePrecisionIsRight) {
  const mesh::Mesh mesh = mesh::create_interval(n_);
  const linalg::Graph graph = two_facets_apart(mesh);
  const auto tree = std::make_shared<linalg::CliqueTree>(graph, linalg::natural_order(n_), linalg::Amalgamation::none);
  const std::unique_ptr<SparsePrecision> q = sparse_precision(tree, random_);
  const double expected = divergence(*q);  // some 1e12, for nothing sparse is as smooth as this prior
  Vector gradient;
  EXPECT_NEAR(q->kl_divergence(*prior_, gradient), expected, 1e-10 * expected);
  const Vector parameters = q->parameters();
  const std::unique_ptr<Family> moved = q->clone();
  const auto along = [&](const Vector& direction, double step) {
    EXPECT_TRUE(moved->set_parameters(parameters + step * direction));
    return divergence(dynamic_cast<const GaussianFamily&>(*moved));
  };
  for (int k = 0; k < 3; ++k) {
    const Vector direction = random_.normal_vector(static_cast<Index>(parameters.size())).normalized();
    constexpr double step = 1e-5;  // squared, times third derivatives
    EXPECT_NEAR(gradient.dot(direction), (along(direction, step) - along(direction, -step)) / (2 * step),
                1e-6 * gradient.norm());
  }
}

TEST_F(BadlyConditionedPrior, SparsePrecisionIsFittedToTheExactPosteriorThatItContains) {
  const LinearGaussian problem = measured_together(prior_);
  const Tree full =
      std::make_shared<linalg::CliqueTree>(linalg::neighbourhoods(two_facets_apart(mesh::create_interval(n_)), n_),
                                           linalg::natural_order(n_), linalg::Amalgamation::none);
  FitOptions options;
  options.pattern = full;
  const FitResult found = fit(*problem.posterior, options);
  EXPECT_NEAR(found.elbo.value, problem.log_evidence, 1e-2);
}

}  // namespace
}  // namespace varimesh::variational::test
