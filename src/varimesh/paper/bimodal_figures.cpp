// Figures and the table of bimodal.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "varimesh/paper/bimodal.h"
#include "varimesh/paper/bimodal_record.h"
#include "varimesh/paper/figures.h"

namespace varimesh::paper {
namespace {

/// u at all x, a column for each pair (kappa, log u_R).
Matrix solve(const BimodalConfig& config, const Vector& x, const Matrix& unknowns) {
  const BimodalModel model(config.source, x);
  Matrix u(x.size(), unknowns.cols());
  for (Eigen::Index k = 0; k < u.cols(); ++k) u.col(k) = model.predict(unknowns.col(k));
  return u;
}

/// Curves of u, and the measurements.
Json solutions_panel(const BimodalConfig& config, const std::string& title, Json lines) {
  const Vector at = Vector::Constant(config.measurements.size(), config.sensor);
  const Json data = {{"series", "data"}, {"x", numbers(at)}, {"y", numbers(config.measurements)}, {"symbol", "cross"}};
  return {{"kind", "curves"}, {"title", title},      {"lines", std::move(lines)},
          {"points", {data}}, {"x_axis", axis("x")}, {"y_axis", axis("u")}};
}

std::vector<Json> solution_panels(const BimodalAnswers& answers) {
  constexpr Eigen::Index some = 40;
  const BimodalConfig& config = answers.config;
  const Vector x = Vector::LinSpaced(101, 0, 1);
  const auto line = [&](const std::string& series, const Matrix& unknowns) -> Json {
    return {{"series", series}, {"x", numbers(x)}, {"y", numbers(solve(config, x, unknowns).reshaped())}};
  };
  Json truths = Json::array();
  for (const auto& truth : config.truth.colwise())
    truths.push_back(
        line(fmt::format("exp(\u03ba) = {:g}, u_R = {:g}", std::exp(truth[0]), std::exp(truth[1])), truth));
  const Matrix draws = bimodal_draws(answers.mixture.record);
  const Matrix drawn = draws.leftCols(std::min(some, draws.cols()));
  return {solutions_panel(config, "two solutions, and the measurements", truths),
          solutions_panel(config, fmt::format("{} draws of u by the mixture", some),
                          Json::array({line(answers.mixture.record.name, drawn)}))};
}

/// A density at the nodes, up to a factor, and contour lines of fits.
Json contour_panel(const std::string& title, const PlaneGrid& window, const std::string& series, const Vector& density,
                   const std::vector<const BimodalFit*>& fits) {
  Json lines = Json::array();
  for (const BimodalFit* fit : fits)
    lines.push_back(
        {{"series", fit->record.name}, {"z", numbers(fit->q->log_densities(window.nodes()).array().exp())}});
  return {
      {"kind", "contour"},          {"title", title},        {"series", series},          {"x", numbers(window.kappa)},
      {"y", numbers(window.log_u)}, {"z", numbers(density)}, {"lines", std::move(lines)}, {"x_axis", axis("\u03ba")},
      {"y_axis", axis("log u_R")}};
}

Json posterior_panel(const BimodalAnswers& answers, const std::string& title, const PlaneGrid& window,
                     const std::vector<const BimodalFit*>& fits) {
  const Vector density = (log_joint(answers.posterior, window.nodes()).array() - answers.log_evidence).exp();
  return contour_panel(title, window, "exact", density, fits);
}

PlaneGrid window_of(const Vector& low, const Vector& high, Index points) {
  return {Vector::LinSpaced(points, low[0], high[0]), Vector::LinSpaced(points, low[1], high[1])};
}

Json record(const Mode& mode) {
  if (!is_there(mode)) return {{"probability", 0}};
  // Less is rounding error of the quadrature, or noise of the fit. (Zero makes minus zero zero.)
  const double correlation = std::round(1e4 * mode.correlation) / 1e4 + 0.0;
  return {{"probability", mode.weight},
          {"mean", {{"kappa", mode.mean[0]}, {"log_u_R", mode.mean[1]}}},
          {"sd", {{"kappa", mode.sd[0]}, {"log_u_R", mode.sd[1]}}},
          {"correlation", correlation}};
}

Json record(const BimodalFit& fit, double log_evidence) {
  const PlaneSummary& s = fit.summary;
  return {{"small_u_R", record(s.low)},
          {"large_u_R", record(s.high)},
          {"kl_q_p", s.divergence},
          {"kl_q_p_by_weights", s.weight_divergence},
          {"kl_p_q", s.reverse_divergence},
          {"elbo", fit.record.elbo->value},
          {"elbo_standard_error", fit.record.elbo->error},
          {"log_evidence_minus_elbo", log_evidence - fit.record.elbo->value},
          {"converged", fit.converged()},
          {"seconds", fit.record.seconds}};
}

}  // namespace

Json bimodal_figure(const BimodalAnswers& answers, const Claim& claim) {
  const Vector reach = Vector::Constant(2, 3 * std::sqrt(answers.config.prior_variance));
  const Matrix& centres = answers.config.prior_means;
  const Vector low = centres.rowwise().minCoeff() - reach, high = centres.rowwise().maxCoeff() + reach;
  const PlaneGrid window = window_of(low, high, 70);
  const Matrix nodes = window.nodes();
  Vector density(nodes.cols());
  for (Eigen::Index i = 0; i < density.size(); ++i)
    density[i] = std::exp(answers.posterior.prior().log_density(nodes.col(i)));
  const Json prior = contour_panel("prior", window, "prior", density, {});
  Json posterior = posterior_panel(answers, "posterior", window_of(low, high, 150), {&answers.mixture});
  posterior["levels"] = {0.01, 0.05, 0.2, 0.5, 0.8};
  return figure({"figure-bimodal",
                 "Two solutions, prior and posterior",
                 "Posterior, filled: exact, at 1, 5, 20, 50 and 80 % of its peak. Lines: the mixture, at 10, 50 and 90 "
                 "% of its own.",
                 claim,
                 {},
                 {}},
                {solution_panels(answers), {prior, posterior}});
}

Json modes_figure(const BimodalAnswers& answers) {
  const auto panel = [&](const std::string& title, Mode PlaneSummary::* mode) {
    const Mode& exact = answers.exact.*mode;
    std::vector<const BimodalFit*> here;
    for (const BimodalFit* fit : {&answers.mixture, &answers.one_mode, &answers.normal})
      if (is_there(fit->summary.*mode)) here.push_back(fit);
    return posterior_panel(answers, title, window_of(exact.mean - 4 * exact.sd, exact.mean + 4 * exact.sd, 70), here);
  };
  Figure words{"figure-modes-bimodal",
               "Within the modes",
               "Each mode on its own scales. Filled: exact, at 5 to 95 % of its peak here. Lines: fits, at 10, 50 and "
               "90 %, in the modes where they are.",
               {},
               {},
               {}};
  words.shared = {{"y", "none"}};
  return figure(words, {{panel("small u_R", &PlaneSummary::low), panel("large u_R", &PlaneSummary::high)}});
}

Json bimodal_numbers(const BimodalAnswers& answers) {
  const PlaneSummary& exact = answers.exact;
  const double log_evidence = answers.log_evidence;
  return {{"split_log_u_R", answers.split},
          {"exact", {{"small_u_R", record(exact.low)}, {"large_u_R", record(exact.high)}, {"elbo", log_evidence}}},
          {"mixture", record(answers.mixture, log_evidence)},
          {"normal", record(answers.normal, log_evidence)},
          {"mixture_in_one_mode", record(answers.one_mode, log_evidence)}};
}

Json bimodal_table(const Json& numbers) {
  std::vector<std::vector<Json>> rows;
  const auto add = [&](const std::string& where, const std::string& what, const std::string& key) {
    rows.push_back({where, what});
    for (const char* distribution : {"exact", "mixture", "normal", "mixture_in_one_mode"})
      rows.back().push_back(numbers.at(distribution).value(Json::json_pointer(key), Json(nullptr)));
  };
  for (const std::string mode : {"small", "large"}) {
    const std::string key = "/" + mode + "_u_R";
    add(mode + " u_R", "probability", key + "/probability");
    add("", "mean of \u03ba", key + "/mean/kappa");
    add("", "sd of \u03ba", key + "/sd/kappa");
    add("", "mean of log u_R", key + "/mean/log_u_R");
    add("", "sd of log u_R", key + "/sd/log_u_R");
    add("", "correlation", key + "/correlation");
  }
  add("both", "KL(q || p)", "/kl_q_p");
  add("", "of it, by weights", "/kl_q_p_by_weights");
  add("", "KL(p || q)", "/kl_p_q");
  add("", "ELBO; exact: log p(y)", "/elbo");
  add("", "log p(y) \u2212 ELBO", "/log_evidence_minus_elbo");
  add("", "seconds", "/seconds");
  return table({"table-bimodal",
                "Table 4: the posterior and its approximations, bimodal",
                "Means, sds and correlations are those within a mode; divergences and ELBOs in nats.",
                "All by quadrature but the ELBO, which comes from draws: log p(y) \u2212 ELBO is KL(q || p) within its "
                "Monte Carlo error.",
                {column("mode"), column("quantity"), column("exact"), column("mixture"), column("one normal"),
                 column("mixture in one mode")}},
               rows);
}

}  // namespace varimesh::paper
