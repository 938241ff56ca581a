#include "varimesh/paper/figures.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "varimesh/io/packed_numbers.h"

namespace varimesh::paper {
namespace {

Json encode(const io::PackedNumbers& packed) {
  if (packed.type.empty()) return packed.plain;
  Json object = {{"type", packed.type}};
  if (packed.type.starts_with('q')) {
    object["lo"] = packed.lo;
    object["hi"] = packed.hi;
  }
  object["data"] = packed.data;
  return object;
}

Vector coordinates(const std::vector<Point>& points) {
  Vector x(std::ssize(points));
  for (std::size_t k = 0; k < points.size(); ++k) x[static_cast<Eigen::Index>(k)] = points[k][0];
  return x;
}

double quantile(std::vector<double> sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Json numbers(const Vector& values) {
  constexpr Eigen::Index few = 5000;
  return encode(io::pack(values, values.size() <= few ? io::Packing::f32 : io::Packing::q16));
}

Json axis(const std::string& label, bool log, bool zero) {
  Json object = {{"label", label}};
  if (log) object["log"] = true;
  if (zero) object["zero"] = true;
  return object;
}

Json band_panel(const std::string& series, const mesh::Mesh& mesh, const result::FieldSummary& kappa,
                const std::optional<Vector>& truth) {
  Json panel = {{"kind", "band"},
                {"series", series},
                {"edges", numbers(coordinates(mesh.nodes))},
                {"mean", numbers(kappa.mean)},
                {"sd", numbers(kappa.sd)},
                {"x_axis", axis("x")},
                {"y_axis", axis("\u03ba")}};
  if (truth) panel["truth"] = numbers(*truth);
  return panel;
}

Json solution_panel(const std::string& series, const mesh::Mesh& mesh, const Matrix& draws, const Vector& truth,
                    const std::vector<Point>& sensors, const Vector& measured, const Vector& standard_error) {
  const Json x = numbers(coordinates(mesh.nodes));
  return {{"kind", "curves"},
          {"lines",
           {{{"series", series}, {"x", x}, {"y", numbers(draws.reshaped())}},
            {{"series", "truth"}, {"x", x}, {"y", numbers(truth)}, {"dash", true}}}},
          {"points",
           {{{"series", "data"},
             {"x", numbers(coordinates(sensors))},
             {"y", numbers(measured)},
             {"error", numbers(2 * standard_error)}}}},
          {"x_axis", axis("x")},
          {"y_axis", axis("u")}};
}

Json matrix_panel(const Matrix& matrix, bool pattern) {
  const Matrix by_rows = matrix.transpose();
  Json panel = {{"kind", "matrix"}, {"size", matrix.rows()}, {"values", numbers(by_rows.reshaped())}};
  if (pattern) panel["pattern"] = true;
  return panel;
}

Json map_panel(const std::string& mesh, const Vector& values, bool at_nodes, const std::string& scale) {
  return {{"kind", "map"},
          {"mesh", mesh},
          {"values", numbers(values)},
          {"at", at_nodes ? "node" : "cell"},
          {"scale", scale}};
}

Json density_panel(const std::vector<std::pair<std::string, const result::QuantitySummary*>>& densities,
                   const std::string& label, std::optional<double> truth) {
  constexpr Eigen::Index points = 256;
  Json lines = Json::array();
  for (const auto& [series, quantity] : densities) {
    const Eigen::Index size = quantity->density.size();
    if (size == 0) continue;
    const Eigen::Index stride = (size + points - 1) / points;
    const auto some = Eigen::seqN(0, (size + stride - 1) / stride, stride);
    lines.push_back(
        {{"series", series}, {"x", numbers(quantity->density_x(some))}, {"y", numbers(quantity->density(some))}});
  }
  Json panel = {
      {"kind", "curves"}, {"lines", lines}, {"x_axis", axis(label)}, {"y_axis", axis("density", false, true)}};
  if (truth) panel["rules"] = {{{"x", *truth}, {"series", "truth"}}};
  return panel;
}

Json bar(const std::string& series, const std::vector<double>& repetitions) {
  std::vector<double> sorted;
  std::copy_if(repetitions.begin(), repetitions.end(), std::back_inserter(sorted),
               [](double x) { return std::isfinite(x); });
  std::sort(sorted.begin(), sorted.end());
  Json object = {{"series", series}, {"value", nullptr}};
  if (sorted.empty()) return object;
  object["value"] = quantile(sorted, 0.5);
  if (sorted.size() > 1) {
    object["low"] = quantile(sorted, 0.25);
    object["high"] = quantile(sorted, 0.75);
    object["points"] = sorted;
  }
  return object;
}

Json mesh_of(const mesh::Mesh& mesh, const std::vector<Index>& unknown_of_cell) {
  const int dimension = mesh.dimension();
  Vector nodes(static_cast<Eigen::Index>(mesh.nodes.size()) * dimension);
  for (std::size_t v = 0; v < mesh.nodes.size(); ++v)
    nodes.segment(static_cast<Eigen::Index>(v) * dimension, dimension) = mesh.nodes[v].head(dimension);
  return {{"dimension", dimension},
          {"cell_type", mesh::topology(mesh.cell_type).name},
          {"nodes", encode(io::pack(nodes, io::Packing::f64))},
          {"cells", encode(io::pack_integers(mesh.cell_nodes))},
          {"unknown_of_cell", encode(io::pack_integers(unknown_of_cell))}};
}

Json figure(const Figure& words, const std::vector<std::vector<Json>>& panels) {
  Json object = {{"type", "figure"}, {"id", words.id}, {"title", words.title}, {"caption", words.caption}};
  const auto set = [&](const char* key, const std::string& text) {
    if (!text.empty()) object[key] = text;
  };
  set("paper", words.paper);
  set("ours", words.ours);
  set("verdict", words.verdict);
  if (!words.rows.empty()) object["rows"] = words.rows;
  if (!words.columns.empty()) object["columns"] = words.columns;
  object["panels"] = panels;
  return object;
}

}  // namespace varimesh::paper
