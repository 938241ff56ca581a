#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace varimesh::io {

/// Round numbers that divide [low, high] into about `count` steps, within the interval.
std::vector<double> round_ticks(double low, double high, int count);

/// The colour of t in [0, 1] on a scale of even lightness that colour-blind readers can tell apart (viridis):
/// "#rrggbb".
std::string scale_colour(double t);

/// An SVG drawing of a given size in pixels, built up shape by shape.
class SvgDrawing {
 public:
  SvgDrawing(double width, double height);

  void polygon(const std::vector<std::pair<double, double>>& points, std::string_view fill);
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view stroke, double width);
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width);
  void rectangle(double x, double y, double width, double height, std::string_view fill, std::string_view stroke);
  void circle(double x, double y, double radius, std::string_view fill, std::string_view stroke);
  /// Text at its baseline; anchor is start, middle or end.
  void text(double x, double y, std::string_view content, std::string_view anchor, double size = 13);

  /// The whole document.
  std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace varimesh::io
