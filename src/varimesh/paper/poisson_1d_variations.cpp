#include "varimesh/paper/poisson_1d_variations.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/paper/figures.h"
#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {
namespace {

using run::Method;

constexpr double truth = 0.2;

const std::vector<Method> fits = {Method::mfvb, Method::fcvb, Method::pmvb};

/// kappa's mean and band by a method, with the truth.
Json band_of(const Answers& answers, const result::MethodRecord& method) {
  return band_panel(method.name, answers.problem.mesh, method.kappa, answers.problem.truth->kappa);
}

double median_sd(const result::MethodRecord& method) {
  return quantile({method.kappa.sd.begin(), method.kappa.sd.end()}, 0.5);
}

double coverage(const Answers& answers, const result::MethodRecord& method) {
  return summarize(answers.problem, method, method).coverage;
}

/// One row of panels for each fit, one column for each variation, in which all fits were asked.
std::vector<std::vector<Json>> rows_of_fits(const std::vector<Answers>& variations) {
  std::vector<std::vector<Json>> rows(fits.size());
  for (const Answers& answers : variations) {
    for (std::size_t k = 0; k < fits.size(); ++k) rows[k].push_back(band_of(answers, answers.methods[k]));
  }
  return rows;
}

/// Which share of an sd is left from the first variation to the last, for each fit.
std::vector<double> narrowing(const std::vector<Answers>& variations) {
  std::vector<double> left;
  for (std::size_t k = 0; k < fits.size(); ++k)
    left.push_back(median_sd(variations.back().methods[k]) / median_sd(variations.front().methods[k]));
  return left;
}

/// What the paper says of more, or better, data; `left` and coverage come from all variations.
Claim data_claim(const std::string& what, const std::string& id, const std::vector<Answers>& variations) {
  const std::vector<double> left = narrowing(variations);
  Range mean_field, full;
  for (const Answers& answers : variations) {
    mean_field.include(coverage(answers, answers.of("mfvb")));
    full.include(coverage(answers, answers.of("fcvb")));
  }
  constexpr double unchanged = 0.8, narrower = 0.8, nearly_all = 0.9;
  Claim claim;
  claim.claim = fmt::format(
      "Poisson 1D: with {} the bands of FCVB and PMVB get narrower and FCVB's always contain the truth; MFVB's bands "
      "are too narrow and do not depend on it.",
      what);
  claim.paper = "Bands of one data set.";
  claim.ours = fmt::format(
      "From the first to the last column the median sd falls to {:.2f} (MFVB), {:.2f} (FCVB), {:.2f} (PMVB) of what it "
      "was. FCVB's band holds the truth in {:.0f} to {:.0f} % of the cells, MFVB's in {:.0f} to {:.0f} %.",
      left[0], left[1], left[2], 100 * full.low, 100 * full.high, 100 * mean_field.low, 100 * mean_field.high);
  const bool narrows = left[1] < narrower && left[2] < narrower, constant = left[0] >= unchanged;
  const bool contains = full.low >= nearly_all, too_narrow = mean_field.high < nearly_all;
  claim.verdict = verdict_of(int{narrows} + int{constant} + int{contains} + int{too_narrow}, 4);
  if (!constant)
    claim.why =
        "MFVB's bands do get narrower: that theirs did not may come from standard deviations that were stored as "
        "variances. ";
  if (!contains) claim.why += "FCVB's bands miss the truth in some cells, as bands of two sds do in one of twenty.";
  claim.figures = {id};
  return claim;
}

/// The fits on several data sets, which differ in one setting of the observations.
std::vector<Answers> infer_with_data(const Study& study, const std::string& name, const std::string& key,
                                     const std::vector<double>& values) {
  std::vector<Answers> answers;
  for (const double value : values) {
    const std::vector<run::Override> settings = {setting("prior.length_scale", truth), setting(key, value)};
    const std::string data = fmt::format("{}-{}-{}", data_name(truth), name, value);
    study.make_data(data, 1, settings);
    answers.push_back(study.infer({data, fmt::format("prior-{}", truth), settings, fits}));
  }
  return answers;
}

}  // namespace

Variation vary_bandwidth(const Study& study, const std::vector<PoissonCase>& cases) {
  constexpr double bandwidths[] = {2, 5, 10, 20};
  std::vector<std::vector<Json>> panels;
  std::vector<std::string> rows, columns;
  for (const double bandwidth : bandwidths) columns.push_back(fmt::format("bandwidth {}", bandwidth));
  columns.emplace_back("full (FCVB)");
  std::vector<Range> ratio(std::size(bandwidths)), gap(std::size(bandwidths));
  for (const PoissonCase* some : of_truth(cases, truth)) {
    const result::MethodRecord& full = some->answers.of("fcvb");
    panels.emplace_back();
    rows.push_back(scale_heading(some->prior));
    for (std::size_t k = 0; k < std::size(bandwidths); ++k) {
      const Answers answers =
          study.infer({data_name(truth),
                       fmt::format("prior-{}-bandwidth-{}", some->prior, bandwidths[k]),
                       {setting("prior.length_scale", some->prior), setting("method.fit.neighbours", bandwidths[k])},
                       {Method::pmvb}});
      const result::MethodRecord& sparse = answers.methods.front();
      ratio[k].include(median_sd(sparse) / median_sd(full));
      gap[k].include(full.elbo->value - sparse.elbo->value);
      panels.back().push_back(band_of(answers, sparse));
    }
    panels.back().push_back(band_of(some->answers, full));
  }
  Claim claim;
  claim.claim =
      "Poisson 1D: with growing bandwidth PMVB approaches FCVB; from 2 to 10 much changes, from 10 to 20 little.";
  claim.paper = "Bands of one data set.";
  claim.ours = "Median sd relative to FCVB's, and nats of the ELBO below it:";
  for (std::size_t k = 0; k < std::size(bandwidths); ++k)
    claim.ours += fmt::format(" {} for bandwidth {} ({:.2g} to {:.2g} nats);", ratio[k].words(), bandwidths[k],
                              gap[k].low, gap[k].high);
  claim.ours.back() = '.';
  const bool approaches = gap[0].high > gap[1].high && gap[1].high > gap[2].high && gap[2].high > gap[3].high;
  const bool saturates = gap[2].high - gap[3].high < 0.25 * (gap[0].high - gap[2].high);
  claim.verdict = verdict_of(int{approaches} + int{saturates}, 2);
  claim.figures = {"figure-bandwidth"};
  Figure words{
      "figure-bandwidth",
      "Bandwidth of the precision matrix, Poisson 1D",
      "Mean of \u03ba with \u00b1 2 sd by PMVB for several bandwidths, and by FCVB; dashed: the truth (\u2113 = 0.2).",
      claim,
      rows,
      columns};
  words.shared = {{"x", "all"}, {"y", "all"}};
  return {{figure(words, panels)}, {claim}};
}

Variation vary_data(const Study& study) {
  const std::vector<std::string> rows = {"MFVB", "FCVB", "PMVB"};
  const auto vary = [&](const std::string& id, const std::string& title, const std::string& what,
                        const std::string& name, const std::string& key, const std::string& symbol,
                        const std::vector<double>& values) {
    const std::vector<Answers> answers = infer_with_data(study, name, key, values);
    const Claim claim = data_claim(what, id, answers);
    std::vector<std::string> columns;
    for (const double value : values) columns.push_back(fmt::format("{} = {}", symbol, value));
    Figure words{
        id,
        title,
        "Mean of \u03ba with \u00b1 2 sd; dashed: the truth. Truth and prior have \u2113 = 0.2. The same truth and the "
        "same random numbers in every column.",
        claim,
        rows,
        columns};
    words.shared = {{"x", "all"}, {"y", "all"}};
    return std::pair{figure(words, rows_of_fits(answers)), claim};
  };
  auto [count, count_claim] = vary("figure-measurements", "Number of measurements, Poisson 1D", "more measurements",
                                   "measurements", "observations.replicates", "N", {1, 10, 100});
  auto [noise, noise_claim] = vary("figure-noise", "Noise of the measurements, Poisson 1D", "less noise", "noise",
                                   "observations.sigma", "\u03c3", {0.1, 0.01, 0.001});
  return {{count, noise}, {count_claim, noise_claim}};
}

Variation vary_samples(const Study& study, const std::vector<PoissonCase>& cases) {
  constexpr double samples[] = {2, 3, 5, 10, 20};
  constexpr Index usual_steps = 5000;
  const auto steps = static_cast<double>(std::min(usual_steps, study.options().adam_steps.value_or(usual_steps)));
  std::vector<Case> asked;
  for (const double prior : prior_scales) {
    for (const double count : samples)
      asked.push_back({data_name(truth),
                       fmt::format("prior-{}-samples-{}", prior, count),
                       {setting("prior.length_scale", prior), setting("method.fit.optimizer", "adam"),
                        setting("method.fit.samples", count), setting("method.fit.max_iterations", steps),
                        setting("method.fit.tolerance", 1e-9)},  // all steps, for the traces
                       fits});
  }
  const std::vector<Answers> answers = study.infer_side_by_side(asked);

  std::vector<std::vector<Json>> bands;
  std::vector<std::string> rows, columns;
  for (const double count : samples) columns.push_back(fmt::format("{} draws", count));
  Range worst_ratio;  // of sds with 2 draws to those with 20
  constexpr std::size_t many = std::size(samples);
  for (std::size_t p = 0; p < std::size(prior_scales); ++p) {
    const std::vector<Answers> of_prior(answers.begin() + static_cast<std::ptrdiff_t>(p * many),
                                        answers.begin() + static_cast<std::ptrdiff_t>((p + 1) * many));
    for (std::vector<Json>& row : rows_of_fits(of_prior)) bands.push_back(std::move(row));
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const result::MethodRecord &few = of_prior.front().methods[k], &enough = of_prior.back().methods[k];
      rows.push_back(fmt::format("{}, \u2113 = {}", few.name, prior_scales[p]));
      worst_ratio.include(median_sd(few) / median_sd(enough));
    }
  }
  Claim same;
  same.claim = "Poisson 1D: two draws in a step give nearly the same posterior as twenty.";
  same.paper = "Bands of one data set, for three priors.";
  same.ours =
      fmt::format("After {} steps of Adam the median sd with 2 draws is {} of that with 20, over priors and families.",
                  steps, worst_ratio.words());
  same.verdict = worst_ratio.is_adequate() ? Verdict::holds : Verdict::part;
  same.figures = {"figure-samples"};
  Figure words{
      "figure-samples",
      "Draws in a step of the optimiser, Poisson 1D",
      fmt::format("Mean of \u03ba with \u00b1 2 sd after {} steps of Adam, the paper's optimiser; dashed: the truth "
                  "(\u2113 = 0.2).",
                  steps),
      same,
      rows,
      columns};
  words.shared = {{"x", "all"}, {"y", "all"}};

  // Traces for the prior 0.1, as in the paper, with the best that natural gradients found.
  std::vector<Json> traces;
  std::string far;
  std::vector<double> gained;  // nats that 20 draws in a step are ahead of 2 at the end, by family
  const Answers& natural = of_truth(cases, truth).front()->answers;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const std::string method(run::name(fits[k]));
    const double best = natural.of(method).elbo->value;
    Json lines = Json::array();
    for (std::size_t s = 0; s < many; ++s) {
      const result::MethodRecord& fit = answers[s].methods[k];
      std::vector<double> x, y;
      for (const result::TracePoint& point : fit.trace) {
        x.push_back(static_cast<double>(point.iteration));
        y.push_back(-point.elbo);
      }
      lines.push_back({{"series", fmt::format("{} draws", samples[s])},
                       {"x", numbers(Eigen::Map<const Vector>(x.data(), std::ssize(x)))},
                       {"y", numbers(Eigen::Map<const Vector>(y.data(), std::ssize(y)))}});
    }
    const double few = answers[0].methods[k].elbo->value, enough = answers[many - 1].methods[k].elbo->value;
    gained.push_back(enough - few);
    far += fmt::format(" {} {:.1f} and {:.1f};", natural.of(method).name, best - few, best - enough);
    constexpr double shown_above = 20, shown_below = 150;
    traces.push_back(
        {{"kind", "curves"},
         {"title", natural.of(method).name},
         {"lines", lines},
         {"rules", {{{"y", -best}, {"series", "natural gradient"}}}},
         {"x_axis", axis("step")},
         {"y_axis", {{"label", "negative ELBO, nats"}, {"domain", {-best - shown_above, -best + shown_below}}}}});
  }
  far.back() = '.';
  Claim speeds;
  speeds.claim =
      "Poisson 1D: more draws in a step may speed up convergence of FCVB and PMVB, less so of MFVB; PMVB reaches a "
      "similar ELBO as FCVB.";
  speeds.paper = "Traces of the negative ELBO, truth \u2113 = 0.2, prior \u2113 = 0.1.";
  const double gap = natural.of("fcvb").elbo->value - natural.of("pmvb").elbo->value;
  constexpr double similar = 1, worth_it = 0.5;  // nats
  speeds.ours = fmt::format(
      "After {} steps with 2 and with 20 draws, nats short of the best that natural gradients find:{} At its best PMVB "
      "is {:.2g} nats below FCVB.",
      steps, far, gap);
  const bool helps = std::min(gained[1], gained[2]) > std::max(gained[0], worth_it);
  speeds.verdict = verdict_of(int{helps} + int{gap < similar}, 2);
  if (!helps)
    speeds.why = "More draws in a step gain less than half a nat: what holds Adam up is conditioning, not noise.";
  speeds.figures = {"figure-traces"};
  Figure trace_words{
      "figure-traces",
      "Traces of the negative ELBO, Poisson 1D",
      "Adam with several numbers of draws in a step, truth \u2113 = 0.2, prior \u2113 = 0.1. Shown are iterates; the "
      "fit is their mean, which is better. The line across is what natural gradients reach, in some tens of "
      "iterations.",
      speeds,
      {},
      {}};
  trace_words.shared = {{"y", "none"}};
  return {{figure(words, bands), figure(trace_words, {traces})}, {same, speeds}};
}

}  // namespace varimesh::paper
