#pragma once

#include <memory>

#include "varimesh/inverse/forward_model.h"
#include "varimesh/inverse/log_likelihood.h"
#include "varimesh/inverse/observations.h"

namespace varimesh::inverse {

/// log p(y | kappa) of measurements, through a forward model.
class GaussianLikelihood final : public LogLikelihood {
 public:
  /// Throws InputError if model and observations differ in the number of sensors.
  GaussianLikelihood(std::shared_ptr<const ForwardModel> model, Observations observations);

  Index num_parameters() const override { return model_->num_parameters(); }
  double value(const Vector& kappa) const override;
  double value_and_gradient(const Vector& kappa, Vector& gradient) const override;

  const ForwardModel& model() const { return *model_; }
  /// For those that outlive the likelihood.
  const std::shared_ptr<const ForwardModel>& shared_model() const { return model_; }
  const Observations& observations() const { return observations_; }

 private:
  std::shared_ptr<const ForwardModel> model_;
  Observations observations_;
};

}  // namespace varimesh::inverse
