#include "varimesh/diagnostics/psis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/number_words.h"

namespace varimesh::diagnostics {
namespace {

constexpr Index fewest_weights = 25, fewest_tail_values = 5;
constexpr double largest_useful_khat = 0.7;
// Weights below exp(-600) of the largest count as zero: their reciprocals and products stay finite.
constexpr double lowest_log_ratio = -600;

void check(const Vector& log_ratios) {
  double largest = -infinity;
  for (Eigen::Index s = 0; s < log_ratios.size(); ++s) {
    if (std::isnan(log_ratios[s]) || log_ratios[s] == infinity)
      throw InputError(
          fmt::format("expected log ratios that are finite or minus infinity, found {} for draw {}", log_ratios[s], s));
    largest = std::max(largest, log_ratios[s]);
  }
  if (largest == -infinity)
    throw InputError(
        fmt::format("expected a draw with a positive importance weight, found none among {}", log_ratios.size()));
}

/// The tail's shape with a weak prior that counts as ten values with k = 1/2.
double pull_towards_one_half(double k, double count) { return (count * k + 10 * 0.5) / (count + 10); }

/// Smooths the tail of log ratios (largest: 0); `order` sorts them ascending. Sets khat and the tail's size.
void smooth_tail(const std::vector<Index>& order, const Vector& log_ratios, PsisResult& result) {
  const auto draws = static_cast<double>(log_ratios.size());
  // M = min(S / 5, 3 sqrt(S)), and of these the ratios above the largest one outside
  const auto longest = static_cast<std::size_t>(std::ceil(std::min(0.2 * draws, 3 * std::sqrt(draws))));
  const double outside = log_ratios[order[order.size() - longest - 1]];
  const double cutoff = std::max(outside, lowest_log_ratio);
  const auto first = std::upper_bound(order.begin(), order.end(), cutoff,
                                      [&](double value, Index s) { return value < log_ratios[s]; });
  const std::vector<Index> tail(first, order.end());
  const auto count = static_cast<Index>(tail.size());
  if (count == 0) {  // the largest ratio is so frequent that the tail has nothing else: bounded
    result.khat = 0;
    return;
  }
  if (count < fewest_tail_values) {
    result.khat = infinity;
    return;
  }
  Vector excess(count);
  for (Index z = 0; z < count; ++z) excess[z] = std::exp(cutoff) * std::expm1(log_ratios[tail[z]] - cutoff);
  GeneralizedPareto pareto = fit_generalized_pareto(excess);
  result.khat = pareto.k = pull_towards_one_half(pareto.k, count);
  result.tail_size = count;
  // The z-th smallest becomes the quantile at (z - 1/2) / M, but no more than the largest weight, 1; equal ratios
  // share.
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    const double ratio = log_ratios[tail[begin]];
    double sum = 0;
    for (; end < count && log_ratios[tail[end]] == ratio; ++end)
      sum += std::min(1.0, std::exp(cutoff) + pareto.quantile((end + 0.5) / count));
    for (Index z = begin; z < end; ++z) result.log_weights[tail[z]] = std::log(sum / (end - begin));
  }
}

Verdict judge(const PsisResult& result, bool is_spread) {
  if (result.khat == infinity && !is_spread) return Verdict::undetermined;
  if (result.khat >= 1) return Verdict::bad;
  return result.khat < result.threshold ? Verdict::good : Verdict::poor;
}

}  // namespace

double GeneralizedPareto::quantile(double p) const {
  // sigma ((1 - p)^-k - 1) / k
  const double log_survival = std::log1p(-p);
  return k == 0 ? -sigma * log_survival : sigma * std::expm1(-k * log_survival) / k;
}

GeneralizedPareto fit_generalized_pareto(const Vector& ascending) {
  const Vector& x = ascending;
  if (x.size() < 2 || !(x[0] > 0) || !std::is_sorted(x.begin(), x.end()) || !x.allFinite())
    throw InputError("expected at least two positive numbers in ascending order");
  const auto n = static_cast<double>(x.size());
  const double largest = x[x.size() - 1], quartile = x[(x.size() + 2) / 4 - 1];
  const auto shape = [&](double theta) { return (-theta * x.array()).log1p().mean(); };
  // Profile log likelihood of theta = -k / sigma:  n (log(-theta / k) - k - 1),  k(theta) = mean log(1 - theta x)
  const auto log_likelihood = [&](double theta) {
    const double k = shape(theta);
    return n * ((k == 0 ? -std::log(x.mean()) : std::log(-theta / k)) - k - 1);
  };
  // theta_j = 1 / x_n + (1 - sqrt(m / (j - 1/2))) / (3 x_quartile), j = 1..m: quantiles of a prior
  const auto m = static_cast<Index>(30 + std::floor(std::sqrt(n)));
  Vector theta(m), log_posterior(m);
  for (Index j = 0; j < m; ++j) {
    theta[j] = 1 / largest + (1 - std::sqrt(m / (j + 0.5))) / (3 * quartile);
    log_posterior[j] = log_likelihood(theta[j]);
  }
  const Vector posterior = (log_posterior.array() - log_posterior.maxCoeff()).exp();
  const double mean_theta = theta.dot(posterior) / posterior.sum();
  const double k = shape(mean_theta);
  return {k, k == 0 ? x.mean() : -k / mean_theta};
}

PsisResult psis(const Vector& log_ratios) {
  check(log_ratios);
  const auto draws = static_cast<double>(log_ratios.size());
  const Vector shifted = log_ratios.array() - log_ratios.maxCoeff();
  std::vector<Index> order(static_cast<std::size_t>(shifted.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return shifted[a] < shifted[b]; });

  PsisResult result;
  result.log_weights = shifted;
  result.khat = infinity;
  result.threshold = std::min(1 - 1 / std::log10(draws), largest_useful_khat);
  result.tail_size = 0;
  bool is_spread = false;
  if (draws >= fewest_weights) {
    smooth_tail(order, shifted, result);
    is_spread = shifted[order[order.size() - fewest_tail_values]] <= lowest_log_ratio;
  }
  result.verdict = judge(result, is_spread);

  // w <- w / sum w, summed in an order that does not depend on the draws'
  double sum = 0;
  for (const Index s : order) sum += std::exp(result.log_weights[s]);
  result.log_weights.array() -= std::log(sum);
  double sum_of_squares = 0;
  for (const Index s : order) sum_of_squares += std::exp(2 * result.log_weights[s]);
  result.effective_sample_size = 1 / sum_of_squares;
  return result;
}

std::string describe(const PsisResult& r) {
  const auto [khat, threshold] = told_apart(r.khat, r.threshold, 2);
  switch (r.verdict) {
    case Verdict::good:
      return fmt::format("khat = {} is below {}: the importance weights can be trusted", khat, threshold);
    case Verdict::poor:
      if (r.khat < largest_useful_khat)
        return fmt::format(
            "khat = {} is above {}: the importance correction is unreliable with {} draws, it "
            "needs about {:.0f}",
            khat, threshold, r.num_draws(), std::ceil(minimum_draws(r.khat)));
      return fmt::format(
          "khat = {} is above {}: the importance correction is unreliable, and more draws hardly "
          "help",
          khat, threshold);
    case Verdict::bad:
      if (r.khat == infinity) return "a few draws carry all the weight: the approximation is far from the target";
      return fmt::format(
          "khat = {} is above 1: the importance weights have no finite mean, the approximation is "
          "far from the target",
          told_apart(r.khat, 1, 2).first);
    case Verdict::undetermined:
      break;
  }
  if (r.num_draws() < fewest_weights)
    return fmt::format("khat cannot be estimated from fewer than {} draws, found {}", fewest_weights, r.num_draws());
  return "khat cannot be estimated, because too many of the largest importance ratios are equal";
}

double minimum_draws(double khat) { return khat >= 1 ? infinity : std::pow(10, 1 / (1 - std::max(0.0, khat))); }

WeightedMoments importance_moments(const Matrix& draws, const PsisResult& weights) {
  if (draws.cols() != weights.log_weights.size())
    throw InputError(
        fmt::format("expected as many draws as weights ({}), found {}", weights.log_weights.size(), draws.cols()));
  const Vector w = weights.log_weights.array().exp();
  // mean = sum w x,  variance = sum w (x - mean)^2,  standard error^2 = sum w^2 (x - mean)^2
  const Vector mean = draws * w;
  Vector variance = Vector::Zero(draws.rows()), squared_error = Vector::Zero(draws.rows());
  for (Eigen::Index s = 0; s < draws.cols(); ++s) {
    const auto squares = (draws.col(s) - mean).array().square();
    variance.array() += w[s] * squares;
    squared_error.array() += w[s] * w[s] * squares;
  }
  return {mean, variance.cwiseSqrt(), squared_error.cwiseSqrt()};
}

}  // namespace varimesh::diagnostics
