#include "varimesh/variational/sparse_signs.h"

#include <algorithm>
#include <cmath>

#include "varimesh/parallel.h"
#include "varimesh/random.h"
#include "varimesh/random_streams.h"

namespace varimesh::variational {

SparseSigns::SparseSigns(Index rows, Index columns, std::uint64_t seed)
    : rows_(rows),
      columns_(columns),
      per_row_(columns >= rows ? 1 : std::min<Index>(8, columns)),
      size_(1 / std::sqrt(per_row_)) {
  Random random(seed, random_streams::test_matrix);
  entries_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(per_row_));
  if (columns >= rows) {
    for (Index i = 0; i < rows; ++i) entries_[static_cast<std::size_t>(i)] = 2 * i;
    return;
  }
  for (Index* row = entries_.data(); row != entries_.data() + entries_.size(); row += per_row_) {
    for (Index k = 0; k < per_row_;) {
      const Index entry = std::min(static_cast<Index>(random.uniform() * 2 * columns), 2 * columns - 1);
      if (std::none_of(row, row + k, [&](Index other) { return column(other) == column(entry); })) row[k++] = entry;
    }
  }
}

Matrix SparseSigns::transposed_times(const Eigen::Ref<const Matrix>& x, int threads) const {
  Matrix result = Matrix::Zero(columns_, x.cols());
  parallel_for(static_cast<Index>(x.cols()), threads, [&](Index j) {
    const double* value = x.col(j).data();
    double* sum = result.col(j).data();
    const Index* entry = entries_.data();
    for (Index i = 0; i < rows_; ++i) {
      const double signed_value[2] = {size_ * value[i], -size_ * value[i]};
      for (Index k = 0; k < per_row_; ++k, ++entry) sum[column(*entry)] += signed_value[*entry & 1];
    }
  });
  return result;
}

Matrix SparseSigns::dense(Index first, Index count) const {
  Matrix result = Matrix::Zero(rows_, count);
  const Index* entry = entries_.data();
  for (Index i = 0; i < rows_; ++i) {
    for (Index k = 0; k < per_row_; ++k, ++entry) {
      const Index j = column(*entry) - first;
      if (j >= 0 && j < count) result(i, j) = value(*entry);
    }
  }
  return result;
}

void SparseSigns::add_rows_to(Index first, Matrix& y, double factor) const {
  const Index* entry = entries_.data() + static_cast<std::ptrdiff_t>(first) * per_row_;
  for (Eigen::Index i = 0; i < y.rows(); ++i) {
    for (Index k = 0; k < per_row_; ++k, ++entry) {
      if (column(*entry) < y.cols()) y(i, column(*entry)) += factor * value(*entry);
    }
  }
}

Matrix SparseSigns::gram(Index columns) const {
  Matrix result = Matrix::Zero(columns_, columns_);
  const Index* row = entries_.data();
  for (Index i = 0; i < rows_; ++i, row += per_row_) {
    for (Index a = 0; a < per_row_; ++a) {
      for (Index b = 0; b < per_row_; ++b) result(column(row[a]), column(row[b])) += value(row[a]) * value(row[b]);
    }
  }
  return result.topLeftCorner(columns, columns);
}

}  // namespace varimesh::variational
