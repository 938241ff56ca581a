// Claims of poisson.h that both experiments test.
#include <fmt/format.h>

#include "varimesh/paper/poisson.h"
#include "varimesh/paper/poisson_measures.h"

namespace varimesh::paper {

Claim errors_claim(const PoissonPlan& plan, const std::vector<PoissonCase>& all, double truth,
                   const std::string& figure) {
  const Cases cases = of_truth(all, truth);
  Claim claim;
  claim.claim = fmt::format(
      "{}, truth \u2113 = {}: sampling and VB have comparable errors of \u03ba and u, except that MFVB, whose mean of "
      "\u03ba is very good, has a high error of u.",
      plan.title, truth);
  claim.paper = "Bars of one data set: errors are alike but for MFVB's solution error, the highest.";
  claim.figures = {figure};
  std::string words;
  bool comparable = true;
  for (const char* method : {"pcn", "fcvb", "pmvb"}) {
    const Range kappa = relative_to_hmc(cases, method, &Repetition::kappa_error);
    const Range u = relative_to_hmc(cases, method, &Repetition::u_error);
    comparable = comparable && kappa.within(1 / comparable_error, comparable_error) &&
                 u.within(1 / comparable_error, comparable_error);
    words +=
        fmt::format("{} {} in \u03ba, {} in u; ", cases.front()->answers.of(method).name, kappa.words(), u.words());
  }
  const Range kappa = relative_to_hmc(cases, "mfvb", &Repetition::kappa_error);
  const Range u = relative_to_hmc(cases, "mfvb", &Repetition::u_error);
  claim.ours = fmt::format("Errors relative to HMC, medians of {} for each prior: {}MFVB {} in \u03ba, {} in u.",
                           repeated(*cases.front()), words, kappa.words(), u.words());
  judge(claim,
        {{comparable, "Not all of pCN, FCVB and PMVB are within 25 % of HMC."},
         {kappa.high <= comparable_error, "MFVB's mean of \u03ba is worse than HMC's."},
         {u.low >= high_error,
          fmt::format(
              "MFVB's error of u is {}. The original code stored its standard deviations as variances, which made its "
              "draws of \u03ba wrong; ours does not.",
              u.high < 1 ? "lower than HMC's, for its draws stay close to a good mean" : "not high for every prior")}});
  return claim;
}

Claim speed_claim(const PoissonPlan& plan, const std::vector<PoissonCase>& all,
                  const std::vector<PublishedTimes>& published, const std::string& table) {
  const Cases cases = all_of(all);
  Range theirs;
  for (const PublishedTimes& row : published) {
    for (const double hours : {row.mfvb, row.fcvb, row.pmvb}) theirs.include(row.hmc / hours);
  }
  Claim claim;
  claim.claim = plan.title + ": VB is an order of magnitude faster than HMC.";
  claim.paper = fmt::format("Its table of run times: {:.1f} to {:.1f} times.", theirs.low, theirs.high);
  int fast = 0;
  for (const char* method : {"mfvb", "fcvb", "pmvb"}) {
    const Range gain = speedup(cases, method);
    fast += int{gain.low >= order_of_magnitude};
    claim.ours +=
        fmt::format("{} {:.2g} to {:.2g} times; ", cases.front()->answers.of(method).name, gain.low, gain.high);
  }
  Range ess;
  for (const PoissonCase* some : cases) ess.include(some->least_ess);
  claim.ours += fmt::format(
      "HMC with at least {:.0f} effective draws, and its mass matrix from a fit, without which it would take far "
      "longer.",
      ess.low);
  claim.verdict = verdict_of(fast, 3);
  if (fast < 3) claim.why = "A good mass matrix has made HMC fast, too: not every fit is ten times faster.";
  claim.figures = {table};
  return claim;
}

std::vector<Evidence> poisson_evidence(const PoissonPlan& plan, const std::vector<PoissonCase>& all,
                                       const Claim& speed) {
  const Cases cases = all_of(all);
  const std::string agreement = "table-agreement-" + plan.id, times = "table-times-" + plan.id;
  std::vector<Evidence> evidence;
  const auto add = [&](int conclusion, Verdict verdict, const std::string& words, const std::string& figure) {
    evidence.push_back({conclusion, plan.title + ": " + words + (words.ends_with('.') ? "" : "."), verdict, {figure}});
  };
  const auto ratio = [&](const char* method, double Repetition::* number) {
    return relative_to_hmc(cases, method, number);
  };

  const Range mean_mf = ratio("mfvb", &Repetition::kappa_error), mean_fc = ratio("fcvb", &Repetition::kappa_error),
              mean_pm = ratio("pmvb", &Repetition::kappa_error);
  add(1,
      verdict_of(int{mean_mf.high <= comparable_error} + int{mean_fc.high <= comparable_error} +
                     int{mean_pm.high <= comparable_error},
                 3),
      fmt::format("error of the mean of \u03ba relative to HMC's: MFVB {}, FCVB {}, PMVB {}", mean_mf.words(),
                  mean_fc.words(), mean_pm.words()),
      agreement);

  const Range sd_fc = medians(cases, "fcvb", &Repetition::median_ratio),
              sd_pm = medians(cases, "pmvb", &Repetition::median_ratio),
              least_fc = medians(cases, "fcvb", &Repetition::least_ratio),
              least_pm = medians(cases, "pmvb", &Repetition::least_ratio);
  const int adequate = int{sd_fc.is_adequate()} + int{sd_pm.is_adequate()};
  const int everywhere = int{least_fc.low >= adequate_low} + int{least_pm.low >= adequate_low};
  add(2, verdict_of(adequate + everywhere, 4),
      fmt::format("sds relative to HMC's, of the median cell: FCVB {}, PMVB {}; of the worst cell: FCVB {}, PMVB {}",
                  sd_fc.words(), sd_pm.words(), least_fc.words(), least_pm.words()),
      agreement);

  const Range sd_mf = medians(cases, "mfvb", &Repetition::median_ratio);
  Range cost, gap_pm, gap_mf;
  for (const PoissonCase* some : cases) {
    const auto &full = some->answers.of("fcvb"), &sparse = some->answers.of("pmvb"),
               &independent = some->answers.of("mfvb");
    cost.include(sparse.seconds / full.seconds);
    gap_pm.include(full.elbo->value - sparse.elbo->value);
    gap_mf.include(full.elbo->value - independent.elbo->value);
  }
  const bool between = gap_pm.high < gap_mf.low && sd_pm.low > sd_mf.low;
  add(3, verdict_of(int{between} + int{cost.high < 1}, 2),
      fmt::format("PMVB's ELBO is {:.3g} to {:.3g} nats below FCVB's (MFVB: {:.3g} to {:.3g}); its time is {} of "
                  "FCVB's: at this size sparsity saves no time, at 100,000 cells it alone is possible",
                  gap_pm.low, gap_pm.high, gap_mf.low, gap_mf.high, cost.words()),
      times);

  add(4, speed.verdict, speed.ours, times);

  const Range khat = medians(cases, "fcvb", &Repetition::khat);
  int reliable = 0;
  for (const PoissonCase* some : cases)
    reliable += int{quantile(some->all("fcvb", &Repetition::khat), 0.5) < reliable_khat};
  add(5, verdict_of(reliable, static_cast<int>(cases.size())),
      fmt::format("k-hat of FCVB's importance weights is {} (below 0.7 is reliable: {} of {} cases)", khat.words(),
                  reliable, cases.size()),
      agreement);

  int useful = 0;
  std::string words = "log flux against HMC:";
  for (const char* method : {"fcvb", "pmvb"}) {
    const Range shift = flux_shift(cases, method), sd = ratio(method, &Repetition::flux_sd);
    useful += int{shift.high <= small_shift} + int{sd.is_adequate()};
    words += fmt::format(" {}: mean off by {} sd, sd {} of HMC's;", cases.front()->answers.of(method).name,
                         shift.words(), sd.words());
  }
  words.pop_back();
  add(6, verdict_of(useful, 4), words, "figure-flux-" + plan.id);
  return evidence;
}

}  // namespace varimesh::paper
