#pragma once

#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// Moments of the energies of successive transitions, as they come. Plain data.
struct EnergyMoments {
  Index count = 0;
  double mean = 0, squares = 0;  ///< squares: sum of squared deviations from the mean
  double last = 0, changes = 0;  ///< changes: sum of squared differences of neighbours

  void add(double energy);

  /// E-BFMI, the energy Bayesian fraction of missing information (Betancourt 2016): sum (E_i - E_{i-1})^2 over
  /// sum (E_i - mean)^2. Below 0.3, momenta are too timid for the energies that the target has. NaN for fewer than two
  /// transitions and for chains without momenta.
  double e_bfmi() const;
};

}  // namespace varimesh::diagnostics
