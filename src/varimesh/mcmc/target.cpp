#include "varimesh/mcmc/target.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"

namespace varimesh::mcmc {

void Target::evaluate(Position& position) {
  throw_if_interrupted();
  position.log_likelihood = posterior_.likelihood().value(position.kappa);
  position.log_posterior = position.log_likelihood + posterior_.prior().log_density(position.kappa);
  if (!std::isfinite(position.log_posterior)) position.log_posterior = -std::numeric_limits<double>::infinity();
  ++counts_.values;
  ++counts_.forward_solves;
  ++counts_.factorizations;
}

void Target::evaluate_with_gradient(Position& position) {
  throw_if_interrupted();
  position.log_likelihood = posterior_.likelihood().value_and_gradient(position.kappa, position.gradient);
  if (position.gradient.size() != position.kappa.size())
    throw InputError(fmt::format("the model returned a gradient of size {}, expected {}", position.gradient.size(),
                                 position.kappa.size()));
  position.log_posterior =
      position.log_likelihood + posterior_.prior().log_density_and_gradient(position.kappa, prior_gradient_);
  position.gradient += prior_gradient_;
  if (!std::isfinite(position.log_posterior) || !position.gradient.allFinite()) {
    position.log_posterior = -std::numeric_limits<double>::infinity();
    position.gradient.setZero();
  }
  ++counts_.gradients;
  ++counts_.forward_solves;
  ++counts_.adjoint_solves;
  ++counts_.factorizations;
}

}  // namespace varimesh::mcmc
