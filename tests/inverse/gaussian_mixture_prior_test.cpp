#include "varimesh/inverse/gaussian_mixture_prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expect_input_error.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/independent_prior.h"

namespace varimesh::inverse {
namespace {

Vector vector2(double x, double y) { return Eigen::Vector2d(x, y); }

/// A normal prior by its dense root.
class DensePrior final : public GaussianPrior {
 public:
  DensePrior(const Vector& mean, const Matrix& root)
      : gaussian_(mean, root),
        precision_(gaussian_.precision_times(Matrix::Identity(mean.size(), mean.size()))),
        precision_diagonal_(gaussian_.precision_diagonal()) {}

  const gaussian::Gaussian& gaussian() const override { return gaussian_; }
  bool has_sparse_precision() const override { return false; }
  const SparseMatrix* sparse_precision() const override { return nullptr; }
  const Matrix* dense_precision() const override { return &precision_; }
  const Vector& precision_diagonal() const override { return precision_diagonal_; }

 private:
  gaussian::DenseGaussian gaussian_;
  Matrix precision_;
  Vector precision_diagonal_;
};

/// A correlated and a diagonal normal, with weights 3 : 1.
GaussianMixturePrior two_hills() {
  const Matrix root = Eigen::Matrix2d{{0.5, 0}, {0.3, 0.4}};
  return {vector2(3, 1),
          {std::make_shared<DensePrior>(vector2(-1, 0.5), root),
           std::make_shared<IndependentPrior>(vector2(1.5, -0.5), vector2(0.6, 0.8))}};
}

TEST(GaussianMixturePrior, WeightsAreNormalised) {
  const GaussianMixturePrior prior = two_hills();
  EXPECT_EQ(prior.weights(), vector2(0.75, 0.25));
  EXPECT_EQ(prior.components().size(), 2u);
  EXPECT_EQ(prior.size(), 2);
  const auto normal = prior.components()[0];
  EXPECT_EQ(GaussianMixturePrior(vector2(1e308, 1e308), {normal, normal}).weights(), vector2(0.5, 0.5));
}

TEST(GaussianMixturePrior, DensityIntegratesToOne) {
  // The trapezoidal rule is exact to rounding for smooth functions that vanish at the ends: 10 and more standard
  // deviations away, in steps of a quarter of one.
  const GaussianMixturePrior prior = two_hills();
  constexpr double h = 0.1, end = 9;
  double integral = 0;
  Vector moment = Vector::Zero(2);
  for (double x = -end; x <= end; x += h) {
    for (double y = -end; y <= end; y += h) {
      const double mass = h * h * std::exp(prior.log_density(vector2(x, y)));
      integral += mass;
      moment += mass * vector2(x, y);
    }
  }
  EXPECT_NEAR(integral, 1, 1e-12);
  EXPECT_LT((moment - vector2(0.75 * -1 + 0.25 * 1.5, 0.75 * 0.5 + 0.25 * -0.5)).norm(), 1e-12);
}

TEST(GaussianMixturePrior, OfOneComponentIsThatNormal) {
  const auto normal = two_hills().components()[0];
  const GaussianMixturePrior prior(Vector::Constant(1, 7), {normal});
  EXPECT_NEAR(prior.log_density(vector2(0.3, 0.4)), normal->log_density(vector2(0.3, 0.4)), 1e-14);
}

TEST(GaussianMixturePrior, GradientIsThatOfItsLogDensity) {
  const GaussianMixturePrior prior = two_hills();
  for (const Vector& kappa : {vector2(-1, 0.4), vector2(0.2, 0.1), vector2(0.6, -0.1), vector2(4, 3)}) {
    Vector gradient;
    EXPECT_NEAR(prior.log_density_and_gradient(kappa, gradient), prior.log_density(kappa), 1e-13);
    constexpr double h = 1e-5;
    for (Index i = 0; i < 2; ++i) {
      const Vector step = h * Vector::Unit(2, i);
      // Truncation h^2 times third derivatives of some tens, rounding 1e-15 / h.
      EXPECT_NEAR(gradient[i], (prior.log_density(kappa + step) - prior.log_density(kappa - step)) / (2 * h), 1e-8);
    }
  }
}

TEST(GaussianMixturePrior, SamplesHaveItsMeanAndCovariance) {
  const GaussianMixturePrior prior = two_hills();
  // mean = sum_k w_k m_k,  covariance = sum_k w_k (Sigma_k + m_k m_k') - mean mean'
  const Vector mean = vector2(-0.375, 0.25);
  Matrix covariance = -mean * mean.transpose();
  for (int k = 0; k < 2; ++k) {
    const gaussian::Gaussian& normal = prior.components()[k]->gaussian();
    covariance += prior.weights()[k] *
                  (normal.covariance_times(Matrix::Identity(2, 2)) + normal.mean() * normal.mean().transpose());
  }
  constexpr Index n = 20'000;
  Random random(5);
  Matrix draws(2, n);
  for (Index i = 0; i < n; ++i) draws.col(i) = prior.sample(random) - mean;
  const Matrix squares = draws * draws.transpose() / n;
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(draws.row(i).mean(), 0, 4 * std::sqrt(covariance(i, i) / n));
    for (Index j = 0; j < 2; ++j) {
      // The standard error of a mean of products, from the products themselves.
      const Vector products = draws.row(i).cwiseProduct(draws.row(j)).transpose();
      const double spread = std::sqrt((products.array() - products.mean()).square().mean() / n);
      EXPECT_NEAR(squares(i, j), covariance(i, j), 4 * spread);
    }
  }
}

TEST(GaussianMixturePrior, FarTailsAreFinite) {
  const GaussianMixturePrior prior = two_hills();
  Vector gradient;
  for (const Vector& kappa : {vector2(100, 0), vector2(-1e5, 1e5), vector2(1e150, 0), vector2(-1e150, 1e150)}) {
    EXPECT_TRUE(std::isfinite(prior.log_density_and_gradient(kappa, gradient))) << kappa;
    EXPECT_TRUE(gradient.allFinite()) << kappa;
    EXPECT_LT(gradient.dot(kappa), 0) << kappa;  // back towards the hills
  }
}

TEST(GaussianMixturePrior, WhereTheSquareOverflowsTheDensityIsZeroAndTheGradientPointsBack) {
  Vector gradient;
  EXPECT_EQ(two_hills().log_density_and_gradient(vector2(1e200, 0), gradient), -INFINITY);
  EXPECT_TRUE(gradient.allFinite());
  EXPECT_LT(gradient[0], 0);
}

TEST(GaussianMixturePrior, BadInputIsNamed) {
  const auto one = std::make_shared<IndependentPrior>(Vector::Zero(1), Vector::Ones(1));
  const auto two = std::make_shared<IndependentPrior>(Vector::Zero(2), Vector::Ones(2));
  EXPECT_INPUT_ERROR(GaussianMixturePrior(Vector(), {}), "expected at least one component, found none");
  EXPECT_INPUT_ERROR(GaussianMixturePrior(Vector::Ones(3), {one, one}),
                     "expected as many weights as components (2), found 3");
  EXPECT_INPUT_ERROR(GaussianMixturePrior(vector2(1, 1), {one, two}),
                     "expected components of one size (1), found one of 2");
  EXPECT_INPUT_ERROR(GaussianMixturePrior(vector2(1, 0), {one, one}), "expected a positive weight, found 0");
  EXPECT_INPUT_ERROR(GaussianMixturePrior(vector2(1, NAN), {one, one}), "expected a positive weight, found nan");
}

}  // namespace
}  // namespace varimesh::inverse
