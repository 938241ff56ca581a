#include "varimesh/inverse/posterior.h"

#include <fmt/format.h>

#include "varimesh/error.h"

namespace varimesh::inverse {

Posterior::Posterior(std::shared_ptr<const LogLikelihood> likelihood, std::shared_ptr<const Prior> prior)
    : likelihood_(std::move(likelihood)),
      prior_(std::move(prior)),
      gaussian_likelihood_(dynamic_cast<const GaussianLikelihood*>(likelihood_.get())),
      gaussian_prior_(dynamic_cast<const GaussianPrior*>(prior_.get())) {
  if (likelihood_->num_parameters() != prior_->size())
    throw InputError(
        fmt::format("the model has {} unknowns, but the prior has {}", likelihood_->num_parameters(), prior_->size()));
}

Posterior Posterior::as_black_box() const {
  Posterior result = *this;
  result.gaussian_likelihood_ = nullptr;
  return result;
}

}  // namespace varimesh::inverse
