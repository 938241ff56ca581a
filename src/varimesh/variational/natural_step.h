#pragma once

#include <memory>
#include <optional>

#include "varimesh/variational/curvature.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// Where the natural gradient points from a normal q with precision Q: the mean along `direction`, the precision
/// towards the family's projection B of P = Q_prior + H. How far is decided on the quadratic model with fixed P,
///     F(mu, Q) = g' (mu' - mu) - 1/2 |mu' - mu|^2_P - 1/2 tr(P Q^-1) - 1/2 log det Q.
class NaturalStep {
 public:
  virtual ~NaturalStep() = default;

  struct Candidate {
    std::unique_ptr<GaussianFamily> q;
    double gain;  ///< what the change of the precision alone adds to F, in nats
  };
  /// The mean moved by `mean_scale` of its step, the precision by `precision_scale` of the way to the best one for F;
  /// none if that is not numerically positive definite.
  virtual std::optional<Candidate> take(double mean_scale, double precision_scale) const = 0;

  const Vector& direction() const { return direction_; }

 protected:
  explicit NaturalStep(Vector direction) : direction_(std::move(direction)) {}

 private:
  Vector direction_;
};

/// The step of q's family. `gradient` is that of the expected log posterior by the mean. Where the best precision
/// is found by iteration, that stops when it gains less than `tolerance` nats. Factorises the curvature, and keeps
/// references to all of them. Null if the curvature is not positive definite.
std::unique_ptr<NaturalStep> natural_step(const GaussianFamily& q, const inverse::GaussianPrior& prior,
                                          Curvature& curvature, const Vector& gradient, double tolerance, int threads);

}  // namespace varimesh::variational
