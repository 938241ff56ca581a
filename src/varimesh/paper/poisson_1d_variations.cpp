#include "varimesh/paper/poisson_1d_variations.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/paper/figures.h"
#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {
namespace {

using run::Method;

constexpr double truth = variation_truth;

double coverage(const Answers& answers, const result::MethodRecord& method) {
  return summarize(answers.problem, method, method).coverage;
}

/// Which share of an sd is left from the first variation to the last, for each fit.
std::vector<double> narrowing(const std::vector<Answers>& variations) {
  std::vector<double> left;
  for (std::size_t k = 0; k < std::size(fits); ++k)
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
  judge(
      claim,
      {{left[1] < narrower && left[2] < narrower, "The bands of FCVB or PMVB hardly get narrower."},
       {left[0] >= unchanged,
        "MFVB's bands do get narrower: that theirs did not may come from standard deviations that were stored as "
        "variances."},
       {full.low >= nearly_all, "FCVB's bands miss the truth in some cells, as bands of two sds do in one of twenty."},
       {mean_field.high < nearly_all, "MFVB's bands contain the truth in some column."}});
  claim.figures = {id};
  return claim;
}

constexpr double bandwidths[] = {2, 5, 10, 20};

/// PMVB for each prior, and in it for each bandwidth.
std::vector<Answers> infer_with_bandwidths(const Study& study) {
  std::vector<Case> asked;
  for (const double prior : prior_scales) {
    for (const double bandwidth : bandwidths) {
      std::vector<run::Override> settings = variation_settings(prior);
      settings.push_back(setting("method.fit.neighbours", bandwidth));
      asked.push_back(
          {data_name(truth), fmt::format("prior-{}-bandwidth-{}", prior, bandwidth), settings, {Method::pmvb}});
    }
  }
  return study.infer_side_by_side(asked);
}

/// The fits on several data sets, which differ in one setting of the observations.
std::vector<Answers> infer_with_data(const Study& study, const std::string& name, const std::string& key,
                                     const std::vector<double>& values) {
  std::vector<Case> asked;
  for (const double value : values) {
    std::vector<run::Override> settings = variation_settings(truth);
    settings.push_back(setting(key, value));
    const std::string data = fmt::format("{}-{}-{}", data_name(truth), name, value);
    study.make_data(data, 1, settings);
    asked.push_back({data, fmt::format("prior-{}", truth), settings, {std::begin(fits), std::end(fits)}});
  }
  return study.infer_side_by_side(asked);
}

}  // namespace

std::vector<run::Override> variation_settings(double prior) {
  return {setting("prior.length_scale", prior), setting("method.draws", 1000)};
}

Json band_of(const Answers& answers, const result::MethodRecord& method) {
  return band_panel(method.name, answers.problem.mesh, method.kappa, answers.problem.truth->kappa);
}

double median_sd(const result::MethodRecord& method) {
  return quantile({method.kappa.sd.begin(), method.kappa.sd.end()}, 0.5);
}

std::vector<std::vector<Json>> rows_of_fits(const std::vector<Answers>& variations) {
  std::vector<std::vector<Json>> rows(std::size(fits));
  for (const Answers& answers : variations) {
    for (std::size_t k = 0; k < std::size(fits); ++k) rows[k].push_back(band_of(answers, answers.methods[k]));
  }
  return rows;
}

Variation vary_bandwidth(const Study& study, const std::vector<PoissonCase>& cases) {
  const std::vector<Answers> answers = infer_with_bandwidths(study);
  std::vector<std::vector<Json>> panels;
  std::vector<std::string> rows, columns;
  for (const double bandwidth : bandwidths) columns.push_back(fmt::format("bandwidth {}", bandwidth));
  columns.emplace_back("full (FCVB)");
  std::vector<Range> ratio(std::size(bandwidths)), gap(std::size(bandwidths));
  auto found = answers.begin();
  for (const PoissonCase* some : of_truth(cases, truth)) {
    const result::MethodRecord& full = some->answers.of("fcvb");
    panels.emplace_back();
    rows.push_back(scale_heading(some->prior));
    for (std::size_t k = 0; k < std::size(bandwidths); ++k, ++found) {
      const result::MethodRecord& sparse = found->methods.front();
      ratio[k].include(median_sd(sparse) / median_sd(full));
      gap[k].include(full.elbo->value - sparse.elbo->value);
      panels.back().push_back(band_of(*found, sparse));
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
  judge(claim, {{approaches, "The ELBO does not rise with every bandwidth."},
                {saturates, "From 10 to 20 the ELBO gains more than a quarter of what it gains from 2 to 10."}});
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

}  // namespace varimesh::paper
