#include "varimesh/inverse/gaussian_likelihood.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

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
  const double value = log_likelihood(observations_, prediction);
  if (!std::isfinite(value)) {
    gradient.setConstant(num_parameters(), std::numeric_limits<double>::quiet_NaN());
    return value;
  }
  // d ll / d kappa = J' d ll / dG
  gradient = linearization->jacobian_transposed(log_likelihood_slope(observations_, prediction));
  return value;
}

}  // namespace varimesh::inverse
