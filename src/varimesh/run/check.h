#pragma once

#include <optional>

#include "varimesh/inverse/contract.h"
#include "varimesh/run/build.h"

namespace varimesh::run {

/// What was found by trying a problem out at one kappa.
struct CheckReport {
  static constexpr double tolerance = 1e-6, balance_tolerance = 1e-10;

  bool solvable = false;
  double flux_balance_error = 0;                          ///< |fluxes out + uptake - sources|, relative to the largest
  double seconds = 0;                                     ///< for value and gradient, best of a few
  int threads = 0;                                        ///< that called at once
  std::optional<inverse::LikelihoodContract> likelihood;  ///< with sensors
  std::optional<inverse::ModelContract> model;            ///< with sensors, if its Jacobian is small enough to form

  bool passed() const;
};

/// Solves at a draw of the prior (null: near zero), checks that fluxes balance, and compares gradients with finite
/// differences. Without data, made-up ones are used.
CheckReport check(const Problem& problem, const inverse::Prior* prior, std::uint64_t seed);

}  // namespace varimesh::run
