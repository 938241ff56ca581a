#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "varimesh/linalg/lower_pattern.h"

namespace varimesh::linalg {

/// Whether supernodes may be merged into larger ones at the price of entries that the factor did not have.
enum class Amalgamation { none, relaxed };

/// Consecutive columns of a Cholesky factor that are stored as one dense trapezoid, with the rows that they have in
/// common.
struct Supernodes {
  std::vector<Index> first;            ///< column of each, then the number of columns
  std::vector<std::size_t> row_start;  ///< where the rows of each begin, then their number
  std::vector<Index> row;              ///< ascending: the supernode's own columns, then those below

  Index size() const { return static_cast<Index>(first.size()) - 1; }
  Index columns(Index s) const { return first[s + 1] - first[s]; }
  std::span<const Index> rows(Index s) const {
    return std::span(row).subspan(row_start[s], row_start[s + 1] - row_start[s]);
  }
};

/// The supernodes of a pattern that is eliminated as numbered. `count` has the number of entries in each column of its
/// factor.
Supernodes find_supernodes(const LowerPattern& pattern, std::span<const Index> count, Amalgamation amalgamation);

}  // namespace varimesh::linalg
