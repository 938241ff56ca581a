#include "varimesh/inverse/gaussian_mixture_prior.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/error.h"
#include "varimesh/log_sum_exp.h"

namespace varimesh::inverse {

GaussianMixturePrior::GaussianMixturePrior(Vector weights, std::vector<Component> components)
    : weights_(std::move(weights)), components_(std::move(components)) {
  if (components_.empty()) throw InputError("expected at least one component, found none");
  if (weights_.size() != std::ssize(components_))
    throw InputError(
        fmt::format("expected as many weights as components ({}), found {}", components_.size(), weights_.size()));
  for (const Component& component : components_) {
    if (component->size() != size())
      throw InputError(fmt::format("expected components of one size ({}), found one of {}", size(), component->size()));
  }
  for (const double weight : weights_) {
    if (!(weight > 0 && std::isfinite(weight)))
      throw InputError(fmt::format("expected a positive weight, found {}", weight));
  }
  weights_ /= weights_.maxCoeff();  // so that the sum cannot overflow
  weights_ /= weights_.sum();
}

Vector GaussianMixturePrior::sample(Random& random) const {
  double left = random.uniform();
  std::size_t k = 0;
  while (k + 1 < components_.size() && left >= weights_[static_cast<Eigen::Index>(k)])
    left -= weights_[static_cast<Eigen::Index>(k++)];
  return components_[k]->sample(random);
}

double GaussianMixturePrior::log_density(const Vector& kappa) const {
  // log p = log sum_k exp(log w_k + log N_k)
  Vector terms = weights_.array().log();
  for (Eigen::Index k = 0; k < terms.size(); ++k) terms[k] += components_[k]->log_density(kappa);
  return log_sum_exp(terms)[0];
}

double GaussianMixturePrior::log_density_and_gradient(const Vector& kappa, Vector& gradient) const {
  const auto count = static_cast<Eigen::Index>(components_.size());
  Vector terms = weights_.array().log();
  Matrix scores(kappa.size(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    terms[k] += components_[static_cast<std::size_t>(k)]->log_density_and_gradient(kappa, gradient);
    scores.col(k) = gradient;
  }
  const double value = log_sum_exp(terms)[0];
  // grad log p = sum_k r_k grad log N_k,  r_k = w_k N_k / p; where every density underflows, w_k instead
  const Vector responsibilities = std::isfinite(value) ? Vector((terms.array() - value).exp()) : weights_;
  gradient = scores * responsibilities;
  return value;
}

}  // namespace varimesh::inverse
