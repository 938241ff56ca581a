#include "varimesh/variational/natural_step.h"

#include "varimesh/error.h"
#include "varimesh/variational/natural_families.h"

namespace varimesh::variational {

std::unique_ptr<NaturalStep> natural_step(const GaussianFamily& q, const inverse::GaussianPrior& prior,
                                          Curvature& curvature, const Vector& gradient, double tolerance, int threads) {
  if (const auto* mean_field = dynamic_cast<const MeanField*>(&q))
    return natural_step(*mean_field, prior, curvature, gradient);
  if (const auto* full = dynamic_cast<const FullCovariance*>(&q))
    return natural_step(*full, prior, curvature, gradient);
  if (const auto* low_rank = dynamic_cast<const LowRank*>(&q)) return natural_step(*low_rank, curvature, gradient);
  if (const auto* sparse = dynamic_cast<const SparsePrecision*>(&q))
    return natural_step(*sparse, prior, curvature, gradient, tolerance, threads);
  throw InputError("natural gradients know mean field, full covariance, low rank and sparse precision only");
}

}  // namespace varimesh::variational
