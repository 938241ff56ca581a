#include "varimesh/io/packed_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "packed.h"
#include "varimesh/random.h"

namespace varimesh::io {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two hundred numbers with a gap.
Vector sample() {
  Random random(3);
  Vector values = 5 * random.normal_vector(200);
  values[17] = nan;
  return values;
}

TEST(PackedNumbers, AFewStayPlain) {
  const PackedNumbers packed = pack(Vector{{1, 2.5, nan}}, Packing::q8);
  EXPECT_EQ(packed.type, "");
  EXPECT_TRUE(packed.data.empty());
  ASSERT_EQ(packed.plain.size(), 3U);
  EXPECT_EQ(packed.plain[1], 2.5);
  EXPECT_TRUE(std::isnan(packed.plain[2]));
  EXPECT_EQ(pack_integers(std::vector<Index>(64, 3)).plain, std::vector<double>(64, 3));
  EXPECT_EQ(pack(Vector(), Packing::f32).plain.size(), 0U);
}

TEST(PackedNumbers, ComeBackWithinTheStepOfTheirPacking) {
  const Vector values = sample();
  const double range = 5 * 8;
  const std::pair<Packing, double> cases[] = {
      {Packing::f64, 0}, {Packing::f32, 1e-5}, {Packing::q16, range / 65534}, {Packing::q8, range / 254}};
  for (const auto& [packing, tolerance] : cases) {
    const PackedNumbers packed = pack(values, packing);
    const std::vector<double> found = test::unpack(packed.type, packed.data, packed.lo, packed.hi);
    ASSERT_EQ(found.size(), 200U) << packed.type;
    for (Eigen::Index k = 0; k < 200; ++k) {
      if (k == 17)
        EXPECT_TRUE(std::isnan(found[k])) << packed.type;
      else
        EXPECT_NEAR(found[k], values[k], tolerance) << packed.type;
    }
  }
}

TEST(PackedNumbers, InStepsKeepTheirEnds) {
  for (const Packing packing : {Packing::q16, Packing::q8}) {
    const Vector values = Vector::LinSpaced(100, -0.3, 0.7);
    const PackedNumbers packed = pack(values, packing);
    const auto found = test::unpack(packed.type, packed.data, packed.lo, packed.hi);
    EXPECT_EQ(found.front(), -0.3);
    EXPECT_DOUBLE_EQ(found.back(), 0.7);
  }
}

TEST(PackedNumbers, MayAllBeEqualOrMissing) {
  const PackedNumbers equal = pack(Vector::Constant(100, 2.5), Packing::q16);
  EXPECT_EQ(test::unpack(equal.type, equal.data, equal.lo, equal.hi), std::vector<double>(100, 2.5));
  const PackedNumbers missing = pack(Vector::Constant(100, nan), Packing::q8);
  EXPECT_TRUE(std::isfinite(missing.lo) && std::isfinite(missing.hi));
  for (const double value : test::unpack(missing.type, missing.data, missing.lo, missing.hi))
    EXPECT_TRUE(std::isnan(value));
}

TEST(PackedNumbers, ThatAreInfiniteBecomeNaN) {
  Vector values = Vector::Ones(100);
  values[3] = infinity;
  values[4] = -infinity;
  for (const Packing packing : {Packing::f64, Packing::f32, Packing::q16, Packing::q8}) {
    const PackedNumbers packed = pack(values, packing);
    const auto found = test::unpack(packed.type, packed.data, packed.lo, packed.hi);
    EXPECT_TRUE(std::isnan(found[3]) && std::isnan(found[4])) << packed.type;
    EXPECT_EQ(found[5], 1) << packed.type;
  }
}

TEST(PackedNumbers, TooLargeForFloatsAreDoubles) {
  Vector values = Vector::Ones(100);
  values[3] = 1e300;
  values[4] = -1.7e308;
  for (const Packing packing : {Packing::f32, Packing::q16}) {
    const PackedNumbers packed = pack(values, packing);
    EXPECT_EQ(packed.type, "f64");
    EXPECT_EQ(test::unpack(packed.type, packed.data, 0, 0)[4], -1.7e308);
  }
}

TEST(PackedNumbers, ThatAreIntegersAreExact) {
  std::vector<Index> values(100);
  for (Index k = 0; k < 100; ++k) values[k] = 21474836 * k;
  const PackedNumbers packed = pack_integers(values);
  EXPECT_EQ(packed.type, "i32");
  EXPECT_EQ(test::unpack(packed.type, packed.data, 0, 0), std::vector<double>(values.begin(), values.end()));
}

}  // namespace
}  // namespace varimesh::io
