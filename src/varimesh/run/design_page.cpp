// format_design_page of design.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "varimesh/io/svg.h"
#include "varimesh/io/xml.h"
#include "varimesh/number_words.h"
#include "varimesh/run/design.h"

namespace varimesh::run {
namespace {

constexpr double map_width = 640, map_margin = 24, colour_bar = 90;

/// From the domain to the drawing, as large as fits.
struct MapFrame {
  Point low, high;
  double scale = 1, height = 0;

  std::pair<double, double> at(const Point& x) const {
    return {map_margin + scale * (x[0] - low[0]), height - map_margin - scale * (x[1] - low[1])};
  }
};

MapFrame frame_of(const mesh::Mesh& mesh) {
  MapFrame frame{mesh.nodes.front(), mesh.nodes.front()};
  for (const Point& node : mesh.nodes) {
    frame.low = frame.low.cwiseMin(node);
    frame.high = frame.high.cwiseMax(node);
  }
  const Point size = frame.high - frame.low;
  frame.scale = (map_width - 2 * map_margin) / size[0];
  constexpr double tallest = 640;
  if (size[1] * frame.scale > tallest) frame.scale = tallest / size[1];
  frame.height = size[1] * frame.scale + 2 * map_margin;
  return frame;
}

/// Every candidate in the colour of what it would tell alone; the chosen ones with their numbers.
std::string draw_gains(const mesh::Mesh& mesh, const Design& design) {
  constexpr Index most_cells = 20'000;
  const MapFrame frame = frame_of(mesh);
  io::SvgDrawing drawing(map_width + colour_bar, frame.height);
  if (mesh.dimension() == 2 && mesh.num_cells() <= most_cells) {
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      std::vector<std::pair<double, double>> corners;
      for (const Index v : mesh.cell(c)) corners.push_back(frame.at(mesh.nodes[static_cast<std::size_t>(v)]));
      corners.push_back(corners.front());
      drawing.polyline(corners, "#dddddd", 0.5);
    }
  }
  const Vector& gains = design.sensors.alone;
  const double low = gains.minCoeff(), high = std::max(gains.maxCoeff(), low + 1e-300);
  for (Index c = 0; c < design.candidates.size(); ++c) {
    const auto [x, y] = frame.at(design.candidates.points[static_cast<std::size_t>(c)]);
    drawing.circle(x, y, 4, io::scale_colour((gains[c] - low) / (high - low)), "none");
  }
  for (std::size_t k = 0; k < design.sensors.chosen.size(); ++k) {
    const auto [x, y] = frame.at(design.candidates.points[static_cast<std::size_t>(design.sensors.chosen[k])]);
    drawing.circle(x, y, 9, "#ffffff", "#000000");
    drawing.text(x, y + 4, fmt::format("{}", k + 1), "middle", 11);
  }
  constexpr int shades = 40;
  const double top = map_margin, step = std::max(1.0, (frame.height - 2 * map_margin) / shades);
  for (int k = 0; k < shades; ++k)
    drawing.rectangle(map_width, top + (shades - 1 - k) * step, 14, step + 0.5, io::scale_colour((k + 0.5) / shades),
                      "none");
  drawing.text(map_width + 20, top + 10, fmt::format("{:.3g}", high), "start");
  drawing.text(map_width + 20, top + shades * step, fmt::format("{:.3g}", low), "start");
  return drawing.str();
}

}  // namespace

std::string format_design_page(const Config& config, const Problem& problem, const Design& design,
                               const DesignOptions& options) {
  const variational::GreedyDesign& sensors = design.sensors;
  const int dimension = problem.equation.mesh.dimension();
  const std::string title = config.labels.title.empty() ? config.file.stem().string() : config.labels.title;
  const std::string about = options.quantity.empty() ? "the field" : "'" + options.quantity + "'";
  std::string rows;
  double total = 0;
  for (std::size_t k = 0; k < sensors.chosen.size(); ++k) {
    const Index c = sensors.chosen[k];
    const Point& x = design.candidates.points[static_cast<std::size_t>(c)];
    const std::string label =
        design.candidates.labels.empty() ? "" : design.candidates.labels[static_cast<std::size_t>(c)];
    const auto number = static_cast<Eigen::Index>(k);
    total += sensors.gains[number];
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>({:.4g})</td><td>{:.3g}</td><td>{:.3g}</td>{}</tr>\n", k + 1,
        io::escape_xml(label), fmt::join(x.data(), x.data() + dimension, ", "), sensors.gains[number], total,
        sensors.variance.size() > 0 ? fmt::format("<td>{:.3g}</td>", std::sqrt(sensors.variance[number + 1])) : "");
  }
  const std::string sd =
      sensors.variance.size() > 0
          ? fmt::format(" Its sd is {:.3g} before these sensors, and is expected to be {:.3g} with all of them.",
                        std::sqrt(sensors.variance[0]), std::sqrt(sensors.variance[sensors.variance.size() - 1]))
          : "";
  return fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}: where to measure next</title>
<style>
body {{ font-family: system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; border-bottom: 1px solid #ddd; }}
svg {{ max-width: 100%; height: auto; }}
</style>
</head>
<body>
<h1>{0}: where to measure next</h1>
<p>{1} chosen from {2} candidates, one after the other, each for what it is expected to tell about {3} beside those
before it. What is known before is {4}.{5}</p>
{6}
<p>Colours: what each candidate would tell alone, in nats. One nat makes an error bar 2.7 times as short.</p>
<table>
<tr><th>#</th><th>label</th><th>position</th><th>gain (nats)</th><th>in all</th>{7}</tr>
{8}</table>
</body>
</html>
)",
      io::escape_xml(title), counted(static_cast<Index>(sensors.chosen.size()), "sensor"), design.candidates.size(),
      io::escape_xml(about), design.basis, sd,
      dimension < 3 ? draw_gains(problem.equation.mesh, design)
                    : std::string("<p>Maps are for lines and planes: design.csv has all gains, for ParaView.</p>"),
      sensors.variance.size() > 0 ? "<th>sd then</th>" : "", rows);
}

}  // namespace varimesh::run
