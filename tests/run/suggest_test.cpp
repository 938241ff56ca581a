#include "varimesh/suggest.h"

#include <gtest/gtest.h>

namespace varimesh {
namespace {

const std::vector<std::string> keys = {"cells", "cell_type", "extent", "kind"};

TEST(Suggest, NamesTheNearestWord) {
  EXPECT_EQ(suggestion("cels", keys), "; did you mean 'cells'?");
  EXPECT_EQ(suggestion("celltype", keys), "; did you mean 'cell_type'?");
  EXPECT_EQ(suggestion("Kind", keys), "; did you mean 'kind'?");
}

TEST(Suggest, CountsASwapOfNeighboursAsOneEdit) {
  EXPECT_EQ(suggestion("yx", {"xy"}), "; did you mean 'xy'?");
  EXPECT_EQ(suggestion("knid", {"kid_", "kind"}), "; did you mean 'kind'?");
}

TEST(Suggest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(suggestion("radius", keys), "");
  EXPECT_EQ(suggestion("w", {"x", "y", "z"}), "");
  EXPECT_EQ(suggestion("", keys), "");
  EXPECT_EQ(suggestion("cells", {}), "");
  EXPECT_EQ(suggestion("y", {"x", "y"}), "");  // that is what was meant
  EXPECT_EQ(suggestion("kind", {"kind", "kinds"}), "");
}

TEST(Suggest, IgnoresOverlongWords) {
  const std::string long_word(1'000'000, 'a');
  EXPECT_EQ(suggestion(long_word, {long_word}), "");
  EXPECT_EQ(suggestion("cells", {long_word}), "");
}

}  // namespace
}  // namespace varimesh
