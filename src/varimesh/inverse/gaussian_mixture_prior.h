#pragma once

#include <memory>
#include <vector>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/inverse/prior.h"

namespace varimesh::inverse {

/// One of several normal distributions, each with its probability: density sum_k w_k N(kappa; mean_k, Sigma_k).
class GaussianMixturePrior final : public Prior {
 public:
  using Component = std::shared_ptr<const GaussianPrior>;

  /// Weights are relative: they are divided by their sum. Throws InputError for no components, sizes that differ, or a
  /// weight that is not positive.
  GaussianMixturePrior(Vector weights, std::vector<Component> components);

  /// The probabilities of the components, of sum 1.
  const Vector& weights() const { return weights_; }
  const std::vector<Component>& components() const { return components_; }

  Index size() const override { return components_.front()->size(); }
  Vector sample(Random& random) const override;
  double log_density(const Vector& kappa) const override;
  double log_density_and_gradient(const Vector& kappa, Vector& gradient) const override;

 private:
  Vector weights_;
  std::vector<Component> components_;
};

}  // namespace varimesh::inverse
