#include "varimesh/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace varimesh {
namespace {

TEST(Random, IsPhiloxAsPublished) {
  // Known answer of Philox-2x64-10 for counter 0 and key 0 (Random123's kat_vectors).
  Random random(0, 0);
  EXPECT_EQ(random.uniform(), (static_cast<double>(0xca00a0459843d731 >> 11) + 0.5) * 0x1p-53);
  EXPECT_EQ(random.uniform(), (static_cast<double>(0x66c24222c9a845b5 >> 11) + 0.5) * 0x1p-53);
}

TEST(Random, StreamsAndSeedsDiffer) {
  EXPECT_NE(Random(1, 0).uniform(), Random(1, 1).uniform());
  EXPECT_NE(Random(1, 0).uniform(), Random(2, 0).uniform());
  EXPECT_EQ(Random(7, 9).normal(), Random(7, 9).normal());
}

TEST(Random, NormalHasTheRightMoments) {
  constexpr Index n = 200'000;
  const Vector x = Random(3).normal_vector(n);
  // Standard errors of the first four moments of n normals, times 4.5 (one in 1e5).
  const double scale = 4.5 / std::sqrt(n);
  EXPECT_NEAR(x.mean(), 0, scale);
  EXPECT_NEAR(x.array().square().mean(), 1, scale * std::sqrt(2.0));
  EXPECT_NEAR(x.array().cube().mean(), 0, scale * std::sqrt(15.0));
  EXPECT_NEAR(x.array().pow(4).mean(), 3, scale * std::sqrt(96.0));
}

}  // namespace
}  // namespace varimesh
