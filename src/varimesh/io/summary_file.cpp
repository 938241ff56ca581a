#include "varimesh/io/summary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/io/data_checks.h"
#include "varimesh/io/json_reader.h"
#include "varimesh/io/prior_sensitivity.h"
#include "varimesh/version.h"

namespace varimesh::io {
namespace {

using Json = nlohmann::ordered_json;
using result::Estimate;

constexpr int schema = 2;

Json encode(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", estimate->value}, {"standard_error", estimate->error}};
}

Json encode(const std::optional<result::KhatRecord>& khat) {
  if (!khat) return nullptr;
  return {{"value", khat->value}, {"threshold", khat->threshold}, {"verdict", khat->verdict}};
}

Json encode(const std::optional<result::RankRecord>& rank) {
  if (!rank) return nullptr;
  return {{"value", rank->rank}, {"left_out_nats", rank->nats}, {"left_out_sd", rank->sd}};
}

Json encode(const std::optional<result::ChainsRecord>& chains) {
  if (!chains) return nullptr;
  return {{"chains", chains->chains},     {"draws", chains->draws},
          {"rhat", chains->rhat},         {"ess_bulk", chains->ess_bulk},
          {"ess_tail", chains->ess_tail}, {"acceptance", chains->acceptance},
          {"e_bfmi", chains->e_bfmi},     {"divergences", chains->divergences}};
}

Json encode(const std::vector<result::TrustItem>& trust) {
  Json list = Json::array();
  for (const auto& item : trust) {
    Json numbers = Json::object();
    for (const auto& [name, value] : item.numbers) numbers[name] = value;
    list.push_back({{"kind", result::kind_names[static_cast<std::size_t>(item.kind)]},
                    {"quantity", item.quantity},
                    {"level", result::level_names[static_cast<std::size_t>(item.level)]},
                    {"headline", item.headline},
                    {"explanation", item.explanation},
                    {"action", item.action},
                    {"numbers", std::move(numbers)}});
  }
  return list;
}

template <class Value>
Json encode_setting(const Value& value) {
  return Json(value);
}
/// Whole numbers without a point.
template <>
Json encode_setting(const double& value) {
  constexpr double largest_exact = 9007199254740992;  // 2^53
  if (std::abs(value) < largest_exact && value == std::floor(value)) return Json(static_cast<long long>(value));
  return Json(value);
}

Json encode(const std::vector<result::MethodSetting>& settings) {
  Json object = Json::object();
  for (const auto& [key, value] : settings)
    object[key] = std::visit([](const auto& setting) { return encode_setting(setting); }, value);
  return object;
}

Json encode_phases(const std::vector<std::pair<std::string, double>>& phases) {
  Json object = Json::object();
  for (const auto& [name, seconds] : phases) object[name] = seconds;
  return object;
}

Json encode_counts(const result::MethodRecord& method) {
  const result::Counts& counts = method.counts;
  return {{"values", counts.values},
          {"gradients", counts.gradients},
          {"jacobians", counts.jacobians},
          {"factorizations", counts.factorizations},
          {"forward_solves", counts.forward_solves},
          {"adjoint_solves", counts.adjoint_solves},
          {"solves", method.solves()}};
}

Json summarize_quantities(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  Json list = Json::array();
  for (std::size_t i = 0; i < problem.quantities.size(); ++i) {
    Json object = {{"name", problem.quantities[i].name}, {"label", problem.quantities[i].label}};
    if (i < method.quantities.size()) {
      const result::QuantitySummary& quantity = method.quantities[i];
      object["mean"] = quantity.mean;
      object["sd"] = quantity.sd;
      object["q05"] = quantity.q05;
      object["q50"] = quantity.q50;
      object["q95"] = quantity.q95;
    }
    if (problem.truth && static_cast<Eigen::Index>(i) < problem.truth->quantities.size())
      object["truth"] = problem.truth->quantities[static_cast<Eigen::Index>(i)];
    list.push_back(std::move(object));
  }
  return list;
}

Json summarize_problem(const result::ProblemRecord& problem) {
  const auto& [title, u, conductivity, length_unit, u_unit, conductivity_unit, flux_unit] = problem.labels;
  const auto& [equation, mesh, sensors, prior, noise, field] = problem.words;
  Json fields = Json::array();
  for (const result::FieldRecord& further : problem.fields)
    fields.push_back({{"name", further.name}, {"unit", further.unit}, {"unknowns", further.size}});
  Json scalars = Json::array();
  for (const result::ScalarRecord& scalar : problem.scalars)
    scalars.push_back({{"name", scalar.name}, {"unit", scalar.unit}, {"prior", scalar.prior_words}});
  return {{"title", title},
          {"labels",
           {{"u", u},
            {"conductivity", conductivity},
            {"length_unit", length_unit},
            {"u_unit", u_unit},
            {"conductivity_unit", conductivity_unit},
            {"flux_unit", flux_unit}}},
          {"words",
           {{"equation", equation},
            {"mesh", mesh},
            {"sensors", sensors},
            {"prior", prior},
            {"noise", noise},
            {"field", field}}},
          {"fingerprint", problem.fingerprint},
          {"dimension", problem.mesh.dimension()},
          {"cell_type", topology(problem.mesh.cell_type).name},
          {"cells", problem.mesh.num_cells()},
          {"nodes", problem.mesh.num_nodes()},
          {"unknowns", problem.num_field_unknowns()},
          {"fields", std::move(fields)},
          {"scalars", std::move(scalars)},
          {"sensors", problem.num_sensors()},
          {"measurements", static_cast<long long>(problem.sensors.count.sum())}};
}

void check_schema(const JsonReader& file, std::string_view source) {
  const auto found = file.at("schema").integer(std::numeric_limits<int>::max());
  if (found == schema) return;
  if (found < schema) file.at("schema").fail(std::to_string(schema));
  throw InputError(
      fmt::format("{}: schema: expected {}, found {}: to read it, use varimesh {}, which wrote it, or later", source,
                  schema, found, file.at("version").text()));
}

/// A word that names a directory, too: never a path that leads out of one.
std::string read_name(const JsonReader& json) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  std::string word = json.text();
  if (word.empty() || !std::all_of(word.begin(), word.end(), is_plain))
    json.fail("a name of letters, digits, '_', '-'");
  return word;
}

std::optional<Estimate> read_estimate(const JsonReader& json) {
  if (json.value().is_null()) return std::nullopt;
  return Estimate{json.at("value").number(), json.at("standard_error").number()};
}

std::optional<result::KhatRecord> read_khat(const JsonReader& json) {
  if (json.value().is_null()) return std::nullopt;
  return result::KhatRecord{json.at("value").number(), json.at("threshold").number(), json.at("verdict").text()};
}

long long read_count(const JsonReader& json) {
  constexpr std::uint64_t most = std::uint64_t{1}
                                 << 53;  // as far as all readers of JSON count, and sums do not overflow
  return static_cast<long long>(json.integer(most));
}

/// Files written before there was low rank do not have it.
std::optional<result::RankRecord> read_rank(const JsonReader& file) {
  if (!file.value().contains("rank") || file.at("rank").value().is_null()) return std::nullopt;
  const JsonReader rank = file.at("rank");
  return result::RankRecord{rank.at("value").index(), rank.at("left_out_nats").number(),
                            rank.at("left_out_sd").number()};
}

std::optional<result::ChainsRecord> read_chains(const JsonReader& json) {
  if (json.value().is_null()) return std::nullopt;
  return result::ChainsRecord{.chains = json.at("chains").index(),
                              .draws = json.at("draws").index(),
                              .rhat = json.at("rhat").number(),
                              .ess_bulk = json.at("ess_bulk").number(),
                              .ess_tail = json.at("ess_tail").number(),
                              .acceptance = json.at("acceptance").number(),
                              .e_bfmi = json.at("e_bfmi").number(),
                              .divergences = read_count(json.at("divergences"))};
}

std::vector<result::TrustItem> read_trust(const JsonReader& json) {
  std::vector<result::TrustItem> trust;
  for (const JsonReader& item : json.elements()) {
    trust.push_back({static_cast<result::TrustItem::Level>(item.at("level").choice(result::level_names)),
                     item.at("headline").text(), item.at("explanation").text(), item.at("action").text(),
                     static_cast<result::TrustItem::Kind>(item.at("kind").choice(result::kind_names)),
                     item.at("quantity").text()});
    for (const auto& [name, value] : item.at("numbers").members())
      trust.back().numbers.emplace_back(name, value.number());
  }
  return trust;
}

std::vector<result::MethodSetting> read_settings(const JsonReader& json) {
  std::vector<result::MethodSetting> settings;
  for (const auto& [key, setting] : json.members()) {
    const Json& value = setting.value();
    if (value.is_boolean())
      settings.push_back({key, value.get<bool>()});
    else if (value.is_string())
      settings.push_back({key, value.get<std::string>()});
    else if (value.is_number() || value.is_null())
      settings.push_back({key, setting.number()});
    else
      setting.fail("a boolean, a number, a string or null");
  }
  return settings;
}

result::Counts read_counts(const JsonReader& json) {
  return {.values = read_count(json.at("values")),
          .gradients = read_count(json.at("gradients")),
          .jacobians = read_count(json.at("jacobians")),
          .forward_solves = read_count(json.at("forward_solves")),
          .adjoint_solves = read_count(json.at("adjoint_solves")),
          .factorizations = read_count(json.at("factorizations"))};
}

/// Densities stay as they are: posterior.nc has them.
void read_quantities(const JsonReader& json, result::ProblemRecord& problem, result::MethodRecord& method) {
  const std::vector<JsonReader> list = json.elements();
  problem.quantities.clear();
  for (const JsonReader& item : list) problem.quantities.push_back({item.at("name").text(), item.at("label").text()});
  const bool is_summarized = !list.empty() && list.front().value().contains("mean");
  method.quantities.resize(is_summarized ? list.size() : 0);
  for (std::size_t i = 0; i < method.quantities.size(); ++i) {
    result::QuantitySummary& quantity = method.quantities[i];
    quantity.mean = list[i].at("mean").number();
    quantity.sd = list[i].at("sd").number();
    quantity.q05 = list[i].at("q05").number();
    quantity.q50 = list[i].at("q50").number();
    quantity.q95 = list[i].at("q95").number();
  }
}

result::ProblemSizes read_problem(const JsonReader& json, result::ProblemRecord& problem) {
  const JsonReader labels = json.at("labels"), words = json.at("words");
  problem.labels = {.title = json.at("title").text(),
                    .u = labels.at("u").text(),
                    .conductivity = labels.at("conductivity").text_if_any(),
                    .length_unit = labels.at("length_unit").text(),
                    .u_unit = labels.at("u_unit").text(),
                    .conductivity_unit = labels.at("conductivity_unit").text(),
                    .flux_unit = labels.at("flux_unit").text_if_any()};
  problem.words = {.equation = words.at("equation").text(),
                   .mesh = words.at("mesh").text(),
                   .sensors = words.at("sensors").text(),
                   .prior = words.at("prior").text(),
                   .noise = words.at("noise").text(),
                   .field = words.at("field").text()};
  problem.fingerprint = json.at("fingerprint").text();
  return {.nodes = read_count(json.at("nodes")),
          .cells = read_count(json.at("cells")),
          .unknowns = read_count(json.at("unknowns")),
          .sensors = read_count(json.at("sensors"))};
}

}  // namespace

std::string format_summary(const result::ProblemRecord& problem, const result::MethodRecord& method) {
  const Json file = {{"schema", schema},
                     {"version", method.version},
                     {"method", method.method},
                     {"name", method.name},
                     {"description", method.description},
                     {"status", name(method.status)},
                     {"message", method.message},
                     {"verdict", result::verdict(method.trust, result::names_of(problem.quantities))},
                     {"trust", encode(method.trust)},
                     {"seconds", method.seconds},
                     {"phases", encode_phases(method.phases)},
                     {"counts", encode_counts(method)},
                     {"elbo", encode(method.elbo)},
                     {"khat", encode(method.khat)},
                     {"rank", encode(method.rank)},
                     {"chains", encode(method.chains)},
                     {"kappa_error", encode(method.kappa_error)},
                     {"u_error", encode(method.u_error)},
                     {"quantities", summarize_quantities(problem, method)},
                     {"leave_one_out", encode_leave_one_out(problem, method.leave_one_out)},
                     {"mesh_check", encode_mesh_check(problem, method.mesh_check)},
                     {"prior_sensitivity", encode_prior_sensitivity(problem, method.prior_sensitivity)},
                     {"seed", method.seed},
                     {"settings", encode(method.settings)},
                     {"problem", summarize_problem(problem)}};
  return file.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

result::ProblemSizes parse_summary(std::string_view text, std::string_view source, result::ProblemRecord& problem,
                                   result::MethodRecord& method) {
  const Json document = parse_json(text, source);
  const JsonReader file(document, source);
  check_schema(file, source);
  method.version = file.at("version").text();
  method.method = read_name(file.at("method"));
  method.name = file.at("name").text();
  method.description = file.at("description").text();
  method.status = static_cast<result::Status>(file.at("status").choice(result::status_names));
  method.message = file.at("message").text();
  method.trust = read_trust(file.at("trust"));
  method.seconds = file.at("seconds").number();
  method.phases.clear();
  for (const auto& [phase, seconds] : file.at("phases").members()) method.phases.emplace_back(phase, seconds.number());
  method.counts = read_counts(file.at("counts"));
  method.elbo = read_estimate(file.at("elbo"));
  method.khat = read_khat(file.at("khat"));
  method.rank = read_rank(file);
  method.chains = read_chains(file.at("chains"));
  method.kappa_error = read_estimate(file.at("kappa_error"));
  method.u_error = read_estimate(file.at("u_error"));
  read_quantities(file.at("quantities"), problem, method);
  read_leave_one_out(file, method.leave_one_out);
  read_mesh_check(file, method.mesh_check);
  read_prior_sensitivity(file, method.prior_sensitivity);
  method.seed = file.at("seed").integer(std::numeric_limits<std::uint64_t>::max());
  method.settings = read_settings(file.at("settings"));
  return read_problem(file.at("problem"), problem);
}

}  // namespace varimesh::io
