#include "varimesh/io/prior_sensitivity.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace varimesh::io {
namespace {

using Json = nlohmann::ordered_json;
using result::PriorAlternative;

Json encode_numbers(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Vector read_numbers(const JsonReader& json) {
  const std::vector<JsonReader> elements = json.elements();
  Vector values(std::ssize(elements));
  for (std::size_t i = 0; i < elements.size(); ++i) values[static_cast<Eigen::Index>(i)] = elements[i].number();
  return values;
}

Index read_place(const JsonReader& json) { return static_cast<Index>(json.integer(std::numeric_limits<Index>::max())); }

Json encode_position(const result::ProblemRecord& problem, Index unknown) {
  if (unknown >= static_cast<Index>(problem.positions.size())) return Json::array();  // from a file
  return encode_numbers(problem.positions[static_cast<std::size_t>(unknown)].head(problem.mesh.dimension()));
}

Json encode_alternative(const result::ProblemRecord& problem, const PriorAlternative& other) {
  return {{"change", result::prior_change_names[static_cast<std::size_t>(other.change)]},
          {"name", other.name},
          {"failure", other.failure},
          {"log_evidence", other.log_evidence},
          {"field_shift", other.field_shift},
          {"own_shift", other.own_shift},
          {"unknown", other.unknown},
          {"position", encode_position(problem, other.unknown)},
          {"outside", other.outside},
          {"sd_ratio", other.sd_ratio},
          {"held", other.held},
          {"quantity_means", encode_numbers(other.quantity_mean)},
          {"quantity_sds", encode_numbers(other.quantity_sd)},
          {"quantity_shifts", encode_numbers(other.quantity_shift)},
          {"quantities_held", encode_numbers(other.quantity_held)}};
}

PriorAlternative read_alternative(const JsonReader& json) {
  PriorAlternative other;
  other.change = static_cast<PriorAlternative::Change>(json.at("change").choice(result::prior_change_names));
  other.name = json.at("name").text();
  other.failure = json.at("failure").text();
  other.log_evidence = json.at("log_evidence").number();
  other.field_shift = json.at("field_shift").number();
  other.own_shift = json.at("own_shift").number();
  other.unknown = read_place(json.at("unknown"));
  other.outside = json.at("outside").number();
  other.sd_ratio = json.at("sd_ratio").number();
  other.held = json.at("held").number();
  other.quantity_mean = read_numbers(json.at("quantity_means"));
  other.quantity_sd = read_numbers(json.at("quantity_sds"));
  other.quantity_shift = read_numbers(json.at("quantity_shifts"));
  other.quantity_held = read_numbers(json.at("quantities_held"));
  return other;
}

}  // namespace

Json encode_prior_sensitivity(const result::ProblemRecord& problem, const result::PriorSensitivity& found) {
  if (!found.is_known() && found.skipped.empty()) return nullptr;
  Json alternatives = Json::array();
  for (const PriorAlternative& other : found.alternatives) alternatives.push_back(encode_alternative(problem, other));
  return {{"skipped", found.skipped},
          {"quantity_means", encode_numbers(found.quantity_mean)},
          {"quantity_sds", encode_numbers(found.quantity_sd)},
          {"shown", found.shown},
          {"alternatives", std::move(alternatives)}};
}

void read_prior_sensitivity(const JsonReader& file, result::PriorSensitivity& found) {
  if (!file.value().contains("prior_sensitivity") || file.at("prior_sensitivity").value().is_null()) return;
  const JsonReader json = file.at("prior_sensitivity");
  found.skipped = json.at("skipped").text();
  found.quantity_mean = read_numbers(json.at("quantity_means"));
  found.quantity_sd = read_numbers(json.at("quantity_sds"));
  found.shown = read_place(json.at("shown"));
  found.alternatives.clear();
  for (const JsonReader& item : json.at("alternatives").elements())
    found.alternatives.push_back(read_alternative(item));
}

}  // namespace varimesh::io
