// Claims of benchmark.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "varimesh/paper/benchmark.h"
#include "varimesh/paper/judgement.h"

namespace varimesh::paper {
namespace {

constexpr const char* judged_fits[] = {"mfvb", "fcvb", "pmvb"};
constexpr double captured_share = 0.5;  // of a jump that counts as captured
constexpr double accurate_shift = 1;    // of a mean, in sds of HMC

const std::string benchmark_figure = "figure-paper-prior-benchmark";
const std::string table_anchor = "table-benchmark";

/// How far the mean of kappa is, on average, above that of the blocks where the truth is zero.
struct Jumps {
  double up = 0, down = 0;  ///< in the blocks where the truth is above zero, and below

  bool captured(const Jumps& truth) const {
    return up >= captured_share * truth.up && down <= captured_share * truth.down;
  }
};

Jumps jumps_of(const Vector& kappa, const Vector& truth) {
  const auto mean_where = [&](const auto& blocks) {
    return blocks.select(kappa, 0).sum() / static_cast<double>(blocks.count());
  };
  const double level = mean_where(truth.array() == 0);
  return {mean_where(truth.array() > 0) - level, mean_where(truth.array() < 0) - level};
}

bool is_overestimate(const Compared& fit) { return fit.num_overestimated() > 0; }

std::string status_words(const result::MethodRecord& fit) {
  return fit.status == result::Status::converged ? "converged" : "did not converge";
}

std::string elbo_words(const result::Estimate& elbo) {
  return fmt::format("{:.1f} \u00b1 {:.1f}", elbo.value, elbo.error);
}

}  // namespace

Claim mean_claim(const BenchmarkAnswers& answers) {
  const PriorCase& some = answers.paper;
  const Vector& truth = some.answers.problem.truth->kappa;
  const Jumps true_jumps = jumps_of(truth, truth);
  Claim claim;
  claim.claim =
      "Benchmark: the means of all methods capture the jumps and the overall structure of \u03ba; FCVB's is closest to "
      "the truth.";
  claim.paper = "Means capture the jumps; FCVB's is closest to the truth, by eye.";
  claim.figures = {benchmark_figure, table_anchor};
  std::string jumps, errors;
  bool captured = true;
  double least_other = std::numeric_limits<double>::infinity();
  for (const char* word : benchmark_methods) {
    const Compared method = some.of(word);
    const Jumps found = jumps_of(method.record->kappa.mean, truth);
    captured = captured && found.captured(true_jumps);
    jumps += fmt::format("{}{} {:.1f} and {:.1f}", jumps.empty() ? "" : ", ", method.label, found.up, found.down);
    errors += fmt::format("{}{} {:.2f}", errors.empty() ? "" : ", ", method.label, method.numbers.kappa_error);
    if (method.label != "FCVB") least_other = std::min(least_other, method.numbers.kappa_error);
  }
  const double full = some.of("fcvb").numbers.kappa_error, adam = some.compare(answers.adam, "").numbers.kappa_error;
  claim.ours = fmt::format(
      "Jumps of the mean where \u03b8 is 10 and 0.1 (truth {:.1f} and {:.1f}): {}. Distance of the mean from the "
      "truth: {}.",
      true_jumps.up, true_jumps.down, jumps, errors);
  const bool closest = full < least_other, surely = std::max(full, adam) < least_other;
  claim.verdict = verdict_of(int{captured} + int{closest} + int{surely}, 3);
  if (!captured) claim.why = "Not every method finds half of both jumps. ";
  if (closest && !surely)
    claim.why += fmt::format(
        "FCVB leads by {:.2f} only. The same family fitted by Adam has {:.2f}: the order depends on the optimiser.",
        least_other - full, adam);
  if (!closest) claim.why += "FCVB's mean is not the closest: the distances differ by little.";
  return claim;
}

Claim sd_claim(const BenchmarkAnswers& answers) {
  const PriorCase& some = answers.paper;
  const Compared independent = some.of("mfvb"), full = some.of("fcvb"), sparse = some.of("pmvb");
  Claim claim;
  claim.claim =
      "Benchmark: the standard deviations of MFVB and PMVB are closer to HMC's than FCVB's, which overestimates them "
      "at a few locations.";
  claim.paper =
      "MFVB's and PMVB's maps of the sd look more like HMC's than FCVB's, which is too large at a few locations.";
  claim.ours = "Sds relative to HMC's, least, median and largest:";
  for (const Compared* fit : {&independent, &full, &sparse}) {
    claim.ours += fmt::format("{} {} {:.2f}, {:.2f}, {:.2f}", fit == &independent ? "" : ";", fit->label,
                              fit->numbers.least_ratio, fit->numbers.median_ratio, fit->numbers.largest_ratio);
  }
  claim.ours += fmt::format(". Blocks above 1.25: MFVB {}, FCVB {}, PMVB {}.", independent.num_overestimated(),
                            full.num_overestimated(), sparse.num_overestimated());
  const Vector ratio = independent.record->kappa.sd.cwiseSqrt().cwiseQuotient(some.answers.of("hmc").kappa.sd);
  judge(claim,
        {{is_overestimate(full), "FCVB overestimates nowhere: it is too sure rather than not sure enough."},
         {sparse.sd_distance() < full.sd_distance(), "PMVB's sds are not closer to HMC's than FCVB's."},
         {independent.sd_distance() < full.sd_distance(),
          fmt::format("MFVB is further from HMC than FCVB, as theory has it. The original code took MFVB's standard "
                      "deviations for variances; then they would be {:.2f} of HMC's in the median block, and look "
                      "close.",
                      quantile({ratio.begin(), ratio.end()}, 0.5))}});
  claim.figures = {benchmark_figure, "figure-sds-benchmark", table_anchor};
  return claim;
}

Claim optimum_claim(const BenchmarkAnswers& answers) {
  const Compared natural = answers.paper.of("fcvb"), adam = answers.paper.compare(answers.adam, "FCVB by Adam");
  const result::Estimate &high = *natural.record->elbo, &low = *adam.record->elbo;
  const double gap = high.value - low.value, noise = 2 * std::hypot(high.error, low.error);
  const result::TracePoint& end = adam.record->trace.back();
  Claim claim;
  claim.claim = "Benchmark: FCVB's overestimated standard deviations may come from a local optimum.";
  claim.paper = "Offered as a possible reason, with high-dimensional exploration; not tested.";
  claim.ours = fmt::format(
      "Natural gradients from the most probable field {}: ELBO {}, sds at most {:.2f} of HMC's. Adam from the prior {} "
      "in {} steps: ELBO {}, sds at most {:.2f} of HMC's.",
      natural.record->status == result::Status::converged ? "converge" : "do not converge", elbo_words(high),
      natural.numbers.largest_ratio, status_words(*adam.record), end.iteration, elbo_words(low),
      adam.numbers.largest_ratio);
  claim.figures = {"figure-sds-benchmark", table_anchor};
  const bool stuck = is_overestimate(adam) && adam.record->status == result::Status::converged && gap > noise;
  claim.verdict = stuck ? Verdict::holds : Verdict::fails;
  if (stuck) {
    claim.why = fmt::format("Adam has converged {:.1f} nats lower, and overestimates {} blocks.", gap,
                            adam.num_overestimated());
    return claim;
  }
  if (!is_overestimate(adam) && !is_overestimate(natural)) {
    claim.why = "From two starts and by two optimisers, FCVB overestimates nowhere: we see no such optimum. ";
  } else {
    claim.why = fmt::format("Natural gradients overestimate {} blocks, Adam {}, without a converged worse optimum. ",
                            natural.num_overestimated(), adam.num_overestimated());
  }
  claim.why +=
      gap > noise ? fmt::format("Adam ends {:.1f} nats lower. ", gap) : "The ELBOs agree within their errors. ";
  if (end.elbo < low.value - noise)
    claim.why += fmt::format(
        "What may differ: single iterates of Adam have an ELBO of {:.0f} in the end, {:.0f} nats below their mean, "
        "which we return. The original code returned one of them, with its noise.",
        end.elbo, low.value - end.elbo);
  return claim;
}

std::vector<Evidence> benchmark_evidence(const BenchmarkAnswers& answers) {
  std::string means, sds, times, weights;
  int accurate = 0, adequate = 0, fast = 0, reliable = 0;
  for (const PriorCase* some : {&answers.paper, &answers.own}) {
    const double hmc_error = some->of("hmc").numbers.kappa_error, hmc_seconds = some->of("hmc").numbers.seconds;
    const std::string begin = fmt::format("{}prior {}:", some == &answers.paper ? "" : "; ", some->prior);
    for (std::string* words : {&means, &sds, &times, &weights}) *words += begin;
    for (const char* word : judged_fits) {
      const Compared fit = some->of(word);
      const Repetition& numbers = fit.numbers;
      const char* comma = word == judged_fits[0] ? "" : ",";
      const double error = numbers.kappa_error / hmc_error, gain = hmc_seconds / numbers.seconds;
      means += fmt::format("{} {} {:.2f} ({:.1f})", comma, fit.label, error, numbers.largest_shift);
      times += fmt::format("{} {} {:.2g}", comma, fit.label, gain);
      weights += fmt::format("{} {} {:.1f}", comma, fit.label, numbers.khat);
      accurate += int{error <= comparable_error && numbers.largest_shift <= accurate_shift};
      fast += int{gain >= order_of_magnitude};
      reliable += int{numbers.khat < reliable_khat};
      if (fit.label == "MFVB") continue;
      sds += fmt::format("{} {} {:.2f} (worst {:.2f})", fit.label == "FCVB" ? "" : ",", fit.label, numbers.median_ratio,
                         numbers.least_ratio);
      adequate += int{is_adequate(numbers.median_ratio)} + int{numbers.least_ratio >= adequate_low};
    }
  }
  constexpr int cases = 2 * std::size(judged_fits), sd_parts = 8;
  return {{1,
           "Benchmark: error of the mean of \u03ba relative to HMC's (and largest shift in sds of HMC), " + means + ".",
           verdict_of(accurate, cases),
           {benchmark_figure, table_anchor}},
          {2,
           "Benchmark: sds relative to HMC's in the median block, " + sds + ".",
           verdict_of(adequate, sd_parts),
           {"figure-sds-benchmark", table_anchor}},
          {4, "Benchmark: HMC's time over that of the fit, " + times + ".", verdict_of(fast, cases), {table_anchor}},
          {5,
           "Benchmark: k-hat of the importance weights (reliable below 0.7), " + weights + ".",
           verdict_of(reliable, cases),
           {table_anchor}}};
}

}  // namespace varimesh::paper
