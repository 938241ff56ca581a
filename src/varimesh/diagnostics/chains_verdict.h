#pragma once

#include <string>
#include <vector>

#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/diagnostics/extreme.h"

namespace varimesh::diagnostics {

/// Above this R-hat chains have not converged; below so many effective draws for each chain the diagnostics themselves
/// are not reliable (Vehtari et al. 2021).
constexpr double largest_good_rhat = 1.01, fewest_good_ess_per_chain = 100;
/// Up to this R-hat chains are imprecise rather than wrong.
constexpr double largest_usable_rhat = 1.05;
/// Below this E-BFMI momenta are too timid (Betancourt 2016).
constexpr double smallest_good_e_bfmi = 0.3;

/// Whether so many chains agree on a quantity, and have enough effective draws of it.
bool have_converged(const QuantityDiagnostics& quantity, Index chains);

/// What all diagnostics together say of a run.
struct ChainsVerdict {
  Extreme rhat, ess_bulk, ess_tail;  ///< the worst, with its unknown
  Index undetermined = 0;            ///< unknowns whose draws are all or in part equal, not finite, or too few
  long long divergences = 0;
  Extreme e_bfmi;                      ///< the smallest, with its chain; NaN if there is none
  bool has_converged = false;          ///< nothing is wrong that more draws would mend
  bool is_good = false;                ///< nothing is wrong
  std::vector<std::string> sentences;  ///< what is wrong and what to do about it, or that all is well
};

/// From the diagnostics of the unknowns, the divergent transitions of all chains, and the E-BFMI of each chain (NaN for
/// kernels without momenta).
ChainsVerdict judge(const std::vector<QuantityDiagnostics>& unknowns, long long divergences,
                    const std::vector<double>& e_bfmi);

}  // namespace varimesh::diagnostics
