#include "varimesh/linalg/chordal_rows.h"

#include "varimesh/cancellation.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/supernode_rows.h"
#include "varimesh/simd_clones.h"

namespace varimesh::linalg {
namespace {

Eigen::Map<Matrix> as_column(Matrix& row) { return {row.data(), row.cols(), 1}; }

/// y_j = sum_i m_ij x_i for the columns j of M, with `few` numbers in each x_i and y_j.
VARIMESH_SIMD_CLONES void add_columns(Index size, std::ptrdiff_t few, const Index* start, const Index* row,
                                      const double* value, const double* x, double* __restrict y) {
  if (few == 1) {
    for (Index j = 0; j < size; ++j) {
      double sum = 0;
      for (Index e = start[j]; e < start[j + 1]; ++e) sum += value[e] * x[row[e]];
      y[j] = sum;
    }
    return;
  }
  for (Index j = 0; j < size; ++j, y += few) {
    for (std::ptrdiff_t k = 0; k < few; ++k) y[k] = 0;
    for (Index e = start[j]; e < start[j + 1]; ++e) {
      const double m = value[e];
      const double* from = x + row[e] * few;
      for (std::ptrdiff_t k = 0; k < few; ++k) y[k] += m * from[k];
    }
  }
}

}  // namespace

void chordal_solve_lower_rows(const CliqueTree& tree, const Vector& factor, Matrix& x) {
  if (x.rows() == 1) return chordal_solve_lower(tree, factor, as_column(x));
  const int few = static_cast<int>(x.rows());
  Matrix scratch(few, tree.largest_separator());
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const Supernode s = supernode_of(factor, tree.clique(k));
    if (is_large(s, few)) throw_if_interrupted();
    solve_forward_rows(s, x.data(), few, scratch.data());
  }
}

void chordal_solve_upper_rows(const CliqueTree& tree, const Vector& factor, Matrix& x) {
  if (x.rows() == 1) return chordal_solve_upper(tree, factor, as_column(x));
  const int few = static_cast<int>(x.rows());
  Matrix scratch(few, tree.largest_separator());
  for (Index k = tree.num_cliques(); k-- > 0;) {
    const Supernode s = supernode_of(factor, tree.clique(k));
    if (is_large(s, few)) throw_if_interrupted();
    solve_backward_rows(s, x.data(), few, scratch.data());
  }
}

Matrix rows_times(const Matrix& x, const SparseMatrix& m) {
  Matrix y(x.rows(), m.cols());
  add_columns(static_cast<Index>(m.cols()), x.rows(), m.outerIndexPtr(), m.innerIndexPtr(), m.valuePtr(), x.data(),
              y.data());
  return y;
}

}  // namespace varimesh::linalg
