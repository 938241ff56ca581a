// vary_samples of poisson_1d_variations.h.
#include <fmt/format.h>

#include <algorithm>

#include "varimesh/paper/figures.h"
#include "varimesh/paper/poisson_1d_variations.h"
#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {
namespace {

constexpr double samples[] = {2, 3, 5, 10, 20};
constexpr std::size_t num_samples = std::size(samples);

/// The fits for each prior, and in it for each number of draws in a step.
std::vector<Answers> infer_all(const Study& study, double steps) {
  std::vector<Case> asked;
  for (const double prior : prior_scales) {
    for (const double count : samples) {
      std::vector<run::Override> settings = variation_settings(prior);
      settings.insert(settings.end(), {setting("method.fit.optimizer", "adam"), setting("method.fit.samples", count),
                                       setting("method.fit.max_iterations", steps),
                                       setting("method.fit.tolerance", 1e-9)});  // all steps, for the traces
      asked.push_back({data_name(variation_truth),
                       fmt::format("prior-{}-samples-{}", prior, count),
                       settings,
                       {std::begin(fits), std::end(fits)}});
    }
  }
  return study.infer_side_by_side(asked);
}

/// `natural` are the cases of the same priors, fitted by natural gradients.
void add_bands(const std::vector<Answers>& answers, const Cases& natural, double steps, Variation& variation) {
  std::vector<std::vector<Json>> bands;
  std::vector<std::string> rows, columns;
  for (const double count : samples) columns.push_back(fmt::format("{} draws", count));
  std::vector<Range> ratio(std::size(fits));    // of sds with 2 draws to those with 20
  std::vector<Range> reached(std::size(fits));  // of sds with 20 draws to those at the optimum
  for (std::size_t p = 0; p < std::size(prior_scales); ++p) {
    const auto first = answers.begin() + static_cast<std::ptrdiff_t>(p * num_samples);
    const std::vector<Answers> of_prior(first, first + num_samples);
    for (std::vector<Json>& row : rows_of_fits(of_prior)) bands.push_back(std::move(row));
    for (std::size_t k = 0; k < std::size(fits); ++k) {
      const result::MethodRecord &few = of_prior.front().methods[k], &enough = of_prior.back().methods[k];
      rows.push_back(fmt::format("{}, \u2113 = {}", few.name, prior_scales[p]));
      ratio[k].include(median_sd(few) / median_sd(enough));
      reached[k].include(median_sd(enough) / median_sd(natural[p]->answers.of(enough.method)));
    }
  }
  Claim claim;
  claim.claim = "Poisson 1D: two draws in a step give nearly the same posterior as twenty.";
  claim.paper = "Bands of one data set, for three priors.";
  claim.ours = fmt::format(
      "After {} steps of Adam, median sd with 2 draws relative to 20, and with 20 relative to natural gradients:",
      steps);
  std::vector<Part> parts;
  for (std::size_t k = 0; k < std::size(fits); ++k) {
    const std::string& name = answers.front().methods[k].name;
    claim.ours +=
        fmt::format(" {} {}, {}{}", name, ratio[k].words(), reached[k].words(), k + 1 < std::size(fits) ? ";" : ".");
    const bool arrived = reached[k].is_adequate();
    parts.push_back({arrived && ratio[k].is_adequate(),
                     arrived ? name + ": the sds are not within 0.8 to 1.25 of each other."
                             : name + ": Adam has not come near the optimum in these steps, so that nothing can be "
                                      "said; the paper's took up to 500,000."});
  }
  judge(claim, parts);
  claim.figures = {"figure-samples"};
  Figure words{"figure-samples",
               "Draws in a step of the optimiser, Poisson 1D",
               fmt::format("Mean of \u03ba with \u00b1 2 sd after {} steps of Adam, the paper's optimiser; dashed: the "
                           "truth (\u2113 = 0.2).",
                           steps),
               claim,
               rows,
               columns};
  words.shared = {{"x", "all"}, {"y", "all"}};
  variation.blocks.push_back(figure(words, bands));
  variation.claims.push_back(claim);
}

/// The negative ELBO of one family over the steps, for each number of draws, and the best that there is.
Json trace_panel(const std::vector<const result::MethodRecord*>& fits_by_samples, double best) {
  Json lines = Json::array();
  for (std::size_t s = 0; s < fits_by_samples.size(); ++s) {
    const auto& trace = fits_by_samples[s]->trace;
    Vector x(std::ssize(trace)), y(x.size());
    for (std::size_t t = 0; t < trace.size(); ++t) {
      x[static_cast<Eigen::Index>(t)] = trace[t].iteration;
      y[static_cast<Eigen::Index>(t)] = -trace[t].elbo;
    }
    lines.push_back({{"series", fmt::format("{} draws", samples[s])}, {"x", numbers(x)}, {"y", numbers(y)}});
  }
  constexpr double shown_below = 20, shown_above = 150;
  return {{"kind", "curves"},
          {"title", fits_by_samples.front()->name},
          {"lines", lines},
          {"rules", {{{"y", -best}, {"series", "natural gradient"}}}},
          {"x_axis", axis("step")},
          {"y_axis", {{"label", "negative ELBO, nats"}, {"domain", {-best - shown_below, -best + shown_above}}}}};
}

/// For the first prior, as in the paper; `natural` are the fits by natural gradients.
void add_traces(const std::vector<Answers>& answers, const Answers& natural, double steps, Variation& variation) {
  std::vector<Json> panels;
  std::string far;
  std::vector<double> gained;  // nats that 20 draws in a step are ahead of 2 at the end, by family
  for (std::size_t k = 0; k < std::size(fits); ++k) {
    const double best = natural.of(run::name(fits[k])).elbo->value;
    std::vector<const result::MethodRecord*> by_samples;
    for (std::size_t s = 0; s < num_samples; ++s) by_samples.push_back(&answers[s].methods[k]);
    panels.push_back(trace_panel(by_samples, best));
    const double few = by_samples.front()->elbo->value, enough = by_samples.back()->elbo->value;
    gained.push_back(enough - few);
    far += fmt::format(" {} {:.1f} and {:.1f}{}", by_samples.front()->name, best - few, best - enough,
                       k + 1 < std::size(fits) ? ";" : ".");
  }
  const double full = natural.of("fcvb").elbo->value, gap = full - natural.of("pmvb").elbo->value,
               whole_gap = full - natural.of("mfvb").elbo->value;
  constexpr double worth_it = 0.5;  // nats
  const bool similar = gap < 0.1 * whole_gap;
  Claim claim;
  claim.claim =
      "Poisson 1D: more draws in a step may speed up convergence of FCVB and PMVB, less so of MFVB; PMVB reaches a "
      "similar ELBO as FCVB.";
  claim.paper = "Traces of the negative ELBO, truth \u2113 = 0.2, prior \u2113 = 0.1.";
  claim.ours = fmt::format(
      "After {} steps with 2 and with 20 draws, nats short of the best that natural gradients find:{} At its best PMVB "
      "is {:.2g} nats below FCVB, MFVB {:.2g}.",
      steps, far, gap, whole_gap);
  const bool helps = std::min(gained[1], gained[2]) > std::max(gained[0], worth_it);
  judge(claim, {{helps, fmt::format("20 draws in a step instead of 2 gain {:.1f} nats for FCVB, {:.1f} for PMVB and "
                                    "{:.1f} for MFVB: what holds Adam up is conditioning, not noise.",
                                    gained[1], gained[2], gained[0])},
                {similar, "PMVB's best ELBO is lower by more than a tenth of what MFVB lacks."}});
  claim.figures = {"figure-traces"};
  Figure words{"figure-traces",
               "Traces of the negative ELBO, Poisson 1D",
               "Adam with several numbers of draws in a step, truth \u2113 = 0.2, prior \u2113 = 0.1. Shown are "
               "iterates; the fit is their mean, which is better. The line across is what natural gradients reach, in "
               "some tens of iterations.",
               claim,
               {},
               {}};
  words.shared = {{"y", "none"}};
  variation.blocks.push_back(figure(words, {panels}));
  variation.claims.push_back(claim);
}

}  // namespace

Variation vary_samples(const Study& study, const std::vector<PoissonCase>& cases) {
  constexpr Index most_steps = 20'000;
  const auto steps = static_cast<double>(std::min(most_steps, study.options().adam_steps_for(paper_matrix_steps)));
  const std::vector<Answers> answers = infer_all(study, steps);
  Variation variation;
  const Cases natural = of_truth(cases, variation_truth);
  add_bands(answers, natural, steps, variation);
  add_traces(answers, natural.front()->answers, steps, variation);
  return variation;
}

}  // namespace varimesh::paper
