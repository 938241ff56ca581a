#pragma once

#include "varimesh/diagnostics/psis.h"
#include "varimesh/inverse/posterior.h"
#include "varimesh/result/method_record.h"
#include "varimesh/run/inverse_problem.h"
#include "varimesh/run/linearized_sensors.h"

namespace varimesh::run {

/// A method's draws, moved to where they would be without one sensor, and what makes them draws of that posterior.
struct MovedDraws {
  Vector distance;     ///< of each draw, along `direction`
  Vector direction;    ///< of kappa in which the sensor's prediction grows by one
  Vector predictions;  ///< of the sensor, at each moved draw; NaN where the model fails
  Matrix quantities;   ///< quantities x draws
  diagnostics::PsisResult weights;
};

/// Moment matching (Paananen, Piironen, Buerkner and Vehtari, Statistics and Computing 31, 2021) along the direction in
/// which the sensor acts, with the mean and the sd that the linearised model has without it. In all directions at once
/// the moments would be those of a few heavy draws. Costs an evaluation of the model for each draw. Throws InputError
/// if the model fails at all of them.
MovedDraws move_draws(const InverseProblem& problem, const inverse::Posterior& posterior,
                      const result::MethodRecord& record, const LinearizedSensors& linearized, Index sensor,
                      int threads);

}  // namespace varimesh::run
