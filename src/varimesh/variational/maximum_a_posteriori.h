#pragma once

#include <limits>
#include <optional>
#include <string>

#include "varimesh/result/fit_record.h"
#include "varimesh/variational/curvature.h"
#include "varimesh/variational/evaluator.h"

namespace varimesh::variational {

struct MapOptions {
  Index max_iterations = 50;
  double tolerance = 1e-9;   ///< nats that a full step may still promise
  Vector start = Vector(0);  ///< of a forward model's search; the prior's mean if empty
};

/// The most probable kappa.
struct MapEstimate {
  Vector kappa;
  double log_posterior = -std::numeric_limits<double>::infinity();  ///< log likelihood + log prior
  bool converged = false;
  bool interrupted = false;  ///< by the observer
  std::string message;
  Index iterations = 0;
  std::optional<Curvature> curvature;  ///< at kappa, where the search computed it last
};

/// The curvature H of the log-likelihood at one kappa, with its value and gradient: Gauss-Newton for a forward model;
/// for a black box the largest eigenvalues of minus the Hessian relative to the prior, by Lanczos' method on
/// differences of gradients. Needs a normal prior.
Curvature curvature_at(Evaluator& evaluator, const Vector& kappa, double& value, Vector& gradient,
                       noise::Bend bend = noise::Bend::observed);

/// From the prior's mean, or another start. For a forward model, Gauss-Newton steps damped in the prior's metric
/// (Levenberg-Marquardt) where a full step does not do what the quadratic model says; for a black box, BFGS in
/// coordinates whitened by the prior. Noise that is not normal may have several maxima: unless there is a start, the
/// search begins where its normal counterpart has one. Needs a normal prior.
MapEstimate maximum_a_posteriori(Evaluator& evaluator, const MapOptions& options = {},
                                 const result::FitObserver& observer = {});

}  // namespace varimesh::variational
