#pragma once

#include "varimesh/types.h"

namespace varimesh {

/// log sum_k exp(a_k) for every column, without overflow; minus infinity where every a_k is.
Vector log_sum_exp(const Eigen::Ref<const Matrix>& a);

}  // namespace varimesh
