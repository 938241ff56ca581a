#pragma once

#include "varimesh/variational/full_covariance.h"
#include "varimesh/variational/low_rank.h"
#include "varimesh/variational/mean_field.h"
#include "varimesh/variational/natural_step.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational {

// What natural_step chooses from, one for each family.

/// Unknowns from which on an iteration for the best sparse precision matrix is as dear as evaluating the model at many
/// draws, so that one makes only a few at a time.
constexpr Index large_problem = 5000;

std::unique_ptr<NaturalStep> natural_step(const MeanField& q, const inverse::GaussianPrior& prior, Curvature& curvature,
                                          const Vector& gradient);
std::unique_ptr<NaturalStep> natural_step(const FullCovariance& q, const inverse::GaussianPrior& prior,
                                          const Curvature& curvature, const Vector& gradient);
std::unique_ptr<NaturalStep> natural_step(const LowRank& q, Curvature& curvature, const Vector& gradient);
std::unique_ptr<NaturalStep> natural_step(const SparsePrecision& q, const inverse::GaussianPrior& prior,
                                          Curvature& curvature, const Vector& gradient, double tolerance, int threads);

}  // namespace varimesh::variational
