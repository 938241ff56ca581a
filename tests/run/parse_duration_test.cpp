#include "varimesh/run/parse_duration.h"

#include <gtest/gtest.h>

#include "expect_input_error.h"

namespace varimesh::run {
namespace {

TEST(ParseDuration, TakesSecondsMinutesAndHours) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("2min"), 120);
  EXPECT_EQ(parse_duration("1.5 h"), 5400);
}

TEST(ParseDuration, SaysWhatItExpects) {
  for (const char* text : {"", "min", "2 days", "-1s", "0", "nan", "1e99", "2min 3s", "inf"})
    EXPECT_INPUT_ERROR(parse_duration(text),
                       "expected a time such as \"90s\", \"2min\" or \"1h\", found '" + std::string(text) + "'");
}

}  // namespace
}  // namespace varimesh::run
