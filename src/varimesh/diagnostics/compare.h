#pragma once

#include <optional>
#include <string>

#include "varimesh/diagnostics/contender.h"
#include "varimesh/diagnostics/extreme.h"
#include "varimesh/result/estimate.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

using result::Estimate;

/// What a method took for what it gave.
struct Cost {
  std::string name;
  double seconds = 0;
  long long solves = 0;                                  ///< forward and adjoint
  std::optional<double> effective_draws = std::nullopt;  ///< none for closed forms, as the two rates
  std::optional<double> ess_per_second = std::nullopt, ess_per_solve = std::nullopt;
  std::optional<double> khat = std::nullopt;
};

/// A result beside the one it is measured by, the referee.
struct Comparison {
  // Of every unknown
  Vector mean_shift, mean_shift_error;  ///< (mean - referee's mean) / referee's sd
  Vector sd_ratio, sd_ratio_error;      ///< sd / referee's sd

  Extreme largest_mean_shift;  ///< by its magnitude; its sign is kept
  Extreme largest_sd_ratio;    ///< by the magnitude of its logarithm: 1/2 is as far off as 2

  /// |C - C_ref|_F / |C_ref|_F of covariances, and of their inverses. The error is what noise in the draws alone would
  /// make of it. None if a covariance is missing; of inverses also if there are fewer than five effective draws for
  /// each unknown, or one is not numerically positive definite.
  std::optional<Estimate> covariance_difference, precision_difference;

  /// KL(result | referee) and KL(referee | result), in nats, of the normal distributions with these means and
  /// covariances; none where there is no inverse. The error is the bias of a covariance estimated from draws, which
  /// adds n (n + 3) / (4 ESS) nats to leading order.
  std::optional<Estimate> kl_result_referee, kl_referee_result;

  Cost result, referee;
  /// How many times faster than the referee: by the clock, in solves, and in effective draws by clock and by solves.
  /// None where one of the two is zero or unknown.
  std::optional<double> speedup_seconds, speedup_solves, speedup_ess_per_second, speedup_ess_per_solve;
};

/// Throws InputError if they are not of as many unknowns.
Comparison compare(const Contender& result, const Contender& referee);

}  // namespace varimesh::diagnostics
