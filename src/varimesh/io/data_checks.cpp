#include "varimesh/io/data_checks.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "varimesh/constants.h"

namespace varimesh::io {
namespace {

using Json = nlohmann::ordered_json;

bool has(const JsonReader& file, const char* key) {
  return file.value().contains(key) && !file.at(key).value().is_null();
}

Json encode(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Vector read_vector(const JsonReader& json) {
  const std::vector<JsonReader> elements = json.elements();
  Vector values(std::ssize(elements));
  for (std::size_t i = 0; i < elements.size(); ++i) values[static_cast<Eigen::Index>(i)] = elements[i].number();
  return values;
}

}  // namespace

Json encode_leave_one_out(const result::ProblemRecord& problem, const result::LeaveOneOut& found) {
  if (!found.is_known()) return nullptr;
  Json worst = Json::array();
  for (const result::SensorInfluence& influence : found.worst) {
    const Index i = influence.sensor;
    if (i >= found.size()) continue;  // from a file
    const Point& x = problem.sensors.points[static_cast<std::size_t>(i)];
    worst.push_back({{"sensor", i},
                     {"position", encode(x.head(problem.mesh.dimension()))},
                     {"residual", found.residual[i]},
                     {"khat", found.khat[i]},
                     {"field_shift", influence.field},
                     {"quantity_shifts", encode(influence.quantities)}});
    if (const std::string label = problem.sensors.label(i); !label.empty()) worst.back()["label"] = label;
  }
  const result::Estimate elpd = found.total_elpd();
  return {{"elpd", {{"value", elpd.value}, {"standard_error", elpd.error}}},
          {"linearized", static_cast<long long>(found.khat.array().isNaN().count())},
          {"matched", found.matched},
          {"unreliable", static_cast<long long>((found.khat.array() > result::largest_usable_khat).count())},
          {"worst", std::move(worst)}};
}

void read_leave_one_out(const JsonReader& file, result::LeaveOneOut& found) {
  if (!has(file, "leave_one_out")) return;
  const JsonReader json = file.at("leave_one_out");
  found.matched = json.at("matched").index();
  found.worst.clear();
  for (const JsonReader& item : json.at("worst").elements())
    found.worst.push_back(
        {item.at("sensor").index(), item.at("field_shift").number(), read_vector(item.at("quantity_shifts"))});
}

Json encode_mesh_check(const result::ProblemRecord& problem, const result::MeshCheck& check) {
  if (!check.is_known() && check.skipped.empty()) return nullptr;
  double largest = nan, root_mean_square = nan;
  if (check.sensors.size() > 0 && check.sensors.size() == problem.sensors.sigma.size()) {
    // in standard errors of the measured means
    const Vector share = check.sensors.array() * problem.sensors.count.array().sqrt() / problem.sensors.sigma.array();
    largest = share.lpNorm<Eigen::Infinity>();
    root_mean_square = std::sqrt(share.squaredNorm() / static_cast<double>(share.size()));
  }
  return {{"refined_cells", check.refined_cells},
          {"skipped", check.skipped},
          {"largest_share", largest},
          {"root_mean_square_share", root_mean_square},
          {"quantity_changes", encode(check.quantities)},
          {"quantities_before", encode(check.quantities_before)}};
}

void read_mesh_check(const JsonReader& file, result::MeshCheck& check) {
  if (!has(file, "mesh_check")) return;
  const JsonReader json = file.at("mesh_check");
  check.refined_cells = json.at("refined_cells").index();
  check.skipped = json.at("skipped").text();
  check.quantities = read_vector(json.at("quantity_changes"));
  check.quantities_before = read_vector(json.at("quantities_before"));
}

}  // namespace varimesh::io
