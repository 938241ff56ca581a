#pragma once

#include <string>

#include "varimesh/types.h"

namespace varimesh::diagnostics {

// Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry, Journal of Machine Learning Research
// 25, 2024): whether draws from an approximation can be reweighted into draws from the target, and the weights.

/// The generalised Pareto distribution of x > 0: P(X > x) = (1 + k x / sigma)^(-1/k).
struct GeneralizedPareto {
  double k, sigma;

  /// The x with P(X <= x) = p.
  double quantile(double p) const;
};

/// The estimate of Zhang and Stephens (2009), the mean over a profile posterior. Throws InputError unless there are at
/// least two values, positive and ascending.
GeneralizedPareto fit_generalized_pareto(const Vector& ascending);

/// Below this khat a thousand weights have so thin a tail that means and sds by them can be relied on.
constexpr double proven_khat = 0.3;
/// Below this the weights, times what is averaged, have a finite variance.
constexpr double usable_khat = 0.5;

/// What khat says about importance weights; `undetermined` if it cannot be estimated.
enum class Verdict { good, poor, bad, undetermined };

struct PsisResult {
  Vector log_weights;            ///< of the draws, smoothed; the weights sum to one
  double khat;                   ///< shape of the tail of the ratios; infinity if it is beyond estimation
  double threshold;              ///< below which khat is good with so many draws: min(1 - 1 / log10(S), 0.7)
  double effective_sample_size;  ///< 1 / sum w^2
  Index tail_size;               ///< how many weights were smoothed
  Verdict verdict;

  Index num_draws() const { return static_cast<Index>(log_weights.size()); }
};

/// Smooths the largest weights, from log(target / proposal), up to a constant, for each draw from the proposal. Minus
/// infinity is a weight of zero. Draws with equal ratios get equal weights. Throws InputError for NaN, for plus
/// infinity, and if there is no draw of positive weight.
PsisResult psis(const Vector& log_ratios);

/// The verdict in a sentence.
std::string describe(const PsisResult& result);

/// How many draws importance sampling needs with ratios of this khat: 10^(1 / (1 - max(0, khat))).
double minimum_draws(double khat);

/// Moments of weighted draws, and the Monte Carlo standard error of the mean.
struct WeightedMoments {
  Vector mean, standard_deviation, standard_error;
};

/// The self-normalised estimates for draws in columns. Throws InputError if there are not as many draws as weights.
WeightedMoments importance_moments(const Matrix& draws, const PsisResult& weights);

}  // namespace varimesh::diagnostics
