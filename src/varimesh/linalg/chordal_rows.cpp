#include "varimesh/linalg/chordal_rows.h"

#include "varimesh/cancellation.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/simd_clones.h"

namespace varimesh::linalg {
namespace {

constexpr double one = 1, minus_one = -1, zero = 0;

/// Whether a clique is so much work that a request to end should be heard before.
bool is_large(const CliqueTree::Clique& c, int few) { return 1.0 * c.columns * c.rows * few > 1e6; }

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
    // [x1 x2] <- [x1 L11^-T, x2 - x1 L11^-T L21']
    const CliqueTree::Clique c = tree.clique(k);
    if (is_large(c, few)) throw_if_interrupted();
    const double* l = factor.data() + c.entries;
    const int separator = c.separator();
    double* x1 = x.col(c.first).data();
    dtrsm_("R", "L", "T", "N", &few, &c.columns, &one, l, &c.rows, x1, &few);
    if (separator == 0) continue;
    dgemm_("N", "T", &few, &separator, &c.columns, &one, x1, &few, l + c.columns, &c.rows, &zero, scratch.data(), &few);
    for (Index i = 0; i < separator; ++i) x.col(c.members[c.columns + i]) -= scratch.col(i);
  }
}

void chordal_solve_upper_rows(const CliqueTree& tree, const Vector& factor, Matrix& x) {
  if (x.rows() == 1) return chordal_solve_upper(tree, factor, as_column(x));
  const int few = static_cast<int>(x.rows());
  Matrix scratch(few, tree.largest_separator());
  for (Index k = tree.num_cliques(); k-- > 0;) {
    // x1 <- (x1 - x2 L21) L11^-1
    const CliqueTree::Clique c = tree.clique(k);
    if (is_large(c, few)) throw_if_interrupted();
    const double* l = factor.data() + c.entries;
    const int separator = c.separator();
    double* x1 = x.col(c.first).data();
    if (separator > 0) {
      for (Index i = 0; i < separator; ++i) scratch.col(i) = x.col(c.members[c.columns + i]);
      dgemm_("N", "N", &few, &c.columns, &separator, &minus_one, scratch.data(), &few, l + c.columns, &c.rows, &one, x1,
             &few);
    }
    dtrsm_("R", "L", "N", "N", &few, &c.columns, &one, l, &c.rows, x1, &few);
  }
}

Matrix rows_times(const Matrix& x, const SparseMatrix& m) {
  Matrix y(x.rows(), m.cols());
  add_columns(static_cast<Index>(m.cols()), x.rows(), m.outerIndexPtr(), m.innerIndexPtr(), m.valuePtr(), x.data(),
              y.data());
  return y;
}

}  // namespace varimesh::linalg
