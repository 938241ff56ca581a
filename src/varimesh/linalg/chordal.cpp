#include "varimesh/linalg/chordal.h"

#include <cmath>

#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/clique_traversal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/divided_blas.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::linalg {
namespace {

using Clique = CliqueTree::Clique;

/// A clique's block of L with zeros above the diagonal.
Matrix lower_block(const Vector& factor, const Clique& c) {
  Matrix l = block_of(factor, c);
  l.topRows(c.columns).triangularView<Eigen::StrictlyUpper>().setZero();
  return l;
}

using enum Transpose;

/// X <- X L11^-T, or X L11^-1, for L11 the leading triangle of a clique's block.
void solve_from_right(const char* transposed, const double* l, int ld, int columns, double* x, int rows, int ldx) {
  if (rows > 0) divided_blas.solve_right(transposed, rows, columns, l, ld, x, ldx);
}

/// X <- (L L')^-1 X
void solve_both(const Matrix& l, Matrix& x) {
  const auto rows = static_cast<int>(l.rows()), columns = static_cast<int>(x.cols());
  divided_blas.solve_left("N", rows, columns, l.data(), rows, x.data(), rows);
  divided_blas.solve_left("T", rows, columns, l.data(), rows, x.data(), rows);
}

bool cholesky_in_place(double* a, int n, int ld) { return n == 0 || divided_blas.cholesky(n, a, ld); }

}  // namespace

bool chordal_cholesky(const CliqueTree& tree, Vector& values, int threads) {
  return visit_upward(tree, threads, [&](const Clique& c, Matrix& front) {
    front.leftCols(c.columns) += block_of(values, c);
    const int ld = c.rows, separator = c.separator();
    double* f21 = front.data() + c.columns;
    double* f22 = front.data() + static_cast<std::ptrdiff_t>(c.columns) * (ld + 1);
    // F11 = L11 L11', L21 = F21 L11^-T, F22 <- F22 - L21 L21'
    if (!cholesky_in_place(front.data(), c.columns, ld)) return false;
    solve_from_right("T", front.data(), ld, c.columns, f21, separator, ld);
    if (separator > 0) divided_blas.syrk("N", separator, c.columns, -1, f21, ld, 1, f22, ld);
    block_of(values, c) = front.leftCols(c.columns);
    const auto diagonal = front.diagonal().head(c.columns).array();
    return (diagonal > 0).all() && diagonal.allFinite();
  });
}

Vector chordal_product(const CliqueTree& tree, const Vector& factor, int threads) {
  Vector values(factor.size());
  visit_upward(tree, threads, [&](const Clique& c, Matrix& front) {
    const Matrix l = lower_block(factor, c);
    const int rows = c.rows;
    divided_blas.syrk("N", rows, c.columns, 1, l.data(), rows, 1, front.data(), rows);
    block_of(values, c) = front.leftCols(c.columns);
    return true;
  });
  return values;
}

double chordal_log_determinant(const CliqueTree& tree, const Vector& factor) {
  double sum = 0;
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    sum += 2 * block_of(factor, tree.clique(k)).diagonal().array().log().sum();
  }
  return sum;
}

void chordal_solve_lower(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x) {
  Matrix scratch(tree.largest_separator(), x.cols());
  const int cols = static_cast<int>(x.cols()), stride = static_cast<int>(x.outerStride());
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const Supernode s = supernode_of(factor, tree.clique(k));
    if (is_large(s, cols)) throw_if_interrupted();
    solve_forward(s, x.data(), cols, stride, scratch.data());
  }
}

void chordal_solve_upper(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x) {
  Matrix scratch(tree.largest_separator(), x.cols());
  const int cols = static_cast<int>(x.cols()), stride = static_cast<int>(x.outerStride());
  for (Index k = tree.num_cliques(); k-- > 0;) {
    const Supernode s = supernode_of(factor, tree.clique(k));
    if (is_large(s, cols)) throw_if_interrupted();
    solve_backward(s, x.data(), cols, stride, scratch.data());
  }
}

void chordal_multiply_lower(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x) {
  // [x1; x2] <- [L11 x1; x2 + L21 x1], the last columns first
  Matrix below(tree.largest_separator(), x.cols());
  const int cols = static_cast<int>(x.cols()), stride = static_cast<int>(x.outerStride());
  for (Index k = tree.num_cliques() - 1; k >= 0; --k) {
    const Clique c = tree.clique(k);
    if (is_large(supernode_of(factor, c), cols)) throw_if_interrupted();
    const auto l = block_of(factor, c);
    auto scattered = below.topRows(c.separator());
    multiply(no, no, 1, l.bottomRows(c.separator()), x.middleRows(c.first, c.columns), 0, scattered);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < c.separator(); ++i) x(c.members[c.columns + i], j) += scattered(i, j);
    }
    dtrmm_("L", "L", "N", "N", &c.columns, &cols, &one, l.data(), &c.rows, x.data() + c.first, &stride);
  }
}

void chordal_multiply_upper(const CliqueTree& tree, const Vector& factor, Eigen::Ref<Matrix> x) {
  // x1 <- L11' x1 + L21' x2, the first columns first
  Matrix below(tree.largest_separator(), x.cols());
  const int cols = static_cast<int>(x.cols()), stride = static_cast<int>(x.outerStride());
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const Clique c = tree.clique(k);
    if (is_large(supernode_of(factor, c), cols)) throw_if_interrupted();
    const auto l = block_of(factor, c);
    auto gathered = below.topRows(c.separator());
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < c.separator(); ++i) gathered(i, j) = x(c.members[c.columns + i], j);
    }
    dtrmm_("L", "L", "T", "N", &c.columns, &cols, &one, l.data(), &c.rows, x.data() + c.first, &stride);
    multiply(yes, no, 1, l.bottomRows(c.separator()), gathered, 1, x.middleRows(c.first, c.columns));
  }
}

Vector chordal_selected_inverse(const CliqueTree& tree, const Vector& factor, int threads) {
  Vector sigma(factor.size());
  visit_downward<1>(tree, threads, [&](const Clique& c, std::array<Matrix, 1>& fronts) {
    Matrix& s = fronts[0];
    const int ld = c.rows, separator = c.separator();
    // Z = L21 L11^-1;  Sigma21 = -Sigma22 Z;  Sigma11 = L11^-T L11^-1 - Z' Sigma21
    Matrix l = block_of(factor, c);
    double* z = l.data() + c.columns;
    double* s21 = s.data() + c.columns;
    const double* s22 = s.data() + static_cast<std::ptrdiff_t>(c.columns) * (ld + 1);
    solve_from_right("N", l.data(), ld, c.columns, z, separator, ld);
    if (separator > 0) divided_blas.symm(separator, c.columns, -1, s22, ld, z, ld, s21, ld);
    divided_blas.invert_cholesky(c.columns, l.data(), ld);
    s.topLeftCorner(c.columns, c.columns) = l.topRows(c.columns);
    multiply(yes, no, -1, l.bottomRows(separator), s.bottomLeftCorner(separator, c.columns), 1,
             s.topLeftCorner(c.columns, c.columns));
    block_of(sigma, c) = s.leftCols(c.columns);
    return true;
  });
  return sigma;
}

Vector chordal_fisher_projection(const CliqueTree& tree, const Vector& factor, const Vector& sigma, const Vector& g,
                                 int threads) {
  // Over cliques C and separators s, with A_C = Sigma_CC^-1 = L_C L_C' + A_s and A_s = Sigma_ss^-1 (padded by zeros),
  //   B = sum_C A_C G_CC A_C - A_s G_ss A_s = sum_C L_C K_C' + K_C L_C',   K_C = L_C (L_C' G L_C) / 2 + A_s G L_C.
  Vector k_values(factor.size());
  visit_downward<2>(tree, threads, [&](const Clique& c, std::array<Matrix, 2>& fronts) {
    Matrix& s = fronts[0];
    Matrix& gc = fronts[1];
    const int ld = c.rows, separator = c.separator();
    s.leftCols(c.columns) = block_of(sigma, c);
    gc.leftCols(c.columns) = block_of(g, c);
    const Matrix l = lower_block(factor, c);
    Matrix h(c.rows, c.columns);
    divided_blas.symm(ld, c.columns, 1, gc.data(), ld, l.data(), ld, h.data(), ld);
    auto k = block_of(k_values, c);
    Matrix m(c.columns, c.columns);
    multiply(yes, no, 1, l, h, 0, m);
    multiply(no, no, 0.5, l, m, 0, k);
    if (separator > 0) {
      Matrix root = s.bottomRightCorner(separator, separator);
      Matrix n = h.bottomRows(separator);
      cholesky_in_place(root.data(), separator, separator);  // if it fails, no step along the result succeeds
      solve_both(root, n);
      k.bottomRows(separator) += n;
    }
    return true;
  });
  Vector b(factor.size());
  visit_upward(tree, threads, [&](const Clique& c, Matrix& front) {
    const Matrix l = lower_block(factor, c);
    const int rows = c.rows;
    divided_blas.syr2k(rows, c.columns, 1, l.data(), rows, block_of(k_values, c).data(), rows, front.data(), rows);
    block_of(b, c) = front.leftCols(c.columns);
    return true;
  });
  return b;
}

Vector chordal_congruence(const CliqueTree& tree, const Vector& factor, const Vector& sigma, const Vector& v,
                          int threads) {
  // Eliminating a clique's own columns, Q = [L11 0; L21 I] diag(I, S) [L11' L21'; 0 I], turns V as it turns Q:
  //   P = L11^-1 V11 L11^-T,  N = V21 L11^-T,  Y = N - L21 P,  V22 <- V22 - L21 K' - K L21',  K = (N + Y) / 2.
  Vector result(factor.size());  // first P over Y, then Sigma V Sigma
  visit_upward(tree, threads, [&](const Clique& c, Matrix& front) {
    const int ld = c.rows, separator = c.separator();
    front.leftCols(c.columns) += block_of(v, c);
    auto v11 = front.topLeftCorner(c.columns, c.columns);
    v11.triangularView<Eigen::StrictlyUpper>() = v11.transpose();
    const auto l = block_of(factor, c);
    auto py = block_of(result, c);
    py = front.leftCols(c.columns);
    solve_from_right("T", l.data(), ld, c.columns, py.data(), ld, ld);
    divided_blas.solve_left("N", c.columns, c.columns, l.data(), ld, py.data(), ld);
    if (separator > 0) {
      Matrix k = py.bottomRows(separator);
      multiply(no, no, -1, l.bottomRows(separator), py.topRows(c.columns), 1, py.bottomRows(separator));
      k = 0.5 * (k + py.bottomRows(separator));
      double* v22 = front.data() + static_cast<std::ptrdiff_t>(c.columns) * (ld + 1);
      divided_blas.syr2k(separator, c.columns, -1, l.data() + c.columns, ld, k.data(), separator, v22, ld);
    }
    return true;
  });
  // With D = Sigma V Sigma known on the separator and H = Sigma22 Y:
  //   X = H - D22 L21,  D21 = X L11^-1,  D11 = L11^-T (P - L21' H - X' L21) L11^-1.
  visit_downward<2>(tree, threads, [&](const Clique& c, std::array<Matrix, 2>& fronts) {
    Matrix& s = fronts[0];
    Matrix& d = fronts[1];
    const int ld = c.rows, separator = c.separator();
    s.leftCols(c.columns) = block_of(sigma, c);
    const auto l = block_of(factor, c);
    auto block = block_of(result, c);
    if (separator > 0) {
      const auto l21 = l.bottomRows(separator);
      auto x = block.bottomRows(separator);
      Matrix h(separator, c.columns);
      multiply(no, no, 1, s.bottomRightCorner(separator, separator), x, 0, h);
      x = h;
      multiply(no, no, -1, d.bottomRightCorner(separator, separator), l21, 1, x);
      multiply(yes, no, -1, l21, h, 1, block.topRows(c.columns));
      multiply(yes, no, -1, x, l21, 1, block.topRows(c.columns));
    }
    solve_from_right("N", l.data(), ld, c.columns, block.data(), ld, ld);
    divided_blas.solve_left("T", c.columns, c.columns, l.data(), ld, block.data(), ld);
    d.leftCols(c.columns) = block;
    return true;
  });
  return result;
}

Vector chordal_factor_gradient(const CliqueTree& tree, const Vector& factor, const Vector& g, int threads) {
  Vector gradient(factor.size());
  visit_downward<1>(tree, threads, [&](const Clique& c, std::array<Matrix, 1>& fronts) {
    Matrix& gc = fronts[0];
    const int ld = c.rows;
    gc.leftCols(c.columns) = block_of(g, c);
    // dF = <G, dL L' + L dL'> = <2 G L, dL>
    const Matrix l = lower_block(factor, c);
    auto block = block_of(gradient, c);
    divided_blas.symm(ld, c.columns, 2, gc.data(), ld, l.data(), ld, block.data(), ld);
    block.topRows(c.columns).triangularView<Eigen::StrictlyUpper>().setZero();
    return true;
  });
  return gradient;
}

bool chordal_completion(const CliqueTree& tree, const Vector& sigma, Vector& factor, int threads) {
  factor.resize(sigma.size());
  return visit_downward<1>(tree, threads, [&](const Clique& c, std::array<Matrix, 1>& fronts) {
    Matrix& s = fronts[0];
    const int separator = c.separator();
    s.leftCols(c.columns) = block_of(sigma, c);
    // Y = Sigma_ss^-1 Sigma_sR, D = Sigma_RR - Sigma_Rs Y, L11 L11' = D^-1, L21 = -Y L11
    Matrix d = s.topLeftCorner(c.columns, c.columns);
    Matrix y = s.bottomLeftCorner(separator, c.columns);
    if (separator > 0) {
      Matrix root = s.bottomRightCorner(separator, separator);
      if (!cholesky_in_place(root.data(), separator, separator)) return false;
      solve_both(root, y);
      multiply(yes, no, -1, s.bottomLeftCorner(separator, c.columns), y, 1, d);
    }
    if (!cholesky_in_place(d.data(), c.columns, c.columns)) return false;
    divided_blas.invert_cholesky(c.columns, d.data(), c.columns);
    if (!cholesky_in_place(d.data(), c.columns, c.columns)) return false;
    auto l = block_of(factor, c);
    l.topRows(c.columns) = d.triangularView<Eigen::Lower>();
    multiply(no, no, -1, y, l.topRows(c.columns), 0, l.bottomRows(separator));
    return l.allFinite();
  });
}

Vector chordal_gram(const CliqueTree& tree, const Matrix& w, int threads) {
  Vector values(static_cast<Eigen::Index>(tree.num_entries()));
  const auto work = [&](const std::vector<Index>& cliques) {
    Matrix members;
    for (const Index k : cliques) {
      throw_if_interrupted();
      const Clique c = tree.clique(k);
      members.resize(w.rows(), c.rows);
      for (Index i = 0; i < c.rows; ++i) members.col(i) = w.col(c.members[i]);
      multiply(yes, no, 1, members, members.leftCols(c.columns), 0, block_of(values, c));
    }
  };
  const TreePartition partition = partition_tree(tree, threads);
  for_each_subtree(partition, threads, work);
  work(partition.top);
  return values;
}

}  // namespace varimesh::linalg
