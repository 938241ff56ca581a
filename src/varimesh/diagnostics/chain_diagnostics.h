#pragma once

#include <cstddef>
#include <vector>

#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

// Whether chains have converged, and how precise what they say is, after Vehtari, Gelman, Simpson, Carpenter and
// Buerkner (Bayesian Analysis 16, 2021), as the R package posterior computes it. Arguments are the draws of one
// quantity, draws x chains. Where nothing can be said (values that are not finite or all equal, fewer than twelve draws
// a chain for an effective sample size), the answer is NaN; chains that each stand still at another value have an
// infinite R-hat. Throws InputError if there are no draws.

/// Split R-hat, the larger of that of the rank-normalised draws and that of their distances from the median: 1 if
/// chains agree. Above 1.01 they have not converged.
double rhat(const Matrix& draws);

/// Effective sample size of the rank-normalised draws: how well the bulk of the distribution is known.
double ess_bulk(const Matrix& draws);
/// The smaller effective sample size of the 5 % and the 95 % quantiles.
double ess_tail(const Matrix& draws);
/// Effective sample sizes of estimates: of the mean, of the sd, and of the quantile at level p.
double ess_mean(const Matrix& draws);
double ess_sd(const Matrix& draws);
double ess_quantile(const Matrix& draws, double p);

/// Monte Carlo standard errors of estimates: of the mean, of the sd, and of the quantile at level p.
double mcse_mean(const Matrix& draws);
double mcse_sd(const Matrix& draws);
double mcse_quantile(const Matrix& draws, double p);

/// All of one quantity.
struct QuantityDiagnostics {
  double mean, sd;
  double mcse_mean, mcse_sd;  ///< their Monte Carlo standard errors
  double rhat, ess_bulk, ess_tail;
  double q05, median, q95;
};

QuantityDiagnostics diagnose(const Matrix& draws);

/// Of every unknown, from as many draws of each chain as the shortest has. Reads blocks of unknowns that take no more
/// memory than given, in bytes: draws may be larger than memory.
std::vector<QuantityDiagnostics> diagnose(const result::Draws& draws, int threads,
                                          std::size_t memory = std::size_t{256} << 20);

}  // namespace varimesh::diagnostics
