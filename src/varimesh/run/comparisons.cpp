#include "varimesh/run/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/diagnostics/chains_verdict.h"
#include "varimesh/diagnostics/compare.h"
#include "varimesh/number_words.h"

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

/// Whether weights made a fit or draws of auto exact, to the standard of chains.
bool is_proven(const result::MethodRecord& method) {
  return !method.chains && std::ranges::any_of(method.trust, [](const result::TrustItem& item) {
    return item.kind == result::TrustItem::Kind::choice && item.level == result::TrustItem::Level::good;
  });
}

/// How good a method is as a referee; zero if it is none.
int rank(const result::MethodRecord& method) {
  if (!method.has_answer()) return 0;
  if (method.chains) {
    const double needed = diagnostics::fewest_good_ess_per_chain * method.chains->chains;
    const bool good = method.status == result::Status::completed &&
                      method.chains->rhat <= diagnostics::largest_good_rhat && method.chains->ess_bulk >= needed;
    // Chains that are merely short are still a better measure than any fit.
    return good ? 4 : method.chains->rhat <= diagnostics::largest_usable_rhat ? 2 : 0;
  }
  if (is_proven(method)) return 3;
  return method.method == "fcvb" && method.status == result::Status::converged ? 1 : 0;
}

/// Answers to one problem.
using Methods = std::vector<const result::MethodRecord*>;

const result::MethodRecord* find_referee(const Methods& methods) {
  const result::MethodRecord* best = nullptr;
  for (const result::MethodRecord* each : methods) {
    const result::MethodRecord& method = *each;
    if (rank(method) == 0) continue;
    const auto ess = [](const result::MethodRecord& m) { return m.chains ? m.chains->ess_bulk : 0; };
    if (!best || std::pair(rank(method), ess(method)) > std::pair(rank(*best), ess(*best))) best = &method;
  }
  return best;
}

/// The largest difference of means in the referee's sds, and the ratio of sds furthest from one.
struct Difference {
  double shift = 0, ratio = 1;

  void take(double other_shift, double other_ratio) {
    if (std::abs(other_shift) > std::abs(shift)) shift = other_shift;
    if (std::abs(std::log(other_ratio)) > std::abs(std::log(ratio))) ratio = other_ratio;
  }
};

/// Of quantities that vary; results of one problem have the same.
Difference compare_quantities(const result::MethodRecord& method, const result::MethodRecord& referee) {
  Difference difference;
  for (std::size_t q = 0; q < std::min(method.quantities.size(), referee.quantities.size()); ++q) {
    const result::QuantitySummary &own = method.quantities[q], &other = referee.quantities[q];
    if (own.density.size() > 0 && other.density.size() > 0)
      difference.take((own.mean - other.mean) / other.sd, own.sd / other.sd);
  }
  return difference;
}

std::string describe(const result::MethodRecord& method, const result::MethodRecord& referee,
                     const diagnostics::Comparison& comparison) {
  Difference all{comparison.largest_mean_shift.value, comparison.largest_sd_ratio.value};
  std::string words = fmt::format(
      "Means of {0} differ from those of {1} by at most {2:.2f} of its sds, and its sds are {3:.2f} times those "
      "of {1} where they differ most",
      method.name, referee.name, std::abs(all.shift), all.ratio);
  const Difference quantities = compare_quantities(method, referee);
  if (quantities.shift != 0)
    words += fmt::format("; quantities differ by at most {:.2f} sds, with sds {:.2f} times as large",
                         std::abs(quantities.shift), quantities.ratio);
  all.take(quantities.shift, quantities.ratio);
  const double shift = std::abs(all.shift);
  const bool close = shift < 0.25 && all.ratio > 0.8 && all.ratio < 1.25;
  const bool far = shift > 0.5 || all.ratio < 0.67 || all.ratio > 1.5;
  words += close ? ". They agree." : far ? ". They disagree." : ". They differ somewhat.";
  if (!referee.chains && !is_proven(referee)) words += " (Both are approximations.)";
  if (comparison.speedup_seconds) {
    const double speedup = *comparison.speedup_seconds;
    const double factor = std::max(speedup, 1 / speedup);
    words += factor < 1.05 ? " They took equally long."
                           : fmt::format(" {} took {} times as long.", speedup >= 1 ? referee.name : method.name,
                                         in_digits(factor, 2));
  }
  return words;
}

std::vector<result::ComparisonRecord> compare_same(const Methods& methods, int threads) {
  std::vector<result::ComparisonRecord> comparisons;
  const auto answers = std::count_if(methods.begin(), methods.end(), [](const auto* m) { return m->has_answer(); });
  const result::MethodRecord* referee = find_referee(methods);
  if (!referee || answers < 2) return comparisons;
  const diagnostics::Contender measure = contender(*referee, threads);
  for (const result::MethodRecord* each : methods) {
    const result::MethodRecord& method = *each;
    if (each == referee || !method.has_answer()) continue;
    const diagnostics::Comparison found = diagnostics::compare(contender(method, threads), measure);
    comparisons.push_back({method.method, referee->method, found.largest_mean_shift.value, found.largest_sd_ratio.value,
                           found.covariance_difference, found.kl_result_referee, found.speedup_seconds,
                           describe(method, *referee, found)});
  }
  return comparisons;
}

}  // namespace

std::vector<result::ComparisonRecord> compare_methods(const std::vector<result::MethodRecord>& methods,
                                                      const std::vector<std::string>& fingerprints, int threads) {
  std::vector<result::ComparisonRecord> comparisons;
  for (std::size_t i = 0; i < fingerprints.size(); ++i) {
    if (std::find(fingerprints.begin(), fingerprints.begin() + static_cast<std::ptrdiff_t>(i), fingerprints[i]) !=
        fingerprints.begin() + static_cast<std::ptrdiff_t>(i))
      continue;  // compared already
    Methods same;
    for (std::size_t k = i; k < methods.size(); ++k)
      if (fingerprints[k] == fingerprints[i]) same.push_back(&methods[k]);
    const std::vector<result::ComparisonRecord> found = compare_same(same, threads);
    comparisons.insert(comparisons.end(), found.begin(), found.end());
  }
  return comparisons;
}

std::vector<result::ComparisonRecord> compare_methods(const std::vector<result::MethodRecord>& methods, int threads) {
  return compare_methods(methods, std::vector<std::string>(methods.size()), threads);
}

}  // namespace varimesh::run
