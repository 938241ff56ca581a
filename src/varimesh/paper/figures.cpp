#include "varimesh/paper/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "varimesh/io/page_data.h"
#include "varimesh/paper/repetition.h"

namespace varimesh::paper {
namespace {

Vector coordinates(const std::vector<Point>& points) {
  Vector x(std::ssize(points));
  for (std::size_t k = 0; k < points.size(); ++k) x[static_cast<Eigen::Index>(k)] = points[k][0];
  return x;
}

}  // namespace

Json numbers(const Vector& values) {
  constexpr Eigen::Index few = 5000;
  return io::numbers(values, values.size() <= few ? io::Packing::f32 : io::Packing::q16);
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
                    const result::SensorRecord& sensors) {
  const Vector standard_error = sensors.sigma.cwiseQuotient(sensors.count.cwiseSqrt());
  const Json x = numbers(coordinates(mesh.nodes));
  return {{"kind", "curves"},
          {"lines",
           {{{"series", series}, {"x", x}, {"y", numbers(draws.reshaped())}},
            {{"series", "truth"}, {"x", x}, {"y", numbers(truth)}, {"dash", true}}}},
          {"points",
           {{{"series", "data"},
             {"x", numbers(coordinates(sensors.points))},
             {"y", numbers(sensors.mean)},
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
  std::vector<double> peaks;
  for (const auto& [series, quantity] : densities) {
    const Eigen::Index size = quantity->density.size();
    if (size == 0) continue;
    peaks.push_back(quantity->density.maxCoeff());
    const Eigen::Index stride = (size + points - 1) / points;
    const auto some = Eigen::seqN(0, (size + stride - 1) / stride, stride);
    lines.push_back(
        {{"series", series}, {"x", numbers(quantity->density_x(some))}, {"y", numbers(quantity->density(some))}});
  }
  // The second highest peak is shown whole: independent normals have one that dwarfs all others.
  std::ranges::sort(peaks, std::greater{});
  const double top = 1.1 * (peaks.size() > 1 ? peaks[1] : peaks[0]);
  Json panel = {{"kind", "curves"},
                {"lines", lines},
                {"x_axis", axis(label)},
                {"y_axis", {{"label", "density"}, {"domain", {0, top}}}}};
  if (truth) panel["rules"] = {{{"x", *truth}, {"series", "truth"}}};
  return panel;
}

Json bar(const std::string& series, const std::vector<double>& repetitions) {
  std::vector<double> values;
  std::copy_if(repetitions.begin(), repetitions.end(), std::back_inserter(values),
               [](double x) { return std::isfinite(x); });
  Json object = {{"series", series}, {"value", nullptr}};
  if (values.empty()) return object;
  object["value"] = quantile(values, 0.5);
  if (values.size() > 1) {
    object["low"] = quantile(values, 0.25);
    object["high"] = quantile(values, 0.75);
    object["points"] = values;
  }
  return object;
}

Json text(const std::vector<std::string>& paragraphs) { return {{"type", "text"}, {"paragraphs", paragraphs}}; }

Json column(const std::string& label, const std::string& group, int digits) {
  Json object = {{"label", label}};
  if (!group.empty()) object["group"] = group;
  if (digits > 0) object["digits"] = digits;
  return object;
}

Json table(const Table& words, const std::vector<std::vector<Json>>& rows) {
  Json object = {{"type", "table"},          {"id", words.id},           {"title", words.title},
                 {"caption", words.caption}, {"columns", words.columns}, {"rows", rows}};
  if (!words.note.empty()) object["note"] = words.note;
  return object;
}

Json figure(const Figure& words, const std::vector<std::vector<Json>>& panels) {
  Json object = {{"type", "figure"}, {"id", words.id}, {"title", words.title}, {"caption", words.caption}};
  if (words.claim) {
    object["paper"] = words.claim->claim;
    object["ours"] = words.claim->ours + (words.claim->why.empty() ? "" : " " + words.claim->why);
    object["verdict"] = name(words.claim->verdict);
  }
  if (!words.rows.empty()) object["rows"] = words.rows;
  if (!words.columns.empty()) object["columns"] = words.columns;
  const auto set_if_given = [&](const char* key, const Json& value) {
    if (!value.is_null()) object[key] = value;
  };
  set_if_given("shared", words.shared);
  set_if_given("scales", words.scales);
  set_if_given("legend", words.legend);
  object["panels"] = panels;
  return object;
}

}  // namespace varimesh::paper
