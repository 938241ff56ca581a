#pragma once

#include <memory>
#include <vector>

#include "varimesh/inverse/forward_model.h"
#include "varimesh/inverse/observations.h"

namespace varimesh::inverse {

/// Several experiments on the same unknowns as one forward model, whose predictions are theirs one after the other.
/// With their stacked observations its likelihood is the product of their likelihoods.
class StackedModel final : public ForwardModel {
 public:
  /// One experiment, and which of all unknowns are its own, in its order; none: all of them.
  struct Part {
    std::shared_ptr<const ForwardModel> model;
    std::vector<Index> unknowns = {};
  };

  /// Throws InputError if there is no part, or one whose model has another number of unknowns than it is given, or that
  /// is given an unknown twice, or one that there is not.
  StackedModel(Index num_parameters, std::vector<Part> parts);

  Index num_parameters() const override { return setup_->num_parameters; }
  Index num_predictions() const override { return setup_->start.back(); }
  Vector predict(const Vector& kappa) const override;
  std::unique_ptr<Linearization> linearize(const Vector& kappa) const override;

  std::size_t num_parts() const { return setup_->parts.size(); }
  /// The first prediction of a part; of the number of parts, that of all predictions.
  Index first_prediction(std::size_t part) const { return setup_->start[part]; }

 private:
  /// Shared with the linearizations, which may outlive the model.
  struct Setup {
    Index num_parameters = 0;
    std::vector<Part> parts;
    std::vector<Index> start{0};
  };
  class StackedLinearization;

  std::shared_ptr<const Setup> setup_;
};

/// The observations of several experiments, whose errors are independent, as those of one.
Observations stack(const std::vector<Observations>& experiments);

}  // namespace varimesh::inverse
