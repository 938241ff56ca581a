// Figures of poisson.h: bars of errors, densities of the flux, coverage.
#include <fmt/format.h>

#include "varimesh/paper/figures.h"
#include "varimesh/paper/poisson.h"

namespace varimesh::paper {
namespace {

std::string series_of(const PoissonCase& some, std::string_view method) { return some.answers.of(method).name; }

/// One group of bars for each prior, one bar for each method.
Json bars_panel(const std::vector<const PoissonCase*>& cases, double Repetition::* number, const Json& y_axis) {
  Json groups = Json::array();
  for (const PoissonCase* some : cases) {
    Json bars = Json::array();
    for (const char* method : method_words) bars.push_back(bar(series_of(*some, method), some->all(method, number)));
    groups.push_back({{"label", fmt::format("{}", some->prior)}, {"bars", bars}});
  }
  return {{"kind", "bars"}, {"groups", groups}, {"x_label", "length-scale \u2113 of the prior"}, {"y_axis", y_axis}};
}

std::string of_seeds(const std::vector<const PoissonCase*>& cases) {
  const std::size_t seeds = cases.front()->repetitions.size();
  if (seeds == 1) return "One truth with its data, as in the paper.";
  return fmt::format(
      "Medians of {} truths, each with its own data; lines are quartiles, dots single truths. The paper shows one.",
      seeds);
}

}  // namespace

Json error_figure(const PoissonPlan& plan, const std::vector<PoissonCase>& cases, double truth, const std::string& id,
                  const Claim& claim) {
  const auto some = of_truth(cases, truth);
  Figure words{
      id,
      fmt::format("Errors, {}, truth \u2113 = {}", plan.title, truth),
      "Left: distance of the mean of \u03ba from the truth (Euclidean norm). Right: expected distance of u from the "
      "true u, over the draws. " +
          of_seeds(some),
      claim,
      {},
      {"mean \u03ba error", "expected u error"}};
  words.shared = {{"y", "none"}};
  return figure(words, {{bars_panel(some, &Repetition::kappa_error, axis("norm of the error of \u03ba", false, true)),
                         bars_panel(some, &Repetition::u_error, axis("norm of the error of u", false, true))}});
}

Json flux_figure(const PoissonPlan& plan, const std::vector<PoissonCase>& cases, double truth, const std::string& id,
                 const Claim& claim) {
  std::vector<Json> panels;
  std::vector<std::string> columns;
  for (const PoissonCase* some : of_truth(cases, truth)) {
    std::vector<std::pair<std::string, const result::QuantitySummary*>> densities;
    for (const char* method : method_words)
      densities.emplace_back(series_of(*some, method), &some->answers.of(method).quantities.front());
    panels.push_back(density_panel(densities, plan.flux_label, some->answers.problem.truth->quantities[0]));
    columns.push_back(scale_heading(some->prior));
  }
  Figure words{id,
               fmt::format("Boundary flux, {}, truth \u2113 = {}", plan.title, truth),
               "Posterior density of the quantity of interest by each method; dashed: its true value. The highest peak "
               "is cut off.",
               claim,
               {},
               columns};
  words.shared = {{"x", "all"}, {"y", "none"}};
  return figure(words, {panels});
}

Json coverage_figure(const PoissonPlan& plan, const std::vector<PoissonCase>& cases) {
  std::vector<Json> panels;
  std::vector<std::string> columns;
  for (const double truth : truth_scales) {
    panels.push_back(bars_panel(of_truth(cases, truth), &Repetition::coverage,
                                {{"label", "share of cells whose truth is within 2 sd"}, {"domain", {0, 1}}}));
    columns.push_back(fmt::format("truth \u2113 = {}", truth));
  }
  const Figure words{
      "figure-coverage-" + plan.id,
      "Coverage of the bands, " + plan.title,
      "How often the true \u03ba lies within two standard deviations of the mean. If prior and truth have the same "
      "length-scale, honest bands cover 95 % on average; the paper does not have this. " +
          of_seeds(of_truth(cases, truth_scales[0])),
      {},
      {},
      columns};
  return figure(words, {panels});
}

}  // namespace varimesh::paper
