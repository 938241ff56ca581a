#pragma once

#include <cmath>
#include <limits>

#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// The value that stands out among many, and whose it is; NaN and -1 if there is none.
struct Extreme {
  double value = std::numeric_limits<double>::quiet_NaN();
  Index index = -1;
};

/// The first of the values with the largest score; NaN has none.
template <class Value, class Score>
Extreme find_extreme(Index count, const Value& value, const Score& score) {
  Extreme found;
  for (Index i = 0; i < count; ++i) {
    const double candidate = value(i);
    if (std::isnan(candidate)) continue;
    if (found.index < 0 || score(candidate) > score(found.value)) found = {candidate, i};
  }
  return found;
}

}  // namespace varimesh::diagnostics
