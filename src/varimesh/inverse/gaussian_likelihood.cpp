#include "varimesh/inverse/gaussian_likelihood.h"

#include <fmt/format.h>

#include "varimesh/error.h"

namespace varimesh::inverse {

GaussianLikelihood::GaussianLikelihood(std::shared_ptr<const ForwardModel> model, Observations observations)
    : model_(std::move(model)), observations_(std::move(observations)) {
  if (model_->num_predictions() != observations_.size())
    throw InputError(fmt::format("the model predicts {} measurements, but there are {} observations",
                                 model_->num_predictions(), observations_.size()));
}

double GaussianLikelihood::value(const Vector& kappa) const {
  return log_likelihood(observations_, model_->predict(kappa));
}

double GaussianLikelihood::value_and_gradient(const Vector& kappa, Vector& gradient) const {
  const std::unique_ptr<Linearization> linearization = model_->linearize(kappa);
  const Vector& prediction = linearization->prediction();
  // d ll / d kappa = J' [weight (mean - G)]
  thread_local Vector residual;
  residual = observations_.weight.cwiseProduct(observations_.mean - prediction);
  gradient = linearization->jacobian_transposed(residual);
  return log_likelihood(observations_, prediction);
}

}  // namespace varimesh::inverse
