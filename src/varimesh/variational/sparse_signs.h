#pragma once

#include <cstdint>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::variational {

/// A random test matrix Omega (rows x columns): every row has a few entries +-1/sqrt(few), at random columns, and is
/// zero elsewhere. Sketches with it are about as good as with Gaussian matrices (Martinsson and Tropp 2020,
/// section 9.2), at a cost and in a memory that do not depend on the number of columns. A square one, which is to
/// see all, is the identity.
class SparseSigns {
 public:
  SparseSigns(Index rows, Index columns, std::uint64_t seed);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }

  /// Omega' X, columns of X on several threads.
  Matrix transposed_times(const Eigen::Ref<const Matrix>& x, int threads) const;
  /// The columns first, first + 1, ... of Omega.
  Matrix dense(Index first, Index count) const;
  /// Adds factor times the rows first, first + 1, ... of Omega's first columns to the rows of y.
  void add_rows_to(Index first, Matrix& y, double factor) const;
  /// Omega' Omega of the first columns.
  Matrix gram(Index columns) const;

 private:
  static Index column(Index entry) { return entry / 2; }
  double value(Index entry) const { return entry % 2 == 0 ? size_ : -size_; }

  Index rows_, columns_, per_row_;
  double size_;                 ///< of an entry that is not zero
  std::vector<Index> entries_;  ///< of row after row: 2 c for a plus in column c, 2 c + 1 for a minus
};

}  // namespace varimesh::variational
