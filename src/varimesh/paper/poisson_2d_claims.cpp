#include "varimesh/paper/poisson_2d_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {

Claim maps_claim(const PoissonCase& some, const std::string& figure) {
  const Cases one = {&some};
  const auto number = [&](const char* method, double Repetition::* what) { return medians(one, method, what).low; };
  const Matrix hmc = precision_matrix(some.answers.of("hmc"));
  const double full_likeness = likeness(precision_matrix(some.answers.of("fcvb")), hmc),
               sparse_likeness = likeness(precision_matrix(some.answers.of("pmvb")), hmc);
  Claim claim;
  claim.claim = fmt::format(
      "Poisson 2D, truth \u2113 = {}, prior \u2113 = {}: means and u are close to the truth; sds of HMC and FCVB are "
      "consistent, those of PMVB close to them, those of MFVB not; FCVB and PMVB have precision matrices like HMC's.",
      some.truth, some.prior);
  claim.paper = "Maps of one data set.";
  const double full = number("fcvb", &Repetition::median_ratio), sparse = number("pmvb", &Repetition::median_ratio),
               independent = number("mfvb", &Repetition::median_ratio),
               worst = number("fcvb", &Repetition::least_ratio);
  claim.ours = fmt::format(
      "Median sd relative to HMC's, median of {}: FCVB {:.2f} (least of all cells {:.2f}), PMVB {:.2f}, MFVB {:.2f}. "
      "Likeness of the precision matrices to HMC's in the figure: FCVB {:.2f}, PMVB {:.2f}.",
      repeated(some), full, worst, sparse, independent, full_likeness, sparse_likeness);
  judge(claim,
        {{is_adequate(full), "FCVB's sd of the median cell is not within 0.8 to 1.25 of HMC's."},
         {is_adequate(worst),
          "FCVB's sds are far too small in some cells: the posterior is curved there, and no normal distribution can "
          "follow it."},
         {is_adequate(sparse),
          "PMVB's sds are too small: 2-neighbourhoods leave out correlations that a smooth prior "
          "has."},
         {!is_adequate(independent), "MFVB's sds are like HMC's."},
         {full_likeness >= alike, fmt::format("FCVB's precision matrix is not like HMC's (below {}).", alike)},
         {sparse_likeness >= alike,
          fmt::format("PMVB's precision matrix is not quite like HMC's (below {}): it lacks entries beyond "
                      "2-neighbourhoods.",
                      alike)}});
  claim.figures = {figure, "table-agreement-poisson-2d"};
  return claim;
}

Claim matching_prior_claim(const std::vector<PoissonCase>& cases) {
  std::vector<Part> parts;
  std::string words;
  for (const double truth : truth_scales) {
    for (const auto& [name, number] : {std::pair{"\u03ba", &Repetition::kappa_error}, {"u", &Repetition::u_error}}) {
      std::vector<double> errors;
      for (const PoissonCase* some : of_truth(cases, truth)) errors.push_back(quantile(some->all("hmc", number), 0.5));
      const auto best = static_cast<std::size_t>(std::ranges::min_element(errors) - errors.begin());
      parts.push_back({prior_scales[best] == truth, fmt::format("For truth \u2113 = {} the error of {} is lowest with "
                                                                "the prior {}.",
                                                                truth, name, prior_scales[best])});
      words += fmt::format("{} for truth \u2113 = {}: {:.3g}, {:.3g}, {:.3g}; ", name, truth, errors[0], errors[1],
                           errors[2]);
    }
  }
  words.resize(words.size() - 2);
  Claim claim;
  claim.claim = "Poisson 2D: both errors are lowest when the prior has the length-scale of the truth.";
  claim.paper = "Bars of one data set.";
  claim.ours = "Median errors of HMC for priors 0.1, 0.2 and 0.3: " + words + ".";
  judge(claim, parts);
  claim.figures = {"figure-errors-poisson-2d", "figure-errors-poisson-2d-short"};
  return claim;
}

Claim flux_claim_2d(const std::vector<PoissonCase>& all, double truth, const std::string& figure) {
  const Cases cases = of_truth(all, truth);
  Claim claim;
  claim.claim = fmt::format(
      "Poisson 2D, truth \u2113 = {}: all methods agree on the flux through x = 1, except that MFVB is biased for the "
      "prior 0.1.",
      truth);
  claim.paper = "Densities of one data set.";
  claim.ours = fmt::format("Against HMC, medians of {}:", repeated(*cases.front()));
  const auto compare = [&](const Cases& some, const char* method, const char* where) {
    const Range shift = flux_shift(some, method), sd = relative_to_hmc(some, method, &Repetition::flux_sd);
    claim.ours += fmt::format(" {}{}: mean off by {} sd, sd {} of HMC's;", cases.front()->answers.of(method).name,
                              where, shift.words(), sd.words());
    return shift.high <= small_shift && sd.is_adequate();
  };
  const Cases longer(cases.begin() + 1, cases.end());
  std::vector<Part> parts;
  for (const char* method : {"pcn", "fcvb", "pmvb"})
    parts.push_back({compare(cases, method, ""),
                     fmt::format("{}: the mean is not within half a sd of HMC's, or the sd not within 0.8 to 1.25 of "
                                 "it, for every prior.",
                                 cases.front()->answers.of(method).name)});
  const bool independent = compare(longer, "mfvb", " for \u2113 = 0.2 and 0.3");
  const double bias = flux_shift({cases.front()}, "mfvb").low;
  claim.ours += fmt::format(" MFVB for \u2113 = 0.1: mean off by {:.2f} sd.", bias);
  parts.insert(parts.end(), {{independent, "MFVB is far too sure for the longer priors, too."},
                             {bias > small_shift, "MFVB's mean is not off for the prior 0.1."}});
  judge(claim, parts);
  claim.figures = {figure};
  return claim;
}

}  // namespace varimesh::paper
