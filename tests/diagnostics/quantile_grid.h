#pragma once

#include "varimesh/types.h"

namespace varimesh::diagnostics::test {

/// The values at the levels (i - 1/2) / count of a distribution with this quantile function: a sample without noise.
template <class Quantile>
Vector quantile_grid(Index count, const Quantile& quantile) {
  Vector values(count);
  for (Index i = 0; i < count; ++i) values[i] = quantile((i + 0.5) / count);
  return values;
}

}  // namespace varimesh::diagnostics::test
