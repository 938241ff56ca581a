#include "varimesh/number_words.h"

#include <gtest/gtest.h>

#include <cmath>

namespace varimesh {
namespace {

using Texts = std::pair<std::string, std::string>;

TEST(NumberWords, WriteOutTheDigitsBeforeThePoint) {
  EXPECT_EQ(in_digits(356.2, 2), "356");
  EXPECT_EQ(in_digits(-23114.4, 4), "-23114");
  EXPECT_EQ(in_digits(99.7, 2), "100");
  EXPECT_EQ(in_digits(0.012345, 3), "0.0123");
  EXPECT_EQ(in_digits(12.345, 3), "12.3");
  EXPECT_EQ(in_digits(0, 3), "0");
  EXPECT_EQ(in_digits(1.5e12, 2), "1.5e+12");
  EXPECT_EQ(in_digits(1.5e-7, 2), "1.5e-07");
}

TEST(NumberWords, EndValueAndErrorAtTheSamePlace) {
  EXPECT_EQ(in_digits_of_error(2311.3, 356.2, 2), (Texts{"2311", "356"}));
  EXPECT_EQ(in_digits_of_error(0.01184, 0.00009, 1), (Texts{"0.01184", "0.00009"}));
  EXPECT_EQ(in_digits_of_error(-12.345, 0.26, 2), (Texts{"-12.35", "0.26"}));
  EXPECT_EQ(in_digits_of_error(3e12, 2e10, 2), (Texts{"3e+12", "2e+10"}));
  EXPECT_EQ(in_digits_of_error(1, std::nan(""), 2), (Texts{"1", "nan"}));
  EXPECT_EQ(with_error(2311.3, 356.2, 2), "2311 +- 356");
}

TEST(NumberWords, HaveTheDigitsThatTellAValueFromItsLimit) {
  EXPECT_EQ(told_apart(1.02, 1.01, 3), (Texts{"1.020", "1.010"}));
  EXPECT_EQ(told_apart(1.01030, 1.01, 3), (Texts{"1.0103", "1.0100"}));
  EXPECT_EQ(told_apart(0.668, 2.0 / 3, 2), (Texts{"0.668", "0.667"}));
  EXPECT_EQ(told_apart(1, 1, 2), (Texts{"1.00", "1.00"}));
  EXPECT_EQ(told_apart(std::nan(""), 1, 2), (Texts{"nan", "1.00"}));
}

TEST(NumberWords, CountOneThingAsOne) {
  EXPECT_EQ(counted(1, "sensor"), "1 sensor");
  EXPECT_EQ(counted(0, "sensor"), "0 sensors");
  EXPECT_EQ(counted(12, "sensor"), "12 sensors");
  EXPECT_EQ(counted(1, "hexahedron", "hexahedra"), "1 hexahedron");
  EXPECT_EQ(counted(2, "hexahedron", "hexahedra"), "2 hexahedra");
  EXPECT_EQ(amount(1.02, 2, "sd"), "1 sd");
  EXPECT_EQ(amount(0.31, 2, "sd"), "0.31 sds");
  EXPECT_EQ(amount(133.2, 2, "sd"), "133 sds");
  EXPECT_EQ(times_as(1.002, 2, "large"), "as large");
  EXPECT_EQ(times_as(0.84, 2, "large"), "0.84 times as large");
}

}  // namespace
}  // namespace varimesh
