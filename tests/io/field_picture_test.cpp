#include "varimesh/io/field_picture.h"

#include <gmock/gmock.h>

#include "problems.h"
#include "varimesh/io/svg.h"

namespace varimesh::io {
namespace {

using mesh::CellType;
using testing::ElementsAre;
using testing::HasSubstr;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

std::optional<std::string> picture_of(const mesh::Mesh& mesh) {
  return draw({mesh,
               Vector::LinSpaced(mesh.num_cells(), -1, 1),
               Vector::LinSpaced(mesh.num_nodes(), 0, 3),
               {mesh.nodes.front(), mesh.nodes.back()},
               Vector::Ones(2),
               Vector::Constant(2, 0.1)});
}

TEST(Svg, TicksAreRoundAndInside) {
  EXPECT_THAT(round_ticks(0, 1, 5), ElementsAre(0, 0.2, 0.4, testing::DoubleEq(0.6), 0.8, 1));
  EXPECT_THAT(round_ticks(-0.7, 0.4, 5), ElementsAre(-0.5, 0));
  EXPECT_THAT(round_ticks(3, 3, 5), ElementsAre(3));
  EXPECT_THAT(round_ticks(1, std::nextafter(1, 2), 5), ElementsAre(1));
  EXPECT_THAT(round_ticks(-1e300, 1e300, 5), testing::SizeIs(testing::Ge(3)));
}

TEST(Svg, ColoursRunFromDarkToLightAndStayInRange) {
  EXPECT_EQ(scale_colour(0), "#440154");
  EXPECT_EQ(scale_colour(1), "#fde725");
  EXPECT_EQ(scale_colour(-5), scale_colour(0));
  EXPECT_EQ(scale_colour(std::nan("")), scale_colour(0));
}

TEST(Svg, TextIsEscaped) {
  SvgDrawing svg(10, 10);
  svg.text(0, 0, "a < b & c", "start");
  EXPECT_THAT(svg.str(), HasSubstr("a &lt; b &amp; c"));
}

TEST(FieldPicture, DrawsEveryCellTwiceAndEverySensor) {
  const auto svg = picture_of(test::unit_mesh(CellType::triangle, 4));
  ASSERT_TRUE(svg);
  EXPECT_EQ(count(*svg, "<polygon"), 2 * 32U);
  EXPECT_EQ(count(*svg, "<circle"), 2U);
  EXPECT_THAT(*svg, testing::EndsWith("</svg>\n"));
}

TEST(FieldPicture, DrawsALineAsGraphs) {
  const auto svg = picture_of(test::unit_mesh(CellType::line, 6));
  ASSERT_TRUE(svg);
  EXPECT_EQ(count(*svg, "<circle"), 2U);
  EXPECT_EQ(count(*svg, "nan"), 0U);
}

TEST(FieldPicture, JoinsAFieldOnNodesAndTakesMeansInThePlane) {
  const mesh::Mesh line = test::unit_mesh(CellType::line, 6), plane = test::unit_mesh(CellType::triangle, 4);
  const auto steps = draw({line, Vector::LinSpaced(6, 0, 1), Vector::Zero(7), {}, Vector(), Vector()});
  const auto curve = draw({line, Vector::LinSpaced(7, 0, 1), Vector::Zero(7), {}, Vector(), Vector(), true});
  ASSERT_TRUE(steps && curve);
  EXPECT_EQ(count(*curve, "<polyline"), count(*steps, "<polyline") - 6 + 1);
  const auto maps = draw({plane, Vector::LinSpaced(25, 0, 1), Vector::Zero(25), {}, Vector(), Vector(), true});
  ASSERT_TRUE(maps);
  EXPECT_EQ(count(*maps, "<polygon"), 2 * 32U);
}

TEST(FieldPicture, AConstantFieldIsDrawnToo) {
  const mesh::Mesh mesh = test::unit_mesh(CellType::quadrilateral, 2);
  const auto svg = draw({mesh, Vector::Zero(4), Vector::Zero(9), {}, Vector(), Vector()});
  ASSERT_TRUE(svg);
  EXPECT_EQ(count(*svg, "nan"), 0U);
}

TEST(FieldPicture, LeavesSolidsToParaView) { EXPECT_FALSE(picture_of(test::unit_mesh(CellType::hexahedron, 2))); }

}  // namespace
}  // namespace varimesh::io
