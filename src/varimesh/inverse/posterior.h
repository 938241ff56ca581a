#pragma once

#include <memory>

#include "varimesh/inverse/gaussian_likelihood.h"
#include "varimesh/inverse/gaussian_prior.h"

namespace varimesh::inverse {

/// p(kappa | y) up to a constant: what every method infers from.
class Posterior {
 public:
  /// Throws InputError if likelihood and prior differ in the number of unknowns.
  Posterior(std::shared_ptr<const LogLikelihood> likelihood, std::shared_ptr<const Prior> prior);

  Index size() const { return prior_->size(); }
  const LogLikelihood& likelihood() const { return *likelihood_; }
  const Prior& prior() const { return *prior_; }
  /// For those that outlive the posterior.
  const std::shared_ptr<const Prior>& shared_prior() const { return prior_; }
  /// The likelihood if it comes from a forward model, whose Jacobian gives Gauss-Newton curvature; null for a black
  /// box.
  const GaussianLikelihood* gaussian_likelihood() const { return gaussian_likelihood_; }
  /// The prior if it is normal; null if not.
  const GaussianPrior* gaussian_prior() const { return gaussian_prior_; }

  /// The same without its forward model: methods use values and gradients of the likelihood only.
  Posterior as_black_box() const;

 private:
  std::shared_ptr<const LogLikelihood> likelihood_;
  std::shared_ptr<const Prior> prior_;
  const GaussianLikelihood* gaussian_likelihood_;
  const GaussianPrior* gaussian_prior_;
};

}  // namespace varimesh::inverse
