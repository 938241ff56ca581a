#include "varimesh/calibration/binomial.h"

#include <cmath>

#include "varimesh/special_functions.h"

namespace varimesh::calibration {

Binomial::Binomial(Index most_trials) : log_factorial_(static_cast<std::size_t>(most_trials) + 1, 0.0) {
  for (std::size_t n = 1; n < log_factorial_.size(); ++n)
    log_factorial_[n] = log_factorial_[n - 1] + std::log(static_cast<double>(n));
}

double Binomial::density(Index k, Index n, double p) const {
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  // n! / (k! (n - k)!) p^k (1 - p)^(n - k)
  return std::exp(log_factorial_[static_cast<std::size_t>(n)] - log_factorial_[static_cast<std::size_t>(k)] -
                  log_factorial_[static_cast<std::size_t>(n - k)] + k * std::log(p) + (n - k) * std::log1p(-p));
}

Interval clopper_pearson(Index successes, Index trials, double level) {
  const double tail = (1 - level) / 2;
  // P(X >= k | low) = P(X <= k | high) = tail; binomial tails are Beta distributions of p.
  return {successes == 0 ? 0 : beta_quantile(tail, successes, trials - successes + 1),
          successes == trials ? 1 : beta_quantile(1 - tail, successes + 1, trials - successes)};
}

}  // namespace varimesh::calibration
