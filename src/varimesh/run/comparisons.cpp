#include "varimesh/run/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/diagnostics/chains_verdict.h"
#include "varimesh/diagnostics/compare.h"

namespace varimesh::run {
namespace {

diagnostics::Contender contender(const result::MethodRecord& method, int threads) {
  diagnostics::Contender result =
      method.components.size() == 1 ? diagnostics::summarize(method.name, *method.components.front())
      : method.chains ? diagnostics::summarize(method.name, method.draws, diagnostics::diagnose(method.draws, threads))
                      : diagnostics::summarize_independent(method.name, Matrix(method.draws.chain(0)));
  result.seconds = method.seconds;
  result.counts = method.counts;
  if (method.khat) result.khat = method.khat->value;
  return result;
}

/// How good a method is as a referee; none if it is not.
int rank(const result::MethodRecord& method) {
  if (!method.has_answer()) return 0;
  if (method.chains && method.status == result::Status::completed &&
      method.chains->rhat <= diagnostics::largest_good_rhat)
    return 3;
  if (method.method == "fcvb" && method.status == result::Status::converged) return 2;
  return 0;
}

const result::MethodRecord* find_referee(const std::vector<result::MethodRecord>& methods) {
  const result::MethodRecord* best = nullptr;
  for (const result::MethodRecord& method : methods) {
    if (rank(method) == 0) continue;
    const auto ess = [](const result::MethodRecord& m) { return m.chains ? m.chains->ess_bulk : 0; };
    if (!best || std::pair(rank(method), ess(method)) > std::pair(rank(*best), ess(*best))) best = &method;
  }
  return best;
}

std::string describe(const result::MethodRecord& method, const result::MethodRecord& referee,
                     const diagnostics::Comparison& comparison) {
  const double shift = std::abs(comparison.largest_mean_shift.value), ratio = comparison.largest_sd_ratio.value;
  std::string words = fmt::format(
      "Means of {} differ from those of {} by at most {:.2f} of its sds; the sd that differs most is "
      "{:.2f} times as large",
      method.name, referee.name, shift, ratio);
  if (comparison.speedup_seconds) {
    const double speedup = *comparison.speedup_seconds;
    words += speedup >= 1 ? fmt::format(", {:.3g} times faster", speedup)
                          : fmt::format(", {:.3g} times slower", 1 / speedup);
  }
  const bool close = shift < 0.25 && ratio > 0.8 && ratio < 1.25;
  const bool far = shift > 1 || ratio < 0.5 || ratio > 2;
  return words + (close ? ". They agree." : far ? ". They disagree." : ". They agree roughly.");
}

}  // namespace

std::vector<result::ComparisonRecord> compare_methods(const std::vector<result::MethodRecord>& methods, int threads) {
  std::vector<result::ComparisonRecord> comparisons;
  const auto answers = std::count_if(methods.begin(), methods.end(), [](const auto& m) { return m.has_answer(); });
  const result::MethodRecord* referee = find_referee(methods);
  if (!referee || answers < 2) return comparisons;
  const diagnostics::Contender measure = contender(*referee, threads);
  for (const result::MethodRecord& method : methods) {
    if (&method == referee || !method.has_answer()) continue;
    const diagnostics::Comparison found = diagnostics::compare(contender(method, threads), measure);
    comparisons.push_back({method.method, referee->method, found.largest_mean_shift.value, found.largest_sd_ratio.value,
                           found.covariance_difference, found.kl_result_referee, found.speedup_seconds,
                           describe(method, *referee, found)});
  }
  return comparisons;
}

}  // namespace varimesh::run
