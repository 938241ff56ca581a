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

TEST(Random, ManyNormalsAreThoseOfSingleCalls) {
  // Their functions are accurate to 4 units in the last place, and no normal is above 9 (2^-53 is the least uniform).
  constexpr double tolerance = 2 * 4 * 9 * 0x1p-52;
  for (const Index before : {0, 1}) {  // uniforms taken
    for (const Index single : {0, 1, 2}) {
      for (const Index count : {0, 1, 2, 127, 128, 129, 300}) {
        Random one(5, 8), many(5, 8);
        for (Index i = 0; i < before; ++i) EXPECT_EQ(one.uniform(), many.uniform());
        for (Index i = 0; i < single; ++i) EXPECT_EQ(one.normal(), many.normal());
        const Vector found = many.normal_vector(count);
        for (const double value : found) ASSERT_NEAR(value, one.normal(), tolerance);
        EXPECT_EQ(one.uniform(), many.uniform());  // and both go on alike
        EXPECT_NEAR(one.normal(), many.normal(), tolerance);
      }
    }
  }
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
