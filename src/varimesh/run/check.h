#pragma once

#include <optional>

#include "varimesh/inverse/contract.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// What was found by trying a problem out at one kappa: a draw of the prior, or near zero.
struct CheckReport {
  bool solvable = false;
  double flux_balance_error = 0;                          ///< |fluxes out - sources| / sum of |reactions|
  double seconds = 0;                                     ///< for value and gradient, best of a few
  std::optional<inverse::LikelihoodContract> likelihood;  ///< with sensors
  std::optional<inverse::ModelContract> model;            ///< with sensors, if its Jacobian is small enough to form

  bool passed() const;
};

/// Solves, checks that fluxes balance, and compares gradients with finite differences. Without data, made-up ones are
/// used.
CheckReport check(const Problem& problem, std::uint64_t seed);

}  // namespace varimesh::run
