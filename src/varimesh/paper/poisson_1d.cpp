// Section 4.1 and appendix A: Poisson 1D.
#include <fmt/format.h>

#include "varimesh/paper/experiments.h"
#include "varimesh/paper/figures.h"
#include "varimesh/paper/files.h"
#include "varimesh/paper/poisson_1d_claims.h"
#include "varimesh/paper/poisson_1d_variations.h"

namespace varimesh::paper {
namespace {

// Table 1 of the paper.
const std::vector<PublishedTimes> published_1d = {
    {0.1, 0.1, 15.2, 871, 3244, 1.1, 3.6, 2.1},  {0.1, 0.2, 11.1, 1043, 4006, 0.7, 2.7, 2.1},
    {0.1, 0.3, 7.2, 1130, 5408, 0.6, 2.3, 2.0},  {0.2, 0.1, 15.2, 1600, 4700, 0.6, 2.2, 1.8},
    {0.2, 0.2, 10.4, 1067, 3468, 0.6, 2.3, 2.0}, {0.2, 0.3, 7.0, 1487, 3969, 0.5, 1.7, 1.8}};

PoissonPlan plan_1d(const StudyOptions& options) {
  PoissonPlan plan;
  plan.id = "poisson-1d";
  plan.title = "Poisson 1D";
  plan.problem = poisson_1d_problem();
  plan.flux_label = "log flux out at x = 0";
  plan.table = 1;
  plan.adam_samples = 3;
  plan.adam_mean_field_steps = options.adam_steps_for(paper_mean_field_steps);
  plan.adam_matrix_steps = options.adam_steps_for(paper_matrix_steps);
  plan.adam_pace = 10'000;
  using Settings = std::vector<run::Override>;
  plan.hmc = [](double) { return Settings{}; };
  plan.pcn = [](double prior) { return Settings{setting("method.chains.thin", prior == prior_scales[0] ? 40 : 5)}; };
  plan.repetition = [](double prior) {
    Settings settings = {setting("method.draws", 2000), setting("method.chains.draws", 1000)};
    // Long trajectories, for the few data sets with a curved posterior.
    if (prior == prior_scales[0]) settings.push_back(setting("method.chains.leapfrog_steps", 20));
    return settings;
  };
  plan.tries_adam = [](double, double, run::Method) { return true; };
  return plan;
}

/// Means with bands, and draws of u with the data, by prior and method.
Json main_figure(const std::vector<PoissonCase>& cases, double truth, const std::string& id, const Claim& claim) {
  std::vector<std::vector<Json>> panels;
  std::vector<std::string> rows, columns;
  for (const PoissonCase* some : of_truth(cases, truth)) {
    const result::ProblemRecord& problem = some->answers.problem;
    std::vector<Json> kappa, u;
    columns.clear();
    for (const char* word : method_words) {
      const result::MethodRecord& method = some->answers.of(word);
      columns.push_back(method.name);
      kappa.push_back(band_panel(method.name, problem.mesh, method.kappa, problem.truth->kappa));
      u.push_back(solution_panel(method.name, problem.mesh, method.shown_u, problem.truth->u, problem.sensors));
    }
    panels.push_back(std::move(kappa));
    panels.push_back(std::move(u));
    rows.push_back(scale_heading(some->prior));
    rows.emplace_back("");
  }
  Figure words{id,
               fmt::format("Posteriors of \u03ba and u, Poisson 1D, truth \u2113 = {}", truth),
               "For each prior, above: mean of \u03ba with \u00b1 2 sd, dashed the truth. Below: u of 20 draws, the "
               "true u (dashed), and the mean measurements with \u00b1 2 standard errors. PMVB has bandwidth 10.",
               claim,
               rows,
               columns};
  words.shared = {{"x", "all"}, {"y", "row"}};
  return figure(words, panels);
}

Json precision_figure(const std::vector<PoissonCase>& cases, double truth, const std::string& id, const Claim& claim) {
  std::vector<std::vector<Json>> panels;
  std::vector<std::string> rows, columns;
  for (const PoissonCase* some : of_truth(cases, truth)) {
    panels.emplace_back();
    columns.clear();
    rows.push_back(scale_heading(some->prior));
    for (const char* word : method_words) {
      const result::MethodRecord& method = some->answers.of(word);
      columns.push_back(method.name);
      panels.back().push_back(matrix_panel(precision_matrix(method), false));
    }
  }
  return figure(
      {id, fmt::format("Precision matrices, Poisson 1D, truth \u2113 = {}", truth),
       "Entries of the precision matrices, on a scale that is logarithmic in their magnitude and the same in a row; of "
       "HMC and pCN, the inverse of the covariance of the draws.",
       claim, rows, columns},
      panels);
}

void add(Chapter& chapter, const Variation& variation) {
  chapter.blocks.insert(chapter.blocks.end(), variation.blocks.begin(), variation.blocks.end());
  chapter.claims.insert(chapter.claims.end(), variation.claims.begin(), variation.claims.end());
}

}  // namespace

Chapter poisson_1d(const StudyOptions& options) {
  const PoissonPlan plan = plan_1d(options);
  constexpr double variations = 12 + 18 + 45;
  const Study study(plan.id, plan.problem, options, poisson_work(plan, options) + variations);
  const std::vector<PoissonCase> cases = run_poisson(study, plan);
  Chapter chapter;
  chapter.id = plan.id;
  chapter.title = "Poisson 1D (section 4.1 and appendix A)";
  chapter.blocks.push_back(
      text({"The unit interval in 32 elements, u = 0 at both ends, f = 1; five measurements with noise 0.01 at every "
            "node. Truths are drawn from a Gaussian process of length-scale 0.2 (section 4.1) and 0.1 (appendix A), "
            "and inferred with priors of length-scale 0.1, 0.2 and 0.3. PMVB has bandwidth 10. As in the paper, data "
            "come from the mesh of the inference.",
            "HMC takes its mass matrix, and pCN its reference measure, from a fit: they are as exact as with the "
            "paper's, and mix hundreds of times faster."}));
  for (const double truth : truth_scales) {
    const bool appendix = truth != truth_scales[0];
    const auto id = [&](const char* name) {
      return fmt::format("figure-{}-poisson-1d{}", name, appendix ? "-short" : "");
    };
    const Claim errors = errors_claim(plan, cases, truth, id("errors")), bands = bands_claim(cases, truth, id("main")),
                precision = precision_claim(cases, truth, id("precision")),
                flux = flux_claim_1d(cases, truth, id("flux"));
    chapter.blocks.push_back(error_figure(plan, cases, truth, id("errors"), errors));
    chapter.blocks.push_back(main_figure(cases, truth, id("main"), bands));
    chapter.blocks.push_back(precision_figure(cases, truth, id("precision"), precision));
    chapter.blocks.push_back(flux_figure(plan, cases, truth, id("flux"), flux));
    chapter.claims.insert(chapter.claims.end(), {errors, bands, precision, flux});
    if (appendix) continue;
    add(chapter, vary_bandwidth(study, cases));
    add(chapter, vary_data(study));
    add(chapter, vary_samples(study, cases));
  }
  add_common_end(plan, cases, published_1d, chapter);
  return chapter;
}

}  // namespace varimesh::paper
