#include "varimesh/transform.h"

#include <gtest/gtest.h>

namespace varimesh {
namespace {

constexpr Transform transforms[] = {
    {}, {.kind = Transform::Kind::exp}, {.kind = Transform::Kind::bounded, .from = -2, .to = 3}};

TEST(Transform, HasTheSlopeOfItsValues) {
  // Central differences of step h err by h^2 / 6 times a third derivative of at most exp(2), and by rounding / h.
  constexpr double h = 1e-5;
  for (const Transform& transform : transforms) {
    for (const double x : {-2.0, -0.3, 0.0, 1.0, 2.0})
      EXPECT_NEAR((transform.value(x + h) - transform.value(x - h)) / (2 * h), transform.slope(x), 1e-9);
  }
}

TEST(Transform, IsUndoneByItsInverse) {
  for (const Transform& transform : transforms) {
    for (const double x : {-2.0, -0.3, 0.0, 1.0, 2.0}) EXPECT_NEAR(transform.inverse(transform.value(x)), x, 1e-14);
  }
}

TEST(Transform, ToBoundsMakesAStandardNormalVariableUniform) {
  // P(x < -1.2815515655446004) = 0.1
  EXPECT_NEAR(transforms[2].value(-1.2815515655446004), -1.5, 1e-14);
  EXPECT_NEAR(transforms[2].inverse(0.5), 0, 1e-15);
}

TEST(Transform, StaysWithinItsBounds) {
  constexpr Transform bounded = transforms[2];
  for (const double x : {-1000.0, -5.0, 5.0, 1000.0}) {
    EXPECT_GE(bounded.value(x), -2);
    EXPECT_LE(bounded.value(x), 3);
    EXPECT_GE(bounded.slope(x), 0);
    EXPECT_LE(bounded.slope(x), 2);  // (to - from) / sqrt(2 pi)
  }
}

}  // namespace
}  // namespace varimesh
