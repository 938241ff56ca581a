#include "varimesh/variational/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace varimesh::variational {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// -1/2 sum_i h_i (x_i - 1)^2
Objective quadratic(const Vector& curvature) {
  return [curvature](const Vector& x, Vector& gradient) {
    const Vector offset = x.array() - 1;
    gradient = -curvature.cwiseProduct(offset);
    return 0.5 * gradient.dot(offset);
  };
}

/// Minus Rosenbrock's function: a bent ridge that rises to 0 at (1, 1).
double ridge(const Vector& x, Vector& gradient) {
  const double bend = x[1] - x[0] * x[0], left = 1 - x[0];
  gradient.resize(2);
  gradient << 400 * x[0] * bend + 2 * left, -200 * bend;
  return -100 * bend * bend - left * left;
}

TEST(Lbfgs, MaximisesAQuadraticOfConditionTenThousand) {
  const Index n = 30;
  const Vector curvature = Vector::LinSpaced(n, 0, 4).unaryExpr([](double x) { return std::pow(10.0, x); });
  const LbfgsOptions options{.max_iterations = 500};
  const LbfgsResult result = maximize_lbfgs(quadratic(curvature), Vector::Zero(n), options);
  EXPECT_TRUE(result.converged);
  // Steepest ascent would need about as many as the condition number.
  EXPECT_LT(result.iterations, 500);
  // Curvature is at least one, so what remains to be gained is about what the last gradient promised.
  EXPECT_GT(result.value, -100 * options.tolerance);
  EXPECT_LT((result.x.array() - 1).abs().maxCoeff(), std::sqrt(200 * options.tolerance));
}

TEST(Lbfgs, IsNewtonsMethodAfterOneStepInOneDimension) {
  const LbfgsResult result = maximize_lbfgs(quadratic(Vector::Constant(1, 1e3)), Vector::Constant(1, -7));
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.iterations, 3);
  EXPECT_NEAR(result.x[0], 1, 1e-10);
}

TEST(Lbfgs, FollowsABentRidge) {
  Vector start(2);
  start << -1.2, 1;
  const LbfgsResult result = maximize_lbfgs(ridge, start);
  EXPECT_TRUE(result.converged);
  EXPECT_LT(result.iterations, 60);
  // The smallest curvature at the maximum is 0.4, so a gain below 1e-9 leaves an offset below sqrt(2e-8 / 0.4).
  EXPECT_NEAR(result.x[0], 1, 2e-4);
  EXPECT_NEAR(result.x[1], 1, 4e-4);
  EXPECT_GT(result.value, -1e-8);
}

TEST(Lbfgs, StaysInsideARegionOutsideOfWhichThereIsNoValue) {
  // log x - x on x > 0, with its maximum at 1 and a start from which the first steps lead outside.
  int outside = 0;
  const Objective objective = [&](const Vector& x, Vector& gradient) {
    if (!(x.minCoeff() > 0)) {
      ++outside;
      gradient.setConstant(x.size(), std::nan(""));
      return -infinity;
    }
    gradient = 1000 * (x.cwiseInverse().array() - 1);
    return 1000 * (x.array().log() - x.array()).sum();
  };
  const LbfgsResult result = maximize_lbfgs(objective, Vector::Constant(3, 5));
  EXPECT_TRUE(result.converged);
  EXPECT_GT(outside, 0);
  EXPECT_LT((result.x.array() - 1).abs().maxCoeff(), 1e-5);
}

TEST(Lbfgs, HasNotConvergedWhereItStartsIfThereIsNoValue) {
  // A gradient that nobody wrote has size 0; one that is NaN is as bad.
  for (const Index size : {0, 2}) {
    const Objective objective = [&](const Vector&, Vector& gradient) {
      gradient.setConstant(size, std::nan(""));
      return -infinity;
    };
    const LbfgsResult result = maximize_lbfgs(objective, Vector::Ones(2));
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.x, Vector::Ones(2));
    EXPECT_EQ(result.iterations, 0);
  }
}

TEST(Lbfgs, HasNotConvergedIfItMayNotIterateEnough) {
  Vector start(2);
  start << -1.2, 1;
  double before = -infinity;
  for (const Index iterations : {0, 1, 5, 10}) {
    const LbfgsResult result = maximize_lbfgs(ridge, start, {.max_iterations = iterations});
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.iterations, iterations);
    EXPECT_GT(result.value, before);  // every iteration gains
    before = result.value;
    Vector gradient;
    EXPECT_EQ(result.value, ridge(result.x, gradient));
  }
}

TEST(Lbfgs, ALargerToleranceStopsEarlier) {
  const Vector curvature = Vector::LinSpaced(30, 0, 4).unaryExpr([](double x) { return std::pow(10.0, x); });
  const LbfgsResult rough =
      maximize_lbfgs(quadratic(curvature), Vector::Zero(30), {.max_iterations = 500, .tolerance = 1});
  const LbfgsResult fine =
      maximize_lbfgs(quadratic(curvature), Vector::Zero(30), {.max_iterations = 500, .tolerance = 1e-6});
  EXPECT_TRUE(rough.converged);
  EXPECT_TRUE(fine.converged);
  EXPECT_LT(rough.iterations, fine.iterations);
  EXPECT_LT(rough.value, fine.value);
}

TEST(Lbfgs, IsDoneAtAMaximum) {
  const LbfgsResult result = maximize_lbfgs(quadratic(Vector::Ones(4)), Vector::Ones(4));
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.x, Vector::Ones(4));
}

TEST(Lbfgs, AFunctionWithoutMaximumIsNotConvergence) {
  const Objective slope = [](const Vector& x, Vector& gradient) {
    gradient = Vector::Ones(x.size());
    return x.sum();
  };
  EXPECT_FALSE(maximize_lbfgs(slope, Vector::Zero(2)).converged);
}

}  // namespace
}  // namespace varimesh::variational
