#include "varimesh/diagnostics/chain_diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "varimesh/constants.h"
#include "varimesh/diagnostics/effective_sample_size.h"
#include "varimesh/diagnostics/ranks.h"
#include "varimesh/error.h"
#include "varimesh/parallel.h"
#include "varimesh/special_functions.h"
#include "varimesh/workspace_pool.h"

namespace varimesh::diagnostics {
namespace {

/// The smaller and the larger of two, NaN if one is.
double min_or_nan(double a, double b) { return std::isnan(a) || std::isnan(b) ? nan : std::min(a, b); }
double max_or_nan(double a, double b) { return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b); }

double sd(const Matrix& draws) {
  return std::sqrt((draws.array() - draws.mean()).square().sum() / static_cast<double>(draws.size() - 1));
}

/// R-hat of split chains, without normalisation; NaN if all draws are equal.
double plain_rhat(const Matrix& draws) {
  const SplitChains split(draws);
  if (split.length < 2) return nan;
  Vector means(split.num_halves()), variances(split.num_halves());
  for (Index h = 0; h < split.num_halves(); ++h) {
    const auto half = split.half(draws, h);
    // From the first value, so that the variance of equal values is zero.
    const Vector deviation = half.array() - half[0];
    const double mean = deviation.mean();
    means[h] = half[0] + mean;
    variances[h] = (deviation.array() - mean).square().sum() / (split.length - 1);
  }
  // R-hat^2 = (B / W + N - 1) / N,  B = N variance of means,  W = mean of variances
  const double n = split.length, within = variances.mean();
  const double between = n * (means.array() - means.mean()).square().sum() / (split.num_halves() - 1);
  return std::sqrt((between / within + n - 1) / n);
}

/// sqrt(variance of the sd), from moments of moments (Kenney and Keeping 1951, p. 141), not only of normal draws.
double sd_error(const Matrix& squared_deviations, double effective_size) {
  const double variance = squared_deviations.mean();
  const double variance_of_variance =
      (squared_deviations.array().square().mean() - variance * variance) / effective_size;
  return std::sqrt(variance_of_variance / variance / 4);
}

/// Diagnoses one quantity after the other without allocating.
class Analysis {
 public:
  EffectiveSampleSize ess;

  /// False if draws are not finite: then there are no ranks.
  bool start(const Matrix& draws) {
    if (draws.size() == 0)
      throw InputError(
          fmt::format("expected draws of a chain at least, found {} draws of {} chains", draws.rows(), draws.cols()));
    if (!draws.allFinite()) return false;
    ranks_.sort(draws);
    return true;
  }

  const Ranks& ranks() const { return ranks_; }

  /// Leaves the scores in `scratch_`.
  double rhat() {
    ranks_.folded_scores(scratch_);
    const double folded = plain_rhat(scratch_);
    ranks_.scores(scratch_);
    return max_or_nan(plain_rhat(scratch_), folded);
  }

  double ess_bulk() {
    ranks_.scores(scratch_);
    return ess(scratch_);
  }

  double ess_quantile(const Matrix& draws, double p) {
    const double bound = quantile(ranks_.ascending(), p);
    scratch_ = (draws.array() <= bound).cast<double>();
    return ess(scratch_);
  }

  double ess_tail(const Matrix& draws) { return min_or_nan(ess_quantile(draws, 0.05), ess_quantile(draws, 0.95)); }

  /// Leaves the squared deviations in `scratch_`.
  double ess_sd(const Matrix& draws) {
    scratch_ = (draws.array() - draws.mean()).square();
    return ess(scratch_);
  }

  double mcse_sd(const Matrix& draws) {
    const double effective_size = ess_sd(draws);
    return sd_error(scratch_, effective_size);
  }

  QuantityDiagnostics diagnose(const Matrix& draws) {
    const bool has_ranks = start(draws);
    QuantityDiagnostics result{draws.mean(), diagnostics::sd(draws), nan, nan, nan, nan, nan, nan, nan, nan};
    if (!has_ranks) return result;
    result.mcse_mean = result.sd / std::sqrt(ess(draws));
    result.mcse_sd = mcse_sd(draws);
    result.rhat = rhat();
    result.ess_bulk = ess(scratch_);
    result.ess_tail = ess_tail(draws);
    result.q05 = quantile(ranks_.ascending(), 0.05);
    result.median = ranks_.median();
    result.q95 = quantile(ranks_.ascending(), 0.95);
    return result;
  }

 private:
  Ranks ranks_;
  Matrix scratch_;
};

void require_level(double p) {
  if (!(p >= 0 && p <= 1)) throw InputError(fmt::format("expected the level of a quantile from 0 to 1, found {}", p));
}

}  // namespace

double rhat(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? analysis.rhat() : nan;
}

double ess_bulk(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? analysis.ess_bulk() : nan;
}

double ess_tail(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? analysis.ess_tail(draws) : nan;
}

double ess_mean(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? analysis.ess(draws) : nan;
}

double ess_sd(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? analysis.ess_sd(draws) : nan;
}

double ess_quantile(const Matrix& draws, double p) {
  require_level(p);
  Analysis analysis;
  return analysis.start(draws) ? analysis.ess_quantile(draws, p) : nan;
}

double mcse_mean(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? sd(draws) / std::sqrt(analysis.ess(draws)) : nan;
}

double mcse_sd(const Matrix& draws) {
  Analysis analysis;
  return analysis.start(draws) ? analysis.mcse_sd(draws) : nan;
}

double mcse_quantile(const Matrix& draws, double p) {
  require_level(p);
  Analysis analysis;
  if (!analysis.start(draws)) return nan;
  const double effective_size = analysis.ess_quantile(draws, p);
  if (std::isnan(effective_size)) return nan;
  // The draws at the ends of the central 68 % of Beta(S p + 1, S (1 - p) + 1), S effective draws
  const std::vector<double>& ascending = analysis.ranks().ascending();
  const auto draw_at = [&](double probability, const auto& round) {
    const double level = beta_quantile(probability, effective_size * p + 1, effective_size * (1 - p) + 1);
    const double rank = round(level * static_cast<double>(ascending.size()));
    return ascending[static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(ascending.size()))) - 1];
  };
  const double low = draw_at(0.1586553, [](double x) { return std::floor(x); });
  const double high = draw_at(0.8413447, [](double x) { return std::ceil(x); });
  return (high - low) / 2;
}

QuantityDiagnostics diagnose(const Matrix& draws) { return Analysis().diagnose(draws); }

std::vector<QuantityDiagnostics> diagnose(const result::Draws& draws, int threads, std::size_t memory) {
  if (draws.num_draws() == 0)
    throw InputError(fmt::format("expected draws of a chain at least, found {} draws of {} chains", draws.num_draws(),
                                 draws.num_chains()));
  const auto bytes =
      sizeof(double) * static_cast<std::size_t>(draws.num_draws()) * static_cast<std::size_t>(draws.num_chains());
  const auto block = static_cast<Index>(
      std::clamp<std::size_t>(memory / bytes, 1, static_cast<std::size_t>(std::max(1, draws.size()))));
  std::vector<QuantityDiagnostics> result(static_cast<std::size_t>(draws.size()));
  WorkspacePool<Analysis> pool;
  for (Index first = 0; first < draws.size(); first += block) {
    const Index count = std::min(block, draws.size() - first);
    const std::vector<Matrix> series = draws.series(first, count);
    parallel_for(count, threads, [&](Index i) {
      const auto analysis = pool.acquire([] { return std::make_unique<Analysis>(); });
      result[first + i] = analysis->diagnose(series[i]);
    });
  }
  return result;
}

}  // namespace varimesh::diagnostics
