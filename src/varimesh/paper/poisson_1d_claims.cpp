#include "varimesh/paper/poisson_1d_claims.h"

#include <fmt/format.h>

#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {

Claim bands_claim(const std::vector<PoissonCase>& all, double truth, const std::string& figure) {
  const Cases cases = of_truth(all, truth);
  const auto ratio = [&](const char* method) { return medians(cases, method, &Repetition::median_ratio); };
  const Range pcn = ratio("pcn"), full = ratio("fcvb"), sparse = ratio("pmvb"), independent = ratio("mfvb");
  Claim claim;
  claim.claim = fmt::format(
      "Poisson 1D, truth \u2113 = {}: posterior variances of HMC, pCN and FCVB are very similar; MFVB greatly "
      "underestimates them, PMVB to a much lesser extent.",
      truth);
  claim.paper = "Bands of one data set.";
  claim.ours = fmt::format("Median sd relative to HMC's, median of {}: pCN {}, FCVB {}, PMVB {}, MFVB {}.",
                           repeated(*cases.front()), pcn.words(), full.words(), sparse.words(), independent.words());
  judge(claim,
        {{pcn.is_adequate() && full.is_adequate(), "Not all sds of pCN and FCVB are within 0.8 to 1.25 of HMC's."},
         {independent.high < great_underestimate, "MFVB's sds are not below half of HMC's for every prior."},
         {sparse.low > independent.high, "PMVB's sds are not above MFVB's for every prior."}});
  claim.figures = {figure, "table-agreement-poisson-1d"};
  return claim;
}

Claim precision_claim(const std::vector<PoissonCase>& all, double truth, const std::string& figure) {
  Range full, sparse, share;
  for (const PoissonCase* some : of_truth(all, truth)) {
    const Matrix hmc = precision_matrix(some->answers.of("hmc")), pmvb = precision_matrix(some->answers.of("pmvb"));
    full.include(likeness(precision_matrix(some->answers.of("fcvb")), hmc));
    sparse.include(likeness(pmvb, hmc));
    share.include(static_cast<double>((pmvb.array() != 0).count()) / static_cast<double>(pmvb.size()));
  }
  Claim claim;
  claim.claim = fmt::format(
      "Poisson 1D, truth \u2113 = {}: FCVB's precision matrix matches that of MCMC; PMVB captures the majority of the "
      "correlations with a fraction of the entries.",
      truth);
  claim.paper = "Heat maps, judged by eye.";
  claim.ours = fmt::format(
      "Correlation of partial correlations with those of HMC's draws: FCVB {}, PMVB {}, which stores {:.0f} % of the "
      "entries.",
      full.words(), sparse.words(), 100 * share.high);
  judge(claim, {{full.low >= alike, fmt::format("FCVB's correlation is below {}.", alike)},
                {sparse.low >= alike, fmt::format("PMVB's correlation is below {}.", alike)}});
  claim.figures = {figure};
  return claim;
}

Claim flux_claim_1d(const std::vector<PoissonCase>& all, double truth, const std::string& figure) {
  const Cases cases = of_truth(all, truth), shortest = {cases.front()}, longer(cases.begin() + 1, cases.end());
  const auto sd = [](const Cases& some, const char* method) {
    return relative_to_hmc(some, method, &Repetition::flux_sd);
  };
  Claim claim;
  claim.claim = fmt::format(
      "Poisson 1D, truth \u2113 = {}: for longer priors FCVB and PMVB agree with HMC and pCN on the flux at x = 0, and "
      "MFVB is too sure; for \u2113 = 0.1 PMVB and MFVB are too sure, FCVB approximately agrees.",
      truth);
  claim.paper = "Densities of one data set.";
  claim.ours = fmt::format(
      "Sd of the log flux relative to HMC's, medians of {}: for \u2113 = 0.2 and 0.3 FCVB {}, PMVB {}, MFVB {}; for "
      "\u2113 = 0.1 FCVB {:.2f}, PMVB {:.2f}, MFVB {:.2f}.",
      repeated(*cases.front()), sd(longer, "fcvb").words(), sd(longer, "pmvb").words(), sd(longer, "mfvb").words(),
      sd(shortest, "fcvb").low, sd(shortest, "pmvb").low, sd(shortest, "mfvb").low);
  const bool too_sure = sd(longer, "mfvb").high < adequate_low && sd(shortest, "mfvb").high < adequate_low;
  judge(claim,
        {{sd(longer, "fcvb").is_adequate(), "FCVB's sd is not within 0.8 to 1.25 of HMC's for both longer priors."},
         {sd(longer, "pmvb").is_adequate(), "PMVB's sd is not within 0.8 to 1.25 of HMC's for both longer priors."},
         {too_sure, "MFVB is not too sure for every prior."},
         {sd(shortest, "pmvb").high < adequate_low,
          "PMVB at its optimum is not too sure for \u2113 = 0.1: theirs had not converged."},
         {sd(shortest, "fcvb").is_adequate(), "FCVB's sd is not within 0.8 to 1.25 of HMC's for \u2113 = 0.1."}});
  claim.figures = {figure};
  return claim;
}

}  // namespace varimesh::paper
