#pragma once

#include <vector>

#include "varimesh/types.h"

namespace varimesh::calibration {

/// Probabilities of X ~ Binomial(n, p) for all n up to a largest one.
class Binomial {
 public:
  explicit Binomial(Index most_trials);

  /// P(X = k), for 0 <= k <= n and 0 <= p <= 1.
  double density(Index k, Index n, double p) const;

 private:
  std::vector<double> log_factorial_;
};

/// Ends of an interval.
struct Interval {
  double low = 0, high = 0;
};

/// The probabilities with which so many successes of so many trials are not surprising: Clopper and Pearson's exact
/// interval, which holds the true one at least with probability `level`. There must be a trial.
Interval clopper_pearson(Index successes, Index trials, double level);

}  // namespace varimesh::calibration
