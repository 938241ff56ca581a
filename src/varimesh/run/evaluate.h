#pragma once

#include <optional>
#include <vector>

#include "varimesh/run/build.h"

namespace varimesh::run {

/// A problem's predictions at one kappa.
struct Evaluation {
  std::optional<double> log_likelihood;    ///< with its constant (see inverse::Observations); none without measurements
  std::optional<double> without_constant;  ///< -1/2 sum weight (mean - prediction)^2
  Vector prediction;                       ///< at the sensors, if there are any
  Vector u;                                ///< at the mesh's nodes
  std::vector<double> quantities;          ///< in the problem's order
};

/// Throws InputError if the equation cannot be solved at this kappa.
Evaluation evaluate(const Problem& problem, const Vector& kappa);

}  // namespace varimesh::run
