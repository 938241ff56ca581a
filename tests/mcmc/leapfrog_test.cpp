#include "varimesh/mcmc/leapfrog.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "paper_problems.h"
#include "variational/linear_problem.h"
#include "varimesh/gaussian/dense_gaussian.h"
#include "varimesh/inverse/gaussian_process.h"

namespace varimesh::mcmc {
namespace {

/// A trajectory on the paper's 1D problem, with the prior's covariance as inverse mass matrix, from the truth.
class LeapfrogTest : public testing::TestWithParam<Motion> {
 protected:
  /// The point after so many steps of the same trajectory.
  PhasePoint travel(double step, int steps) {
    Target target(*problem_.posterior);
    Leapfrog leapfrog(target, scale(), GetParam());
    PhasePoint point = start();
    for (int i = 0; i < steps; ++i) leapfrog.advance(step, point);
    return point;
  }

  PhasePoint start() {
    Target target(*problem_.posterior);
    Position position{.kappa = problem_.truth};
    target.evaluate_with_gradient(position);
    Random random(7);
    PhasePoint point;
    Leapfrog(target, scale(), GetParam()).start(position, random, point);
    return point;
  }

  const gaussian::Gaussian& scale() const { return problem_.posterior->gaussian_prior()->gaussian(); }

  test::PaperProblem problem_ = test::paper_1d(0.3);
};

INSTANTIATE_TEST_SUITE_P(Motions, LeapfrogTest, testing::Values(Motion::straight, Motion::circular),
                         [](const auto& motion) { return motion.param == Motion::straight ? "straight" : "circular"; });

TEST_P(LeapfrogTest, ReturnsWhenTimeRunsBackwards) {
  Target target(*problem_.posterior);
  Leapfrog leapfrog(target, scale(), GetParam());
  PhasePoint point = travel(0.01, 20);
  for (int i = 0; i < 20; ++i) leapfrog.advance(-0.01, point);
  // Rounding, amplified by the condition of the prior's covariance (jitter 1e-6).
  EXPECT_LT((point.position.kappa - start().position.kappa).norm(), 1e-9);
  EXPECT_LT((point.momentum - start().momentum).norm(), 1e-7);
}

TEST_P(LeapfrogTest, EnergyErrorFallsWithTheSquareOfTheStep) {
  const double energy = start().energy();
  const double coarse = travel(0.004, 10).energy() - energy, fine = travel(0.002, 20).energy() - energy;
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST_P(LeapfrogTest, PreservesVolumeInPhaseSpace) {
  // |det d(z, w) / d(z_0, w_0)| = 1 for kappa = R z, by differences in all 64 coordinates.
  const Index n = problem_.posterior->size();
  Target target(*problem_.posterior);
  Leapfrog leapfrog(target, scale(), GetParam());
  const double h = 1e-5;
  const auto image = [&](Index coordinate, double shift) {
    PhasePoint point = start();
    Vector z = Vector::Zero(n);
    if (coordinate < n)
      z[coordinate] = shift;
    else
      point.momentum[coordinate - n] += shift;
    scale().multiply_root(z);
    point.position.kappa += z;
    target.evaluate_with_gradient(point.position);
    point.white_gradient = point.position.gradient;
    scale().multiply_root_transposed(point.white_gradient);
    point.white = point.position.kappa - scale().mean();
    scale().solve_root(point.white);
    for (int i = 0; i < 3; ++i) leapfrog.advance(0.01, point);
    Vector white = point.position.kappa;
    scale().solve_root(white);
    Vector result(2 * n);
    result << white, point.momentum;
    return result;
  };
  Matrix jacobian(2 * n, 2 * n);
  for (Index j = 0; j < 2 * n; ++j) jacobian.col(j) = (image(j, h) - image(j, -h)) / (2 * h);
  EXPECT_NEAR(std::abs(jacobian.determinant()), 1, 1e-4);  // differences are exact to h^2
}

TEST(CircularMotion, FollowsANormalTargetExactlyHoweverLongTheStep) {
  std::vector<Point> points;
  for (int i = 0; i < 12; ++i) points.emplace_back((i + 0.5) / 12, 0, 0);
  const auto prior = std::make_shared<inverse::GaussianProcess>(
      inverse::Kernel{.type = inverse::KernelType::matern32, .length_scale = {0.3, 0.3, 0.3}}, points, 0.5, 1e-6);
  const test::LinearGaussian problem = test::linear_gaussian(prior, test::smooth_rows(5, 12, 1), 0.1);
  const gaussian::DenseGaussian exact(problem.mean, Eigen::LLT<Matrix>(problem.covariance).matrixL());
  Target target(*problem.posterior);
  Position position{.kappa = Vector::Constant(12, 0.4)};
  target.evaluate_with_gradient(position);
  Leapfrog leapfrog(target, exact, Motion::circular);
  Random random(3);
  PhasePoint point;
  leapfrog.start(position, random, point);
  const double energy = point.energy();
  for (const double step : {0.3, 1.0, 1.5, -2.8}) {
    leapfrog.advance(step, point);
    EXPECT_NEAR(point.energy(), energy, 1e-8 * std::abs(energy));
  }
  // 0.3 + 1 + 1.5 - 2.8 = 0: back where it began
  EXPECT_LT((point.position.kappa - position.kappa).norm(), 1e-8);
}

}  // namespace
}  // namespace varimesh::mcmc
