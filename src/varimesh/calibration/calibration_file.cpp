#include "varimesh/calibration/calibration_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "varimesh/version.h"

namespace varimesh::calibration {
namespace {

using Json = nlohmann::ordered_json;

Json encode(const result::Estimate& estimate) {
  return {{"value", estimate.value}, {"standard_error", estimate.error}};
}

Json encode(const Coverage& coverage) {
  return {{"inside", coverage.inside},
          {"count", coverage.count},
          {"share", coverage.share},
          {"low", coverage.interval.low},
          {"high", coverage.interval.high}};
}

/// The 50, 90 and 95 % intervals' by "50", "90", "95".
template <class Values>
Json by_level(const Values& values) {
  Json object = Json::object();
  for (std::size_t k = 0; k < levels.size(); ++k) object[fmt::format("{:.0f}", 100 * levels[k])] = encode(values[k]);
  return object;
}

Json encode(const TrackedQuantity& words, const QuantityCalibration& quantity) {
  return {{"name", words.name},
          {"label", words.label},
          {"count", quantity.count},
          {"p_value", quantity.p_value},
          {"inside_band", quantity.inside_band},
          {"coverage", by_level(quantity.coverage)},
          {"z", encode(quantity.z)},
          {"z_rms", quantity.z_rms},
          {"contraction", quantity.contraction},
          {"ranks", quantity.ranks},
          {"rank_draws", quantity.of},
          {"ecdf", quantity.ecdf}};
}

Json encode(const FieldCalibration& field) {
  return {{"coverage", by_level(field.coverage)},
          {"p_value", field.p_value},
          {"z_rms", encode(field.z_rms)},
          {"contraction", encode(field.contraction)}};
}

Json encode(const TrustCalibration& trust, const std::vector<TrackedQuantity>& quantities) {
  Json covered = Json::object();
  for (std::size_t q = 0; q < quantities.size(); ++q) covered[quantities[q].name] = encode(trust.covered[q]);
  return {{"repeats", trust.repeats},
          {"covered_90", covered},
          {"all_within_3_sd", encode(trust.all_near)},
          {"as_referee", encode(trust.close)}};
}

Json encode(const MethodCalibration& method, const std::vector<TrackedQuantity>& quantities) {
  Json tracked = Json::array(), trust = Json::object();
  for (std::size_t q = 0; q < quantities.size(); ++q) tracked.push_back(encode(quantities[q], method.quantities[q]));
  for (std::size_t level = 0; level < method.trust.size(); ++level)
    trust[std::string(result::level_names[level])] = encode(method.trust[level], quantities);
  return {
      {"method", method.method},
      {"name", method.name},
      {"verdict", name(method.verdict)},
      {"why", method.why},
      {"p_value", method.p_value},
      {"answers", method.answers},
      {"failures", method.failures},
      {"field", encode(method.field)},
      {"quantities", tracked},
      {"trust", trust},
      {"seconds", {{"mean", method.seconds_mean}, {"median", method.seconds_median}, {"most", method.seconds_most}}}};
}

}  // namespace

CalibrationOrigin describe_origin(const Experiment& experiment) {
  const result::ProblemRecord& problem = experiment.record();
  return {problem.labels.title,
          fmt::format("Mesh: {} Sensors: {} Noise: {} Prior: {}", problem.words.mesh, problem.words.sensors,
                      problem.words.noise, problem.words.prior),
          experiment.fingerprint(), experiment.options()};
}

std::string format_calibration(const Calibration& calibration, const CalibrationOrigin& origin) {
  Json bands = Json::array(), methods = Json::array(), points = Json::array();
  for (Index j = 1; j <= rank_points; ++j) points.push_back(static_cast<double>(j) / (rank_points + 1));
  for (const auto& [count, band] : calibration.bands)
    bands.push_back({{"count", count}, {"gamma", band.gamma}, {"low", band.low}, {"high", band.high}});
  for (const MethodCalibration& method : calibration.methods) methods.push_back(encode(method, calibration.quantities));
  const Json document = {{"schema", 1},
                         {"version", version()},
                         {"title", origin.title},
                         {"fingerprint", origin.fingerprint},
                         {"seed", origin.options.seed},
                         {"refine", origin.options.refinements},
                         {"repeats", calibration.repeats},
                         {"conclusion", conclude(calibration)},
                         {"points", points},
                         {"bands", bands},
                         {"methods", methods}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace varimesh::calibration
