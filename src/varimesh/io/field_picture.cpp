#include "varimesh/io/field_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "varimesh/io/svg.h"

namespace varimesh::io {
namespace {

constexpr Index max_cells = 50'000;
constexpr const char* ink = "#222";
constexpr const char* grid = "#ccc";
constexpr const char* blue = "#1f5fa8";
constexpr const char* orange = "#d1601f";

struct Range {
  double low, high;
  double fraction(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

Range range_of(const Vector& values) { return {values.minCoeff(), values.maxCoeff()}; }

/// Widened by a twentieth on both sides, and never empty.
Range padded(Range r) {
  const double margin = r.high > r.low ? 0.05 * (r.high - r.low) : std::max(0.05 * std::abs(r.low), 1e-3);
  return {r.low - margin, r.high + margin};
}

std::string label(double value) { return fmt::format("{:.4g}", std::abs(value) < 1e-12 ? 0.0 : value); }

/// A rectangle on the page with its own coordinates, y upwards.
struct Panel {
  double left, top, width, height;
  Range x, y;

  double to_x(double value) const { return left + width * x.fraction(value); }
  double to_y(double value) const { return top + height * (1 - y.fraction(value)); }
};

void draw_axes(SvgDrawing& svg, const Panel& p, std::string_view title, std::string_view x_label) {
  for (const double tick : round_ticks(p.x.low, p.x.high, 5)) {
    svg.line(p.to_x(tick), p.top, p.to_x(tick), p.top + p.height, grid, 0.7);
    svg.text(p.to_x(tick), p.top + p.height + 18, label(tick), "middle");
  }
  for (const double tick : round_ticks(p.y.low, p.y.high, 6)) {
    svg.line(p.left, p.to_y(tick), p.left + p.width, p.to_y(tick), grid, 0.7);
    svg.text(p.left - 6, p.to_y(tick) + 4, label(tick), "end");
  }
  svg.rectangle(p.left, p.top, p.width, p.height, "none", ink);
  svg.text(p.left + p.width / 2, p.top - 10, title, "middle", 15);
  svg.text(p.left + p.width / 2, p.top + p.height + 36, x_label, "middle");
}

/// Values at the nodes of a line, joined from left to right.
void draw_curve(SvgDrawing& svg, const Panel& p, const Vector& x, const Vector& values) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x[a] < x[b]; });
  std::vector<std::pair<double, double>> curve;
  for (const Index v : order) curve.emplace_back(p.to_x(x[v]), p.to_y(values[v]));
  svg.polyline(curve, blue, 2);
}

/// Values in the cells of a line.
void draw_steps(SvgDrawing& svg, const Panel& p, const mesh::Mesh& mesh, const Vector& values) {
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const double from = mesh.nodes[mesh.cell(c)[0]][0], to = mesh.nodes[mesh.cell(c)[1]][0];
    svg.line(p.to_x(from), p.to_y(values[c]), p.to_x(to), p.to_y(values[c]), blue, 2.5);
  }
}

std::string draw_line(const FieldPicture& f) {
  const mesh::Mesh& mesh = f.mesh;
  SvgDrawing svg(900, 360);
  Vector x(mesh.num_nodes());
  for (Index v = 0; v < mesh.num_nodes(); ++v) x[v] = mesh.nodes[v][0];

  const Panel left{70, 40, 340, 260, range_of(x), padded(range_of(f.kappa))};
  draw_axes(svg, left, "coefficient: kappa = log conductivity", "x");
  if (f.kappa_at_nodes) {
    draw_curve(svg, left, x, f.kappa);
  } else {
    draw_steps(svg, left, mesh, f.kappa);
  }

  Range values = range_of(f.u);
  for (Eigen::Index s = 0; s < f.measured.size(); ++s) {
    values.low = std::min(values.low, f.measured[s] - 2 * f.standard_error[s]);
    values.high = std::max(values.high, f.measured[s] + 2 * f.standard_error[s]);
  }
  const Panel right{525, 40, 340, 260, range_of(x), padded(values)};
  draw_axes(svg, right, "solution u (line), measured \u00b1 2 standard errors", "x");
  for (Eigen::Index s = 0; s < f.measured.size(); ++s) {
    const double at = right.to_x(f.sensors[static_cast<std::size_t>(s)][0]);
    svg.line(at, right.to_y(f.measured[s] - 2 * f.standard_error[s]), at,
             right.to_y(f.measured[s] + 2 * f.standard_error[s]), orange, 1.2);
    svg.circle(at, right.to_y(f.measured[s]), 2.5, orange, "none");
  }
  draw_curve(svg, right, x, f.u);
  return svg.str();
}

void draw_colour_bar(SvgDrawing& svg, double left, double top, double height, const Range& values) {
  constexpr int steps = 64;
  constexpr double width = 16;
  for (int k = 0; k < steps; ++k) {
    const double y = top + height * (1 - (k + 1.0) / steps);
    svg.rectangle(left, y, width, height / steps + 0.5, scale_colour((k + 0.5) / steps), "none");
  }
  svg.rectangle(left, top, width, height, "none", ink);
  for (const double tick : round_ticks(values.low, values.high, 5))
    svg.text(left + width + 5, top + height * (1 - values.fraction(tick)) + 4, label(tick), "start");
}

void draw_map(SvgDrawing& svg, const Panel& p, const FieldPicture& f, const Vector& value_of_cell,
              std::string_view title) {
  const Range values = range_of(value_of_cell);
  for (Index c = 0; c < f.mesh.num_cells(); ++c) {
    std::vector<std::pair<double, double>> corners;
    for (const Index v : f.mesh.cell(c)) corners.emplace_back(p.to_x(f.mesh.nodes[v][0]), p.to_y(f.mesh.nodes[v][1]));
    svg.polygon(corners, scale_colour(values.fraction(value_of_cell[c])));
  }
  svg.text(p.left + p.width / 2, p.top - 12, title, "middle", 15);
  for (const double tick : round_ticks(p.x.low, p.x.high, 4))
    svg.text(p.to_x(tick), p.top + p.height + 18, label(tick), "middle");
  for (const double tick : round_ticks(p.y.low, p.y.high, 4))
    svg.text(p.left - 6, p.to_y(tick) + 4, label(tick), "end");
  svg.text(p.left + p.width / 2, p.top + p.height + 36, "x", "middle");
  svg.text(p.left - 40, p.top + p.height / 2, "y", "middle");
  draw_colour_bar(svg, p.left + p.width + 14, p.top, p.height, values);
}

/// The mean over the nodes of each cell.
Vector cell_means(const mesh::Mesh& mesh, const Vector& at_nodes) {
  Vector means(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c) means[c] = at_nodes(mesh.cell(c)).mean();
  return means;
}

std::string draw_plane(const FieldPicture& f) {
  Point lower = f.mesh.nodes.front(), upper = lower;
  for (const Point& node : f.mesh.nodes) {
    lower = lower.cwiseMin(node);
    upper = upper.cwiseMax(node);
  }
  // Both maps at one scale, at most 340 x 340.
  const Point extent = upper - lower;
  const double scale = 340 / extent.head<2>().maxCoeff();
  const double width = scale * extent[0], height = scale * extent[1];
  const Range x{lower[0], upper[0]}, y{lower[1], upper[1]};
  const double spacing = width + 150;
  SvgDrawing svg(2 * spacing + 20, height + 100);
  const Panel left{60, 45, width, height, x, y};
  const Panel right{60 + spacing, 45, width, height, x, y};
  draw_map(svg, left, f, f.kappa_at_nodes ? cell_means(f.mesh, f.kappa) : f.kappa,
           "coefficient: kappa = log conductivity");
  draw_map(svg, right, f, cell_means(f.mesh, f.u), "solution u, sensors");
  constexpr std::size_t most_sensors = 2'000;
  if (f.sensors.size() <= most_sensors) {
    for (const Point& sensor : f.sensors) svg.circle(right.to_x(sensor[0]), right.to_y(sensor[1]), 2, "white", ink);
  }
  return svg.str();
}

}  // namespace

std::optional<std::string> draw(const FieldPicture& picture) {
  if (picture.mesh.num_cells() > max_cells || picture.mesh.dimension() == 3) return std::nullopt;
  return picture.mesh.dimension() == 1 ? draw_line(picture) : draw_plane(picture);
}

}  // namespace varimesh::io
