#include "varimesh/diagnostics/chains_verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/error.h"
#include "varimesh/number_words.h"

namespace varimesh::diagnostics {
namespace {

using Member = double QuantityDiagnostics::*;

/// The largest, or, with sign -1, the smallest.
Extreme extreme_of(const std::vector<QuantityDiagnostics>& unknowns, Member member, double sign) {
  return find_extreme(
      static_cast<Index>(unknowns.size()), [&](Index i) { return unknowns[i].*member; },
      [&](double value) { return sign * value; });
}

void judge_mixing(ChainsVerdict& verdict, Index chains, Index num_unknowns) {
  auto& say = verdict.sentences;
  if (verdict.undetermined > 0)
    say.push_back(fmt::format(
        "Convergence cannot be judged for {} of {}, because their draws are all or in part equal, not finite, "
        "or fewer than twelve a chain: check whether proposals are accepted at all, and run the chains "
        "longer.",
        verdict.undetermined, counted(num_unknowns, "unknown")));
  if (verdict.rhat.value > largest_good_rhat)
    say.push_back(
        fmt::format("R-hat is {} for unknown {}, above {}: the chains do not agree yet. Run them longer, with a "
                    "longer warm-up; if it stays so, the posterior may have several modes.",
                    told_apart(verdict.rhat.value, largest_good_rhat, 3).first, verdict.rhat.index, largest_good_rhat));
  const double needed = fewest_good_ess_per_chain * chains;
  const auto judge_size = [&](const Extreme& ess, const char* name, const char* what) {
    if (ess.value < needed)
      say.push_back(
          fmt::format("The {} effective sample size is {} for unknown {}, below {:.0f} for {} chain{}: {} are not "
                      "reliable. Draw about {:.1f} times as many.",
                      name, told_apart(ess.value, needed, 0).first, ess.index, needed, chains, chains == 1 ? "" : "s",
                      what, std::ceil(10 * needed / ess.value) / 10));
  };
  judge_size(verdict.ess_bulk, "bulk", "means and medians");
  judge_size(verdict.ess_tail, "tail", "sds and quantiles");
}

void judge_transitions(ChainsVerdict& verdict) {
  auto& say = verdict.sentences;
  if (verdict.divergences > 0)
    say.push_back(
        fmt::format("{} transition{} diverged: draws may miss a region of strong curvature. Raise the target "
                    "acceptance, so that steps become smaller, or give the chains a better scale.",
                    verdict.divergences, verdict.divergences == 1 ? "" : "s"));
  if (verdict.e_bfmi.value < smallest_good_e_bfmi)
    say.push_back(fmt::format(
        "E-BFMI is {} in chain {}, below {}: fresh momenta change the energy too little to reach the "
        "tails. Run a longer warm-up, or a scale closer to the posterior's covariance.",
        told_apart(verdict.e_bfmi.value, smallest_good_e_bfmi, 2).first, verdict.e_bfmi.index, smallest_good_e_bfmi));
}

}  // namespace

bool have_converged(const QuantityDiagnostics& quantity, Index chains) {
  const double needed = fewest_good_ess_per_chain * chains;
  return quantity.rhat <= largest_good_rhat && quantity.ess_bulk >= needed && quantity.ess_tail >= needed;
}

ChainsVerdict judge(const std::vector<QuantityDiagnostics>& unknowns, long long divergences,
                    const std::vector<double>& e_bfmi) {
  if (unknowns.empty() || e_bfmi.empty())
    throw InputError(fmt::format("expected diagnostics of an unknown and of a chain at least, found {} and {}",
                                 unknowns.size(), e_bfmi.size()));
  ChainsVerdict verdict;
  verdict.rhat = extreme_of(unknowns, &QuantityDiagnostics::rhat, 1);
  verdict.ess_bulk = extreme_of(unknowns, &QuantityDiagnostics::ess_bulk, -1);
  verdict.ess_tail = extreme_of(unknowns, &QuantityDiagnostics::ess_tail, -1);
  for (const QuantityDiagnostics& unknown : unknowns)
    verdict.undetermined +=
        std::isnan(unknown.rhat) || std::isnan(unknown.ess_bulk) || std::isnan(unknown.ess_tail) ? 1 : 0;
  verdict.divergences = divergences;
  verdict.e_bfmi = find_extreme(
      static_cast<Index>(e_bfmi.size()), [&](Index c) { return e_bfmi[c]; }, [](double value) { return -value; });

  judge_mixing(verdict, static_cast<Index>(e_bfmi.size()), static_cast<Index>(unknowns.size()));
  verdict.has_converged = verdict.sentences.empty();
  judge_transitions(verdict);
  verdict.is_good = verdict.sentences.empty();
  if (verdict.is_good)
    verdict.sentences.push_back(
        fmt::format("All is well: R-hat is at most {:.3f}, the effective sample sizes are at least {:.0f} in the bulk "
                    "and {:.0f} in the tails, and no transition diverged.",
                    verdict.rhat.value, verdict.ess_bulk.value, verdict.ess_tail.value));
  return verdict;
}

}  // namespace varimesh::diagnostics
