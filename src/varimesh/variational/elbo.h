#pragma once

#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/family.h"

namespace varimesh::variational {

/// A Monte Carlo estimate of the evidence lower bound E_q[log p(y | kappa)] - KL(q || prior).
struct ElboEstimate {
  double value = 0;
  double standard_error = 0;
  Index samples = 0;
};

/// Antithetic standard normals: `count` columns (even), of which each second is minus the one before.
Matrix antithetic_normals(Index size, Index count, Random& random);

/// Means of antithetic pairs of values.
Vector pair_means(const Vector& values);

/// From `samples` draws of q (rounded up to four or more antithetic pairs from each component). Minus infinity if the
/// model fails at a draw.
ElboEstimate estimate_elbo(Evaluator& evaluator, const Family& q, Index samples, Random& random);

}  // namespace varimesh::variational
