#pragma once

#include <vector>

#include "varimesh/run/build.h"

namespace varimesh::run {

/// A problem's predictions at one kappa.
struct Evaluation {
  double log_likelihood;           ///< with its constant; see inverse::Observations
  double without_constant;         ///< -1/2 sum weight (mean - prediction)^2
  Vector prediction;               ///< at the sensors
  Vector u;                        ///< at the mesh's nodes
  std::vector<double> quantities;  ///< in the problem's order
};

/// Throws InputError if the problem has no data, or the equation cannot be solved at this kappa.
Evaluation evaluate(const Problem& problem, const Vector& kappa);

}  // namespace varimesh::run
