#include "varimesh/mcmc/leapfrog.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "paper_problems.h"
#include "varimesh/gaussian/dense_gaussian.h"

namespace varimesh::mcmc {
namespace {

/// A trajectory on the paper's 1D problem, with the prior's covariance as inverse mass matrix, from the truth.
class LeapfrogTest : public testing::Test {
 protected:
  /// The point after so many steps of the same trajectory.
  PhasePoint travel(double step, int steps) {
    Target target(*problem_.posterior);
    Leapfrog leapfrog(target, scale());
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
    Leapfrog(target, scale()).start(position, random, point);
    return point;
  }

  const gaussian::Gaussian& scale() const { return problem_.posterior->gaussian_prior()->gaussian(); }

  test::PaperProblem problem_ = test::paper_1d(0.3);
};

TEST_F(LeapfrogTest, ReturnsWhenTimeRunsBackwards) {
  Target target(*problem_.posterior);
  Leapfrog leapfrog(target, scale());
  PhasePoint point = travel(0.01, 20);
  for (int i = 0; i < 20; ++i) leapfrog.advance(-0.01, point);
  // Rounding, amplified by the condition of the prior's covariance (jitter 1e-6).
  EXPECT_LT((point.position.kappa - start().position.kappa).norm(), 1e-9);
  EXPECT_LT((point.momentum - start().momentum).norm(), 1e-7);
}

TEST_F(LeapfrogTest, EnergyErrorFallsWithTheSquareOfTheStep) {
  const double energy = start().energy();
  const double coarse = travel(0.004, 10).energy() - energy, fine = travel(0.002, 20).energy() - energy;
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST_F(LeapfrogTest, PreservesVolumeInPhaseSpace) {
  // |det d(z, w) / d(z_0, w_0)| = 1 for kappa = R z, by differences in all 64 coordinates.
  const Index n = problem_.posterior->size();
  Target target(*problem_.posterior);
  Leapfrog leapfrog(target, scale());
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

}  // namespace
}  // namespace varimesh::mcmc
