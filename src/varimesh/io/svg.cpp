#include "varimesh/io/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "varimesh/io/xml.h"

namespace varimesh::io {
namespace {

std::string point_list(const std::vector<std::pair<double, double>>& points) {
  std::string list;
  for (const auto& [x, y] : points) fmt::format_to(std::back_inserter(list), "{:.2f},{:.2f} ", x, y);
  if (!list.empty()) list.pop_back();
  return list;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  const bool distinguishable = rough > 1e-12 * std::max(std::abs(low), std::abs(high));
  if (!distinguishable || !std::isfinite(rough)) return {low};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (int k = 0; k <= count && (first + k) * step <= high + 1e-9 * step; ++k) ticks.push_back((first + k) * step);
  return ticks;
}

std::string scale_colour(double t) {
  // Viridis at nine equal steps (matplotlib's table), interpolated.
  constexpr std::array<std::array<double, 3>, 9> table{{{68, 1, 84},
                                                        {71, 44, 122},
                                                        {59, 81, 139},
                                                        {44, 113, 142},
                                                        {33, 144, 141},
                                                        {39, 173, 129},
                                                        {92, 200, 99},
                                                        {170, 220, 50},
                                                        {253, 231, 37}}};
  const double position = std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * (table.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), table.size() - 2);
  const double weight = position - static_cast<double>(below);
  std::array<int, 3> rgb{};
  for (std::size_t c = 0; c < 3; ++c)
    rgb[c] = static_cast<int>(std::lround((1 - weight) * table[below][c] + weight * table[below + 1][c]));
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

SvgDrawing::SvgDrawing(double width, double height)
    : body_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
          "{1:.0f}\" "
          "font-family=\"sans-serif\" fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
          width, height)) {}

void SvgDrawing::polygon(const std::vector<std::pair<double, double>>& points, std::string_view fill) {
  // Stroked in its own colour, so that no hairline shows between neighbours.
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"0.5\"/>\n", point_list(points),
                       fill, fill);
}

void SvgDrawing::polyline(const std::vector<std::pair<double, double>>& points, std::string_view stroke, double width) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                       point_list(points), stroke, width);
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width) {
  polyline({{x1, y1}, {x2, y2}}, stroke, width);
}

void SvgDrawing::rectangle(double x, double y, double width, double height, std::string_view fill,
                           std::string_view stroke) {
  body_ +=
      fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" stroke=\"{}\"/>\n", x,
                  y, width, height, fill, stroke);
}

void SvgDrawing::circle(double x, double y, double radius, std::string_view fill, std::string_view stroke) {
  body_ +=
      fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"0.7\"/>\n", x,
                  y, radius, fill, stroke);
}

void SvgDrawing::text(double x, double y, std::string_view content, std::string_view anchor, double size) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y, anchor,
                       size, escape_xml(content));
}

}  // namespace varimesh::io
