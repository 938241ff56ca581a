#pragma once

#include "varimesh/types.h"

namespace varimesh::linalg {

/// y <- A x for a matrix of few columns, one at least.
void times_few(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y);

}  // namespace varimesh::linalg
