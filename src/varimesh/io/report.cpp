#include "varimesh/io/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/io/data_checks.h"
#include "varimesh/io/known_from_data.h"
#include "varimesh/io/packed_numbers.h"
#include "varimesh/io/page_data.h"
#include "varimesh/io/page_templates.h"
#include "varimesh/io/precision_picture.h"
#include "varimesh/io/prior_sensitivity.h"
#include "varimesh/io/report_maps.h"
#include "varimesh/io/report_size.h"
#include "varimesh/io/report_words.h"
#include "varimesh/result/correlations.h"

namespace varimesh::io {
namespace {

using Json = nlohmann::ordered_json;
using result::MethodRecord;
using result::ProblemRecord;

constexpr Index trace_points = 1000;
constexpr Index traced_chains = 8;  // the page draws no more
constexpr Index density_points = 256;

Json encode(const result::Estimate& estimate) {
  return {{"value", estimate.value}, {"standard_error", estimate.error}};
}

/// What the program was not told is left out.
void set_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Json encode_problem(const ProblemRecord& problem) {
  const auto& words = problem.words;
  Json object = {{"equation", words.equation}, {"mesh", words.mesh},   {"sensors", words.sensors},
                 {"prior", words.prior},       {"noise", words.noise}, {"numbers", Json::array()}};
  for (const auto& fact : report_facts(problem)) {
    const Json value = std::visit([](const auto& known) { return Json(known); }, fact.value);
    object["numbers"].push_back({{"label", fact.label}, {"value", value}});
  }
  Json units = Json::object();
  set_text(units, "length", problem.labels.length_unit);
  set_text(units, "u", problem.labels.u_unit);
  set_text(units, "conductivity", problem.labels.conductivity_unit);
  if (!units.empty()) object["units"] = std::move(units);
  set_text(object, "u_name", problem.labels.u);
  set_text(object, "conductivity_name", problem.labels.conductivity);
  return object;
}

Json encode_truth(const ProblemRecord& problem, Packing packing) {
  const auto& truth = *problem.truth;
  Json object = Json::object();
  if (truth.kappa.size() > 0) object["kappa"] = numbers(problem.field_part(truth.kappa), packing);
  if (truth.u.size() > 0) object["u"] = numbers(truth.u, packing);
  Json known = Json::object();
  for (std::size_t q = 0; q < problem.quantities.size() && q < static_cast<std::size_t>(truth.quantities.size()); ++q) {
    const double value = truth.quantities[static_cast<Eigen::Index>(q)];
    if (std::isfinite(value)) known[problem.quantities[q].name] = value;
  }
  if (!known.empty()) object["quantities"] = std::move(known);
  return object;
}

Json encode(const result::Moments& moments, Packing packing) {
  return {{"mean", numbers(moments.mean, packing)}, {"sd", numbers(moments.sd, packing)}};
}

/// So many of several, evenly spaced.
std::vector<Index> spread(Index count, Index several) {
  std::vector<Index> chosen(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) chosen[k] = static_cast<Index>((2LL * k + 1) * several / (2LL * count));
  return chosen;
}

/// So many of the shown draws.
Json encode_draws(const MethodRecord& method, Index count, const ReportMaps& maps) {
  const auto chosen = spread(count, static_cast<Index>(method.shown_draws.size()));
  const Index per_chain = method.draws.num_draws();
  const bool has_u = method.shown_u.rows() > 0;
  Matrix kappa(maps.problem().num_field_unknowns(), count), u(has_u ? maps.problem().mesh.num_nodes() : 0, count);
  for (Index k = 0; k < count; ++k) {
    const Index draw = method.shown_draws[chosen[k]];
    kappa.col(k) = maps.kappa(method.draws.chain(draw / per_chain).col(draw % per_chain));
    if (has_u) u.col(k) = maps.u(method.shown_u.col(chosen[k]));
  }
  Json object = {{"count", count}, {"kappa", numbers(kappa.reshaped(), Packing::q16)}};
  if (has_u) object["u"] = numbers(u.reshaped(), Packing::q16);
  return object;
}

Json encode_sensors(const ProblemRecord& problem, Index count) {
  const auto& sensors = problem.sensors;
  const auto some = spread(count, problem.num_sensors());
  std::vector<Point> points;
  for (const Index s : some) points.push_back(sensors.points[s]);
  Json object = {{"position", io::encode(points, problem.mesh.dimension())},
                 {"mean", numbers(sensors.mean(some), Packing::f64)},
                 {"sigma", numbers(sensors.sigma(some), Packing::f32)},
                 {"count", numbers(sensors.count(some), Packing::f32)}};
  if (!sensors.labels.empty()) {
    object["label"] = Json::array();
    for (const Index s : some) object["label"].push_back(sensors.label(s));
  }
  if (!sensors.kinds.empty()) {
    object["kind"] = Json::array();
    for (const Index s : some) object["kind"].push_back(sensors.kind(s));
  }
  if (count < problem.num_sensors()) {
    object["number"] = encode(pack_integers(some));
    object["total"] = problem.num_sensors();
  }
  return object;
}

Json encode_trace(const std::vector<result::TracePoint>& trace) {
  const std::size_t stride = (trace.size() + 2 * trace_points - 1) / (2 * trace_points);
  std::vector<Index> iterations;
  std::vector<double> values, errors;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    if (k % stride != 0 && k + 1 != trace.size()) continue;
    iterations.push_back(trace[k].iteration);
    values.push_back(trace[k].elbo);
    errors.push_back(trace[k].elbo_standard_error);
  }
  return {{"kind", "elbo"},
          {"iteration", encode(pack_integers(iterations))},
          {"value", encode(pack(values, Packing::f64))},
          {"standard_error", encode(pack(errors, Packing::f32))}};
}

Json encode_chain_traces(const result::Draws& draws) {
  const Matrix values = draws.statistic(result::Statistic::log_posterior);
  const auto thin = std::max<Eigen::Index>(1, (values.rows() + trace_points - 1) / trace_points);
  const Eigen::Index points = (values.rows() + thin - 1) / thin;
  Json chains = Json::array();
  for (Eigen::Index c = 0; c < std::min<Eigen::Index>(values.cols(), traced_chains); ++c)
    chains.push_back(numbers(values.col(c)(Eigen::seqN(0, points, thin)), Packing::f64));
  return {{"kind", "log_posterior"}, {"thin", thin}, {"chains", std::move(chains)}};
}

/// Of the unknown scalar of that name; null if there is none.
const ScalarPrior* prior_of(const ProblemRecord& problem, const std::string& name) {
  const auto found = std::ranges::find(problem.scalars, name, &result::ScalarRecord::name);
  return found == problem.scalars.end() ? nullptr : &found->prior;
}

/// Its density around the part of the axis where that of the answer is.
Json encode_prior(const ScalarPrior& prior, double from, double to) {
  const double margin = 0.5 * (to - from);
  const Vector x = Vector::LinSpaced(density_points, from - margin, to + margin);
  return {{"x", numbers(x, Packing::f64)},
          {"y", numbers(x.unaryExpr([&](double value) { return prior.density(value); }), Packing::f32)}};
}

/// Correlations of unknown scalars, row by row of the lower triangle; nothing of fewer than two.
void add_correlations(const ProblemRecord& problem, const MethodRecord& method, Json& run) {
  if (problem.scalars.size() < 2 || method.quantity_draws.cols() < 3) return;
  std::vector<Eigen::Index> rows;
  Json names = Json::array();
  for (std::size_t q = 0; q < problem.quantities.size(); ++q) {
    if (!prior_of(problem, problem.quantities[q].name)) continue;
    rows.push_back(static_cast<Eigen::Index>(q));
    names.push_back(problem.quantities[q].name);
  }
  const Matrix correlations = result::correlations(method.quantity_draws(rows, Eigen::all));
  if (!correlations.allFinite()) return;
  run["correlations"] = {{"names", std::move(names)}, {"values", numbers(correlations.reshaped(), Packing::f32)}};
}

Json encode_quantities(const ProblemRecord& problem, const MethodRecord& method) {
  Json list = Json::array();
  for (std::size_t q = 0; q < std::min(problem.quantities.size(), method.quantities.size()); ++q) {
    const auto& quantity = method.quantities[q];
    Json object = {{"name", problem.quantities[q].name},
                   {"label", problem.quantities[q].label},
                   {"mean", quantity.mean},
                   {"sd", quantity.sd},
                   {"q05", quantity.q05},
                   {"q50", quantity.q50},
                   {"q95", quantity.q95}};
    const Eigen::Index size = quantity.density.size();
    if (size > 0 && quantity.density_x.size() == size && quantity.density_x.allFinite() &&
        quantity.density.allFinite()) {
      const Eigen::Index stride = (size + density_points - 1) / density_points;
      const auto some = Eigen::seqN(0, (size + stride - 1) / stride, stride);
      object["density"] = {{"x", numbers(quantity.density_x(some), Packing::f64)},
                           {"y", numbers(quantity.density(some), Packing::f32)}};
      if (const ScalarPrior* prior = prior_of(problem, problem.quantities[q].name))
        object["prior"] = encode_prior(*prior, quantity.density_x[0], quantity.density_x[size - 1]);
    }
    list.push_back(std::move(object));
  }
  return list;
}

std::optional<PrecisionPicture> picture_of(const MethodRecord& method, Index most) {
  if (method.components.size() == 1) return picture_precision(*method.components.front(), most);
  if (method.chains) return picture_precision(method.draws, method.chains->ess_bulk, most);
  return std::nullopt;  // a mixture has no precision matrix of its own
}

Json encode_picture(const PrecisionPicture& picture, const ProblemRecord& problem, bool from_draws) {
  std::string order = picture.order == PrecisionPicture::Order::elimination ? "in elimination order"
                      : problem.on_nodes()                                  ? "as nodes are numbered"
                      : problem.one_unknown_per_cell()                      ? "as cells are numbered"
                                                                            : "as they are numbered";
  if (from_draws) order += ", estimated from the draws";
  return {{"unknowns", picture.unknowns},
          {"nonzeros", picture.nonzeros},
          {"size", picture.size},
          {"order", order},
          {"fill", numbers(picture.fill, Packing::q8)},
          {"value", numbers(picture.value, Packing::q16)}};
}

Json encode_trust(const std::vector<result::TrustItem>& trust) {
  Json list = Json::array();
  for (const auto& item : trust) {
    Json object = {{"level", result::level_names[static_cast<std::size_t>(item.level)]},
                   {"headline", item.headline},
                   {"explanation", item.explanation}};
    set_text(object, "action", item.action);
    list.push_back(std::move(object));
  }
  return list;
}

Json encode_settings(const std::vector<result::MethodSetting>& settings) {
  Json list = Json::array();
  for (const auto& [key, value] : settings)
    list.push_back({{"key", key}, {"value", std::visit([](const auto& known) { return Json(known); }, value)}});
  return list;
}

/// How the method ended, and what diagnostics say of it.
void add_diagnostics(const MethodRecord& method, Json& run) {
  if (method.elbo) run["elbo"] = encode(*method.elbo);
  if (method.khat) {
    run["khat"] = {
        {"value", method.khat->value}, {"threshold", method.khat->threshold}, {"verdict", method.khat->verdict}};
  }
  if (method.chains) {
    const auto& chains = *method.chains;
    run["chains"] = {
        {"chains", chains.chains},         {"draws", chains.draws},       {"rhat", chains.rhat},
        {"ess_bulk", chains.ess_bulk},     {"ess_tail", chains.ess_tail}, {"divergences", chains.divergences},
        {"acceptance", chains.acceptance}, {"e_bfmi", chains.e_bfmi}};
  }
  // Predictions have draws without the log posterior.
  if (method.chains && method.draws.statistic(result::Statistic::log_posterior).array().isFinite().any())
    run["trace"] = encode_chain_traces(method.draws);
  else if (!method.trace.empty())
    run["trace"] = encode_trace(method.trace);
  Json errors = Json::object();
  if (method.kappa_error) errors["kappa"] = encode(*method.kappa_error);
  if (method.u_error) errors["u"] = encode(*method.u_error);
  if (!errors.empty()) run["errors"] = std::move(errors);
}

/// Fields besides the coefficient, of every cell or node; nothing where the mesh is too large for a page.
void add_fields(const ProblemRecord& problem, const MethodRecord& method, const ReportMaps& maps, Json& run) {
  if (problem.fields.empty() || maps.in_boxes()) return;
  Json list = Json::array();
  Eigen::Index first = problem.num_field_unknowns();
  for (const result::FieldRecord& field : problem.fields) {
    const bool on_nodes = field.support == result::Support::nodes;
    const auto shown = [&](const Vector& all) {
      const Vector own = all.segment(first, field.size);
      return numbers(on_nodes ? own : Vector(own(field.unknown_of_cell)), Packing::f32);
    };
    Json object = {{"name", field.name},
                   {"at", on_nodes ? "node" : "cell"},
                   {"mean", shown(method.kappa.mean)},
                   {"sd", shown(method.kappa.sd)}};
    set_text(object, "unit", field.unit);
    if (problem.mesh.dimension() == 1) {
      Vector x(on_nodes ? problem.mesh.num_nodes() : problem.mesh.num_cells());
      for (Index k = 0; k < static_cast<Index>(x.size()); ++k)
        x[k] = on_nodes ? problem.mesh.nodes[k][0] : mesh::centroid(problem.mesh, k)[0];
      object["x"] = numbers(x, Packing::f64);
    }
    list.push_back(std::move(object));
    first += field.size;
  }
  run["fields"] = std::move(list);
}

Json encode_run(const ProblemRecord& problem, const MethodRecord& method, const ReportMaps& maps,
                const ReportSize& size) {
  Json run = {{"id", method.method},
              {"name", method.name},
              {"description", method.description},
              {"status", result::name(method.status)},
              {"message", method.message},
              {"seconds", method.seconds},
              {"solves", method.solves()},
              {"settings", encode_settings(method.settings)},
              {"verdict", result::verdict(method.trust, result::names_of(problem.quantities))},
              {"trust", encode_trust(method.trust)}};
  add_diagnostics(method, run);
  const auto shown = [&](const Vector& kappa) { return numbers(maps.kappa(kappa), size.fields); };
  const auto& kappa = method.kappa;
  run["kappa"] = {{"mean", shown(kappa.mean)},
                  {"sd", shown(kappa.sd)},
                  {"q05", shown(kappa.q05)},
                  {"q50", shown(kappa.q50)},
                  {"q95", shown(kappa.q95)}};
  const Vector share = share_of_prior(method);
  if (const std::string words = known_in_words(problem, share); !words.empty())
    run["known"] = {{"sentence", words}, {"share", shown(share)}};
  if (method.u.mean.size() > 0) run["u"] = encode({maps.u(method.u.mean), maps.u(method.u.sd)}, size.fields);
  if (problem.has_measurements() && method.predicted.mean.size() > 0) {
    const auto some = spread(size.sensors, problem.num_sensors());
    run["predicted"] = encode({method.predicted.mean(some), method.predicted.sd(some)}, Packing::f32);
    if (method.leave_one_out.size() == problem.num_sensors()) {
      const Json found = encode_leave_one_out(problem, method.leave_one_out);
      run["leave_one_out"] = {{"residual", numbers(method.leave_one_out.residual(some), Packing::f32)},
                              {"elpd", found.at("elpd")},
                              {"worst", found.at("worst")}};
    }
  }
  if (const auto& found = method.prior_sensitivity; found.is_known()) {
    run["prior_sensitivity"] = encode_prior_sensitivity(problem, found);
    if (found.shift.size() == problem.num_unknowns())
      run["prior_sensitivity"]["shift"] = numbers(maps.kappa(found.shift), Packing::q16);
  }
  throw_if_interrupted();
  const Index draws = std::min(size.draws, static_cast<Index>(method.shown_draws.size()));
  if (draws > 0) run["draws"] = encode_draws(method, draws, maps);
  if (!method.quantities.empty()) run["quantities"] = encode_quantities(problem, method);
  add_correlations(problem, method, run);
  add_fields(problem, method, maps, run);
  if (const auto picture = picture_of(method, size.picture))
    run["precision"] = encode_picture(*picture, problem, method.chains.has_value());
  return run;
}

Json encode_comparison(const result::ComparisonRecord& comparison) {
  Json object = {{"run", comparison.method},
                 {"referee", comparison.referee},
                 {"largest_mean_shift", comparison.largest_mean_shift},
                 {"largest_sd_ratio", comparison.largest_sd_ratio},
                 {"speedup", comparison.speedup ? Json(*comparison.speedup) : Json(nullptr)},
                 {"sentence", comparison.sentence}};
  if (comparison.covariance_difference) object["covariance_difference"] = encode(*comparison.covariance_difference);
  if (comparison.kl) object["kl"] = encode(*comparison.kl);
  return object;
}

}  // namespace

std::string format_report(const ProblemRecord& problem, const std::vector<MethodRecord>& methods,
                          const std::vector<result::ComparisonRecord>& comparisons, const ReportOrigin& origin) {
  std::vector<const MethodRecord*> answers;
  std::set<std::string> names;
  for (const auto& method : methods) {
    if (!method.has_answer()) continue;
    answers.push_back(&method);
    names.insert(method.method);
  }
  if (answers.empty()) throw InputError("expected a method with an answer to report on, found none");
  const ReportMaps maps(problem);
  const ReportSize size = choose_report_size(maps.problem(), answers);

  Json generator = {{"version", origin.version}};
  set_text(generator, "date", origin.date);
  set_text(generator, "command", origin.command);
  Json data = {{"schema", 1},
               {"title", problem.labels.title.empty() ? "A coefficient field" : problem.labels.title},
               {"summary", report_summary(problem, answers)},
               {"generator", std::move(generator)},
               {"problem", encode_problem(problem)},
               {"mesh", encode_mesh(maps.problem())}};
  if (maps.in_boxes())
    data["mesh"]["boxes_of"] = {{"count", problem.mesh.num_cells()}, {"name", cells_of(problem.mesh)}};
  if (problem.has_measurements()) data["sensors"] = encode_sensors(problem, size.sensors);
  if (problem.truth) data["truth"] = encode_truth(maps.problem(), size.fields);
  data["runs"] = Json::array();
  for (const auto* method : answers) {
    throw_if_interrupted();
    data["runs"].push_back(encode_run(problem, *method, maps, size));
  }
  Json compared = Json::array();
  for (const auto& comparison : comparisons) {
    if (names.contains(comparison.method) && names.contains(comparison.referee))
      compared.push_back(encode_comparison(comparison));
  }
  if (!compared.empty()) data["comparisons"] = std::move(compared);
  throw_if_interrupted();
  return fill_template(report_template(), data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace varimesh::io
