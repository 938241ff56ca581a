#pragma once

#include <algorithm>

#include "varimesh/types.h"

namespace varimesh::linalg {

/// Calls visit(i, j) for all rows i and columns j, in tiles that fit the cache whichever way a matrix is stored.
template <class Visit>
void for_tiles(Eigen::Index rows, Eigen::Index columns, const Visit& visit) {
  constexpr Eigen::Index height = 64;
  for (Eigen::Index first = 0; first < rows; first += height) {
    const Eigen::Index end = std::min(first + height, rows);
    for (Eigen::Index j = 0; j < columns; ++j) {
      for (Eigen::Index i = first; i < end; ++i) visit(i, j);
    }
  }
}

/// Y <- X' for a block X of columns, which has few of them.
template <class Block>
void columns_to_rows(const Block& x, Matrix& rows) {
  for_tiles(x.rows(), x.cols(), [&](Eigen::Index i, Eigen::Index j) { rows(j, i) = x(i, j); });
}

/// And back.
inline void rows_to_columns(const Matrix& rows, Eigen::Ref<Matrix> x) {
  for_tiles(x.rows(), x.cols(), [&](Eigen::Index i, Eigen::Index j) { x(i, j) = rows(j, i); });
}

}  // namespace varimesh::linalg
