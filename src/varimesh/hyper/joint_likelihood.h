#pragma once

#include "varimesh/hyper/hyper_model.h"
#include "varimesh/inverse/log_likelihood.h"

namespace varimesh::hyper {

/// log p(y | w, t) of the whitened field w and the hyperparameters' standard variables t, x = (w, t):
///
///   kappa = m(psi) + R(psi) w,   psi = psi(t).
///
/// With the prior N(0, I) of x this is the posterior of field and hyperparameters together, exactly: what chains that
/// know of no hyperparameters sample.
class JointLikelihood final : public inverse::LogLikelihood {
 public:
  JointLikelihood(HyperModel hyper, Index unknowns) : hyper_(std::move(hyper)), unknowns_(unknowns) {}

  const HyperModel& hyper() const { return hyper_; }

  Index num_parameters() const override { return unknowns_ + hyper_.size(); }
  double value(const Vector& x) const override;
  double value_and_gradient(const Vector& x, Vector& gradient) const override;

  /// kappa and psi at x, one below the other.
  Vector field_and_values(const Vector& x) const;

 private:
  HyperModel hyper_;
  Index unknowns_;
};

/// The posterior of x = (w, t).
inverse::Posterior joint_posterior(const HyperModel& hyper, Index unknowns);

}  // namespace varimesh::hyper
