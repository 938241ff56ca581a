#include "varimesh/io/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace varimesh::io {
namespace {

std::string encoded(std::string_view text) { return base64(std::as_bytes(std::span(text))); }

TEST(Base64, EncodesTheExamplesOfRfc4648) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, EncodesBytesAbove127) {
  EXPECT_EQ(encoded("\xFF\xEF\xBE"), "/+++");
  EXPECT_EQ(encoded(std::string_view("\0\0\xFF", 3)), "AAD/");
}

}  // namespace
}  // namespace varimesh::io
