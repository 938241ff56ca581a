#pragma once

#include "varimesh/variational/curvature.h"
#include "varimesh/variational/low_rank.h"
#include "varimesh/variational/sparse_precision.h"

namespace varimesh::variational {

/// A sparse precision matrix S sees what data say close by; the few directions in which it is most wrong reach across
/// the domain. With P the precision of the local quadratic model, the prior's plus the curvature, and R R' = S^-1,
///
///   R'P R - I = U diag(mu) U' + a rest,     Q = S + R^-T U diag(mu) U' R^-1,
///
/// for the `rank` directions that gain most: 1/2 (mu - log(1 + mu)) nats each.
std::unique_ptr<LowRank> add_low_rank(const SparsePrecision& q, const inverse::GaussianPrior& prior,
                                      const Curvature& curvature, Index rank);

}  // namespace varimesh::variational
