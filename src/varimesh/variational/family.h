#pragma once

#include <memory>

#include "varimesh/gaussian/gaussian.h"
#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/types.h"

namespace varimesh::variational {

/// A trial distribution q(kappa) with free parameters.
class Family {
 public:
  virtual ~Family() = default;
  virtual std::unique_ptr<Family> clone() const = 0;

  virtual Index size() const = 0;
  virtual Vector mean() const = 0;
  virtual Vector variance() const = 0;

  /// Draws come in equal numbers from so many components.
  virtual Index num_components() const { return 1; }
  /// Draws kappa_s = mean + R z_s from standard normal columns z_s. Several components take equal, consecutive groups
  /// of columns.
  virtual Matrix transform(const Matrix& z) const = 0;
  /// log q and its gradient with respect to kappa, for every column.
  virtual Vector log_densities(const Matrix& kappa) const = 0;
  virtual Matrix log_density_gradients(const Matrix& kappa) const = 0;

  /// Unconstrained parameters, for optimisers that know only gradients.
  virtual Vector parameters() const = 0;
  /// False, with nothing changed, if they are no distribution in double precision.
  virtual bool set_parameters(const Vector& parameters) = 0;
  /// The gradient of sum_s g_s' kappa_s with respect to the parameters, kappa_s = transform(z)_s: the reparametrisation
  /// trick.
  virtual Vector pull_back(const Matrix& z, const Matrix& g) const = 0;
};

/// A family of normal distributions.
class GaussianFamily : public Family {
 public:
  virtual const gaussian::Gaussian& gaussian() const = 0;

  Index size() const final { return gaussian().size(); }
  Vector mean() const final { return gaussian().mean(); }
  Vector variance() const final { return gaussian().variance(); }
  Matrix transform(const Matrix& z) const final;
  Vector log_densities(const Matrix& kappa) const final { return gaussian().log_densities(kappa); }
  Matrix log_density_gradients(const Matrix& kappa) const final;

  /// The same mean with the covariance multiplied by factor^2.
  virtual std::unique_ptr<GaussianFamily> scaled(double factor) const = 0;

  /// KL(q || prior), in closed form.
  double kl_divergence(const inverse::GaussianPrior& prior) const;
  /// The same with its gradient with respect to the parameters.
  double kl_divergence(const inverse::GaussianPrior& prior, Vector& gradient) const;

 private:
  /// tr(Q_prior Sigma), and, if wanted, the gradient of 1/2 tr(Q_prior Sigma) - 1/2 log det Sigma with respect to all
  /// parameters. Its entries for the mean, the first size(), are left for the caller to set.
  virtual double trace_term(const inverse::GaussianPrior& prior, Vector* gradient) const = 0;
};

/// R with R R' the prior's precision matrix, n x n.
Matrix precision_root(const inverse::GaussianPrior& prior);

/// The normal distribution that a family of one is, alive as long as its family: what samplers take as their scale.
/// Null for a mixture.
std::shared_ptr<const gaussian::Gaussian> shared_gaussian(std::shared_ptr<const Family> q);

}  // namespace varimesh::variational
