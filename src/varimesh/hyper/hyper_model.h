#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "varimesh/hyper/hyperprior.h"
#include "varimesh/inverse/posterior.h"

namespace varimesh::hyper {

/// What a hyperparameter is to the field, kappa = mean + sd R(shape) w, or to the measurements.
enum class Role { mean, sd, shape, noise };

/// One number that the prior or the noise depends on, psi, and what is believed of it.
struct Hyperparameter {
  std::string name;  ///< "length_scale"
  Role role = Role::shape;
  Hyperprior prior = Hyperprior::normal(0, 1);
};

/// A problem whose prior and noise depend on a few unknown numbers psi. By their priors these are functions of
/// independent standard normal variables t (hyperprior.h).
struct HyperModel {
  std::vector<Hyperparameter> parameters;
  std::shared_ptr<const inverse::ForwardModel> model;
  /// Throws InputError where there is no such prior in double precision.
  std::function<std::shared_ptr<const inverse::GaussianPrior>(const Vector& psi)> prior;
  /// The noise may change by a common factor of all sigma.
  std::function<inverse::Observations(const Vector& psi)> observations;

  Index size() const { return static_cast<Index>(parameters.size()); }
  /// psi(t).
  Vector values(const Vector& t) const;
  /// log p(t): standard normal.
  double log_prior(const Vector& t) const;
  /// p(kappa | y, psi), and p(y | psi) its constant.
  inverse::Posterior posterior(const Vector& psi) const;
};

}  // namespace varimesh::hyper
