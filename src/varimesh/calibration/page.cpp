#include "varimesh/calibration/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "varimesh/io/page_data.h"
#include "varimesh/io/page_templates.h"

namespace varimesh::calibration {
namespace {

using Json = nlohmann::ordered_json;  // docs/document-data.md

Json numbers(const std::vector<double>& values) {
  return io::numbers(Eigen::Map<const Vector>(values.data(), std::ssize(values)), io::Packing::f32);
}

/// Which quantities the loads do not fix, if there are answers.
std::vector<std::size_t> free_quantities(const Calibration& calibration) {
  std::vector<std::size_t> chosen;
  for (std::size_t q = 0; q < calibration.quantities.size(); ++q) {
    const auto has_numbers = [&](const MethodCalibration& method) {
      return method.quantities[q].coverage[0].count > 0;
    };
    if (std::ranges::any_of(calibration.methods, has_numbers)) chosen.push_back(q);
  }
  return chosen;
}

Json text_panel(const std::string& text) { return {{"kind", "text"}, {"text", text}}; }

std::string describe_p(double p, const char* equals = "") {
  if (!std::isfinite(p)) return "";
  return p < 1e-4 ? "< 0.0001" : fmt::format("{}{:.2g}", equals, p);
}

/// How far the distribution function of the ranks is from that of a uniform variable, with the band that it may lie in.
Json rank_panel(const MethodCalibration& method, const QuantityCalibration& quantity, const RankBand& band) {
  std::vector<double> x = {0}, difference = {0}, low = {0}, high = {0};
  for (Index j = 0; j < rank_points; ++j) {
    const auto place = static_cast<std::size_t>(j);
    const double z = (j + 1.0) / (rank_points + 1.0);
    x.push_back(z);
    difference.push_back(static_cast<double>(quantity.ecdf[place]) / quantity.count - z);
    low.push_back(static_cast<double>(band.low[place]) / quantity.count - z);
    high.push_back(static_cast<double>(band.high[place]) / quantity.count - z);
  }
  x.push_back(1);
  for (auto* values : {&difference, &low, &high}) values->push_back(0);
  return {{"kind", "curves"},
          {"bands", {{{"series", "95 % band"}, {"x", numbers(x)}, {"low", numbers(low)}, {"high", numbers(high)}}}},
          {"lines", {{{"series", method.name}, {"x", numbers(x)}, {"y", numbers(difference)}}}},
          {"rules", {{{"y", 0}}}},
          {"note", "p " + describe_p(quantity.p_value, "= ")},
          {"x_axis", {{"label", "rank / 100"}, {"domain", {0, 1}}}},
          {"y_axis", {{"label", "ECDF - uniform"}}}};
}

/// A share less what it should be, with the ends of its confidence interval.
Json bar(const std::string& series, double share, const Interval& interval, double level) {
  return {{"series", series}, {"value", share - level}, {"low", interval.low - level}, {"high", interval.high - level}};
}

Json coverage_panel(const Calibration& calibration, std::size_t k) {
  constexpr double two_sided_95 = 1.959963984540054;
  Json field = {{"label", "field"}, {"bars", Json::array()}};
  for (const MethodCalibration& method : calibration.methods) {
    const auto& [mean, error] = method.field.coverage[k];
    field["bars"].push_back(
        bar(method.name, mean, {mean - two_sided_95 * error, mean + two_sided_95 * error}, levels[k]));
  }
  Json groups = Json::array({field});
  for (const std::size_t q : free_quantities(calibration)) {
    Json group = {{"label", calibration.quantities[q].name}, {"bars", Json::array()}};
    for (const MethodCalibration& method : calibration.methods) {
      const Coverage& coverage = method.quantities[q].coverage[k];
      group["bars"].push_back(bar(method.name, coverage.share, coverage.interval, levels[k]));
    }
    groups.push_back(group);
  }
  return {{"kind", "bars"}, {"groups", groups}, {"y_axis", {{"label", "coverage - level"}, {"zero", true}}}};
}

std::vector<std::string> names(const Calibration& calibration) {
  std::vector<std::string> result;
  for (const MethodCalibration& method : calibration.methods) result.push_back(method.name);
  return result;
}

Json rank_figure(const Calibration& calibration) {
  Json panels = Json::array();
  std::vector<std::string> rows;
  for (const std::size_t q : free_quantities(calibration)) {
    rows.push_back(calibration.quantities[q].name);
    Json row = Json::array();
    for (const MethodCalibration& method : calibration.methods) {
      const QuantityCalibration& quantity = method.quantities[q];
      row.push_back(quantity.count > 0 ? rank_panel(method, quantity, calibration.bands.at(quantity.count))
                                       : text_panel("no ranks"));
    }
    panels.push_back(row);
  }
  return {{"type", "figure"},
          {"id", "ranks"},
          {"title", "Ranks of the truths"},
          {"caption",
           "The distribution of the truth's rank among draws of the posterior, less that of a uniform variable. A "
           "calibrated method stays in the band at all points with probability 95 %. Above, then below zero: intervals "
           "are too narrow; below, then above: too wide; all above: the method's values are too high; all below: too "
           "low."},
          {"rows", rows},
          {"columns", names(calibration)},
          {"legend", Json::array()},
          {"shared", {{"x", "all"}, {"y", "all"}}},
          {"panels", panels}};
}

Json coverage_figure(const Calibration& calibration) {
  Json panels = Json::array();
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    rows.push_back(fmt::format("{:.0f} % intervals", 100 * levels[k]));
    panels.push_back({coverage_panel(calibration, k)});
  }
  return {{"type", "figure"},
          {"id", "coverage"},
          {"title", "Coverage"},
          {"caption",
           "How often central intervals hold the truth, less how often they should, with 95 % confidence: by Clopper "
           "and Pearson for quantities, from the spread over repeats for the share of the field's unknowns."},
          {"rows", rows},
          {"aspect", 0.35},
          {"panels", panels}};
}

Json table(const char* id, const char* title, const std::string& caption, const std::vector<std::string>& columns,
           const Json& rows) {
  Json heads = Json::array();
  for (const std::string& column : columns) heads.push_back({{"label", column}});
  return {{"type", "table"}, {"id", id}, {"title", title}, {"caption", caption}, {"columns", heads}, {"rows", rows}};
}

std::string percent(const Coverage& coverage) {
  if (coverage.count == 0) return "\u2013";
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", 100 * coverage.share, 100 * coverage.interval.low,
                     100 * coverage.interval.high);
}

/// A number in a table; nothing if it is not known.
std::string in_table(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "\u2013";
}

std::string plus_minus(const result::Estimate& estimate, int digits, double factor = 1) {
  if (!std::isfinite(estimate.error)) return in_table(factor * estimate.value, digits);
  return fmt::format("{0:.{2}f} \u00b1 {1:.{2}f}", factor * estimate.value, factor * estimate.error, digits);
}

Json numbers_table(const Calibration& calibration) {
  Json rows = Json::array();
  for (const MethodCalibration& method : calibration.methods) {
    if (method.answers == 0) continue;
    Json field = {method.name, "field"};
    for (const result::Estimate& coverage : method.field.coverage) field.push_back(plus_minus(coverage, 1, 100));
    field.push_back("");
    field.push_back(plus_minus(method.field.z_rms, 2));
    field.push_back(in_table(method.field.contraction.value, 3));
    field.push_back(describe_p(method.field.p_value));
    rows.push_back(field);
    for (const std::size_t q : free_quantities(calibration)) {
      const QuantityCalibration& quantity = method.quantities[q];
      Json row = {"", calibration.quantities[q].name};
      for (const Coverage& coverage : quantity.coverage) row.push_back(percent(coverage));
      row.push_back(plus_minus(quantity.z, 2));
      row.push_back(in_table(quantity.z_rms, 2));
      row.push_back(in_table(quantity.contraction, 3));
      row.push_back(describe_p(quantity.p_value));
      rows.push_back(row);
    }
  }
  std::string labels;
  for (const std::size_t q : free_quantities(calibration))
    labels += fmt::format("{}{}: {}", labels.empty() ? "" : "; ", calibration.quantities[q].name,
                          calibration.quantities[q].label);
  return table("numbers", "Numbers",
               "Coverage in per cent, with 95 % confidence for quantities and the standard error for the field; z = "
               "(truth - mean) / sd, with the standard error of its mean; contraction = 1 - variance / prior variance; "
               "p of the ranks, or of the field's coverage at 90 %, for one row alone. " +
                   labels + ".",
               {"method", "of", "50 %", "90 %", "95 %", "z mean", "z rms", "contraction", "p"}, rows);
}

Json trust_table(const Calibration& calibration) {
  constexpr const char* words[] = {"good", "with care", "not to be relied on"};
  Json rows = Json::array();
  const bool judged = !calibration.referee.empty();
  for (const MethodCalibration& method : calibration.methods) {
    std::string first = method.name;
    for (std::size_t level = 0; level < method.trust.size(); ++level) {
      const TrustCalibration& trust = method.trust[level];
      if (trust.repeats == 0) continue;
      Json row = {first, words[level], trust.repeats, percent(trust.all_near)};
      if (judged) row.push_back(trust.close.count > 0 ? percent(trust.close) : "");
      for (const std::size_t q : free_quantities(calibration)) row.push_back(100 * trust.covered[q].share);
      rows.push_back(row);
      first = "";
    }
  }
  std::vector<std::string> columns = {"method", "verdict", "repeats", "all within 3 sds, %"};
  if (judged) columns.push_back("as " + calibration.referee + ", %");
  const std::size_t first_quantity = columns.size();
  for (const std::size_t q : free_quantities(calibration)) columns.push_back(calibration.quantities[q].name);
  Json block = table(
      "trust", "Verdicts and the truth",
      "What the trust panel of a run said, by its worst line, and how the truth lay: in how many per cent of "
      "the repeats no quantity was off by three sds or more, and how often each lay in its 90 % interval." +
          (judged ? fmt::format(" \"As {0}\": every mean within 0.3 of {0}'s sds, and every sd within a factor of 1.3.",
                                calibration.referee)
                  : ""),
      columns, rows);
  for (std::size_t column = first_quantity; column < columns.size(); ++column) {
    block["columns"][column]["group"] = "in the 90 % interval, %";
    block["columns"][column]["digits"] = 2;
  }
  return block;
}

Json time_table(const Calibration& calibration) {
  Json rows = Json::array();
  for (const MethodCalibration& method : calibration.methods)
    rows.push_back({method.name, method.answers, method.failures, method.seconds_median, method.seconds_mean,
                    method.seconds_most});
  return table("time", "Time", "Processor time of one inference on one thread, in seconds.",
               {"method", "answers", "without answer", "median", "mean", "longest"}, rows);
}

Json section(const char* id, const char* title, std::vector<Json> blocks) {
  return {{"id", id}, {"title", title}, {"blocks", std::move(blocks)}};
}

}  // namespace

std::string format_page(const Calibration& calibration, const CalibrationOrigin& origin,
                        const io::ReportOrigin& generator) {
  const std::string how = fmt::format(
      "{} a truth was drawn from the prior, measured with noise{}, and inferred. {}",
      calibration.repeats == 1 ? "In one repeat" : fmt::format("In each of {} repeats", calibration.repeats),
      origin.options.refinements > 0
          ? fmt::format(" on a mesh refined {}",
                        origin.options.refinements == 1 ? "once" : fmt::format("{} times", origin.options.refinements))
          : "",
      origin.problem);
  std::vector<std::string> summary = {conclude(calibration), how};
  if (free_quantities(calibration).size() < calibration.quantities.size())
    summary.emplace_back("Quantities that the loads alone determine, whatever the field is, are left out.");
  const Json document = {
      {"schema", 1},
      {"kind", "document"},
      {"title", "Calibration: " + origin.title},
      {"summary", summary},
      {"generator", {{"version", generator.version}, {"date", generator.date}, {"command", generator.command}}},
      {"sections",
       {section("ranks-section", "Ranks", {rank_figure(calibration)}),
        section("coverage-section", "Coverage", {coverage_figure(calibration), numbers_table(calibration)}),
        section("trust-section", "Verdicts and time", {trust_table(calibration), time_table(calibration)})}}};
  return io::fill_template(io::document_template(), document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace varimesh::calibration
