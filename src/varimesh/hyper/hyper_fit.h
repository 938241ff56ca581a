#pragma once

#include <string>
#include <vector>

#include "varimesh/hyper/objective.h"

namespace varimesh::hyper {

struct HyperFitOptions {
  variational::FitOptions fit = {};  ///< at each point: of a family of one normal distribution
  bool mode_only = false;            ///< empirical Bayes: nothing but the most probable hyperparameters
  Index max_fits = 120;              ///< in all; the search for the mode takes about ten
  Index draws = 4000;                ///< of the hyperparameters
};

/// Fits at a design of hyperparameters around the most probable ones. The posterior of field and hyperparameters is
/// approximated by the mixture of these fits with the weights that their part of the hyperparameters' density has.
struct HyperFit {
  std::vector<FittedPoint> points;  ///< those that did not fail; the first is the mode
  Vector weights;                   ///< of the points, of sum 1
  Matrix axes;                      ///< a root of the covariance of t
  Matrix t_draws;                   ///< hyperparameters x draws, and the point that stands for each
  std::vector<Index> nearest;
  double log_evidence = 0;  ///< log p(y), but for the gap between ELBO and evidence
  bool converged = false;
  std::string message;
  result::Counts counts;
  Index fits = 0;

  const FittedPoint& mode() const { return points.front(); }
  /// psi of each draw.
  Matrix draws(const HyperModel& hyper) const;
};

/// Mode of ELBO(t) + log p(t) by BFGS; its curvature by differences of gradients; then points on a grid along the
/// curvature's axes as far as the density is within e^-3 of the mode's (one or two hyperparameters), or on a central
/// composite design (more); each fit begins at its neighbour's. A smooth interpolation of the log density at all points
/// gives draws, evidence, and each point's share. Throws Interrupted if stopped before there was a mode.
HyperFit fit_hyper(const HyperModel& hyper, const HyperFitOptions& options, const result::FitObserver& observer = {});

}  // namespace varimesh::hyper
