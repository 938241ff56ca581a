#pragma once

#include <memory>
#include <utility>

#include "varimesh/hyper/hyper_model.h"
#include "varimesh/variational/fit.h"

namespace varimesh::hyper {

/// A fit at one value of the hyperparameters.
struct FittedPoint {
  Vector t, psi;
  /// ELBO + log p(t), up to the gap between ELBO and evidence log p(t | y) + log p(y); minus infinity if the fit
  /// failed.
  double log_posterior = 0;
  Vector gradient;  ///< of it, by t
  variational::ElboEstimate elbo;
  std::shared_ptr<const inverse::GaussianPrior> prior;
  std::shared_ptr<const variational::GaussianFamily> q;  ///< null if the fit failed
};

/// F(t) = ELBO(t) + log p(t), with its gradient: at the best q of the family only the explicit dependence on t counts,
///
///   dF/dt_j = -d/dt_j KL(q || prior(t)) + d/dt_j E_q[log p(y | kappa, noise(t))] - t_j,
///
/// in closed form, or by differences of closed forms, without a further evaluation of the model.
class Objective {
 public:
  Objective(const HyperModel& hyper, variational::FitOptions options, result::FitObserver observer)
      : hyper_(hyper), options_(std::move(options)), observer_(std::move(observer)) {}

  const HyperModel& hyper() const { return hyper_; }
  const result::Counts& counts() const { return counts_; }
  Index fits() const { return fits_; }

  /// Begins at the fit of a neighbour, if there is one. Throws Interrupted if the observer stops it.
  FittedPoint fit(const Vector& t, const FittedPoint* neighbour);

 private:
  Vector gradient_at(const FittedPoint& point, const inverse::Observations& observations) const;

  const HyperModel& hyper_;
  variational::FitOptions options_;
  result::FitObserver observer_;
  result::Counts counts_;
  Index fits_ = 0;
};

}  // namespace varimesh::hyper
