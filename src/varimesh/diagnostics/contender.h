#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/gaussian/gaussian.h"
#include "varimesh/result/counts.h"
#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// Covariances are kept and compared for no more unknowns than this.
constexpr Index most_unknowns_with_covariance = 2000;

/// What one method says of the posterior and what it took: what comparisons are made of. Plain data; who made it fills
/// in time, work and khat.
struct Contender {
  std::string name;
  Vector mean, sd;
  Vector mean_error, sd_error;                      ///< their Monte Carlo standard errors; zero if they are exact
  std::optional<Matrix> covariance = std::nullopt;  ///< if there are no more than 2,000 unknowns
  /// The smallest bulk ESS of the unknowns, or the number of independent draws; none for closed forms.
  std::optional<double> effective_draws = std::nullopt;
  double seconds = 0;
  result::Counts counts{};
  std::optional<double> khat = std::nullopt;  ///< of importance weights

  Index size() const { return static_cast<Index>(mean.size()); }
  long long solves() const { return counts.forward_solves + counts.adjoint_solves; }
};

/// Of a normal distribution, exact.
Contender summarize(std::string name, const gaussian::Gaussian& q);

/// Of chains, with the diagnostics of their unknowns. Throws InputError if these are not of as many unknowns.
Contender summarize(std::string name, const result::Draws& draws, const std::vector<QuantityDiagnostics>& unknowns);

/// Of independent draws in columns: a mixture's, say. Throws InputError for fewer than two.
Contender summarize_independent(std::string name, const Matrix& draws);

}  // namespace varimesh::diagnostics
