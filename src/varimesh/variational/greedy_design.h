#pragma once

#include <vector>

#include "varimesh/types.h"

namespace varimesh::variational {

/// Sensors chosen one after the other, each the one that is expected to tell most beside those before it.
struct GreedyDesign {
  std::vector<Index> chosen;  ///< in order
  Vector gains;               ///< of each, in nats
  Vector alone;               ///< what each candidate would tell if it were the first
  Vector variance;            ///< of the quantity, before any sensor and after each; empty without one
};

/// Among linear(ised) candidates y_c = a_c' z + noise of sd 1, z ~ N(0, I), the columns of A; every candidate is taken
/// once at most. With C = (I + A_S A_S')^-1 after the sensors S, the next one tells about the field, or about a
/// quantity b'z if b is not empty,
///
///   1/2 log(1 + a'C a),      1/2 log( b'C b / (b'C b - (a'C b)^2 / (1 + a'C a)) ).
GreedyDesign choose_greedily(const Matrix& a, const Vector& b, Index count);

}  // namespace varimesh::variational
