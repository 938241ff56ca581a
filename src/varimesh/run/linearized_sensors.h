#pragma once

#include <optional>

#include "varimesh/inverse/posterior.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// A model linearised where the posterior is largest: what each measurement does to the field and to the predictions.
struct LinearizedSensors {
  Vector kappa;      ///< the most probable one
  Vector predicted;  ///< there; of correlated sensors, given what the others measured
  Vector leverage;   ///< h_i = dprediction_i / dmeasured_i
  Matrix gain;       ///< dkappa / dmeasured, unknowns x sensors
  Matrix slope;      ///< dprediction / dkappa, unknowns x sensors: J' if sensors are not correlated
};

/// From a start near the mode. None for a prior or noise that is not normal or a likelihood without a forward model,
/// for matrices (unknowns x sensors) of more than 20 million numbers, and where the search or the model fails.
std::optional<LinearizedSensors> linearize_sensors(const inverse::Posterior& posterior, const Vector& start,
                                                   int threads);

}  // namespace varimesh::run
