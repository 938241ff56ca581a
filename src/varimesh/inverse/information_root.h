#pragma once

#include "varimesh/inverse/observations.h"

namespace varimesh::inverse {

/// A with A'A the curvature of -log p(y | G) in the predictions G: Gamma^-1/2 if the noise is normal, so that A J is a
/// factor of the information on kappa. It refers to the observations.
class InformationRoot {
 public:
  explicit InformationRoot(const Observations& observations, noise::Bend bend = noise::Bend::observed);

  Index size() const { return observations_->size(); }
  /// X <- A X and X <- A'X, A at these predictions.
  void multiply(const Vector& prediction, Eigen::Ref<Matrix> x) const;
  void multiply_transposed(const Vector& prediction, Eigen::Ref<Matrix> x) const;

 private:
  const Observations* observations_;
  noise::Bend bend_;
  Vector root_weight_;  ///< of noise that is independent and normal
};

}  // namespace varimesh::inverse
