#pragma once

#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/mean_field.h"
#include "varimesh/variational/natural_step.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational {

// What natural_step chooses from, one for each family.

std::unique_ptr<NaturalStep> natural_step(const MeanField& q, const inverse::GaussianPrior& prior, Curvature& curvature,
                                          const Vector& gradient);
std::unique_ptr<NaturalStep> natural_step(const FullCovariance& q, const inverse::GaussianPrior& prior,
                                          const Curvature& curvature, const Vector& gradient);
std::unique_ptr<NaturalStep> natural_step(const SparsePrecision& q, const inverse::GaussianPrior& prior,
                                          Curvature& curvature, const Vector& gradient, double tolerance, int threads);

}  // namespace varimesh::variational
