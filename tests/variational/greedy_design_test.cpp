#include "varimesh/variational/greedy_design.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>

#include "varimesh/random.h"

namespace varimesh::variational {
namespace {

/// (I + A_S A_S')^-1 by dense algebra.
Matrix covariance_after(const Matrix& a, const std::vector<Index>& sensors) {
  const Matrix chosen = a(Eigen::all, sensors);
  return (Matrix::Identity(a.rows(), a.rows()) + chosen * chosen.transpose()).inverse();
}

TEST(GreedyDesign, GainsAreThoseOfLogDeterminants) {
  const Matrix a = Random(1).normal_matrix(8, 30);
  const GreedyDesign design = choose_greedily(a, Vector(), 12);
  std::vector<Index> sensors;
  const auto information = [&](const std::vector<Index>& chosen) {
    return -0.5 * std::log(covariance_after(a, chosen).determinant());
  };
  for (std::size_t k = 0; k < design.chosen.size(); ++k) {
    const double before = information(sensors);
    double best = 0;
    for (Index c = 0; c < 30; ++c) {
      if (std::ranges::count(sensors, c) > 0) continue;
      std::vector<Index> with = sensors;
      with.push_back(c);
      const double gain = information(with) - before;
      best = std::max(best, gain);
      if (k == 0) {
        EXPECT_NEAR(design.alone[c], gain, 1e-12);
      }
    }
    // The best by brute force, to rounding of determinants.
    EXPECT_NEAR(design.gains[static_cast<Eigen::Index>(k)], best, 1e-11) << k;
    sensors.push_back(design.chosen[k]);
    EXPECT_NEAR(information(sensors) - before, best, 1e-11) << k;
  }
  EXPECT_EQ(std::set<Index>(sensors.begin(), sensors.end()).size(), 12U);
}

TEST(GreedyDesign, OfAQuantityTakesMostOfItsVariance) {
  Random random(2);
  const Matrix a = random.normal_matrix(10, 25);
  const Vector b = random.normal_vector(10);
  const GreedyDesign design = choose_greedily(a, b, 6);
  std::vector<Index> sensors;
  for (std::size_t k = 0; k <= design.chosen.size(); ++k) {
    const double variance = b.dot(covariance_after(a, sensors) * b);
    EXPECT_NEAR(design.variance[static_cast<Eigen::Index>(k)], variance, 1e-12 * b.squaredNorm());
    if (k == design.chosen.size()) break;
    double least = variance;
    for (Index c = 0; c < 25; ++c) {
      std::vector<Index> with = sensors;
      with.push_back(c);
      if (std::ranges::count(sensors, c) == 0) least = std::min(least, b.dot(covariance_after(a, with) * b));
    }
    EXPECT_NEAR(design.gains[static_cast<Eigen::Index>(k)], 0.5 * std::log(variance / least), 1e-10) << k;
    sensors.push_back(design.chosen[k]);
  }
}

TEST(GreedyDesign, TakesNoMoreThanThereAre) {
  EXPECT_EQ(choose_greedily(Random(3).normal_matrix(4, 3), Vector(), 10).chosen.size(), 3U);
}

}  // namespace
}  // namespace varimesh::variational
