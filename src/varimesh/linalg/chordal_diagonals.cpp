#include "varimesh/linalg/chordal_diagonals.h"

#include "varimesh/linalg/clique_traversal.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/linalg/divided_blas.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::linalg {
namespace {

using Clique = CliqueTree::Clique;

using enum Transpose;

/// P over Y of every clique, as V = C is eliminated together with Q (chordal_congruence of chordal.cpp):
///   P = L11^-1 V11 L11^-T,  N = V21 L11^-T,  Y = N - L21 P,  V22 <- V22 - L21 K' - K L21',  K = (N + Y) / 2.
Vector eliminate(const CliqueTree& tree, const Vector& factor, const Vector& diagonal, int threads) {
  Vector result(factor.size());
  visit_upward(tree, threads, [&](const Clique& c, Matrix& front) {
    const int ld = c.rows, separator = c.separator();
    front.diagonal().head(c.columns) += diagonal.segment(c.first, c.columns);
    auto v11 = front.topLeftCorner(c.columns, c.columns);
    v11.triangularView<Eigen::StrictlyUpper>() = v11.transpose();
    const auto l = block_of(factor, c);
    auto py = block_of(result, c);
    py = front.leftCols(c.columns);
    divided_blas.solve_right("T", ld, c.columns, l.data(), ld, py.data(), ld);
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
  return result;
}

}  // namespace

InverseDiagonals chordal_inverse_diagonals(const CliqueTree& tree, const Vector& factor, const Vector& c_diagonal,
                                           int threads) {
  Vector eliminated = eliminate(tree, factor, c_diagonal, threads);
  InverseDiagonals result{Vector(tree.size()), Vector(tree.size())};
  // With Sigma and D = Sigma C Sigma known on the separator, Z = L21 L11^-1 and H = Sigma22 Y:
  //   Sigma21 = -Sigma22 Z,  Sigma11 = L11^-T L11^-1 - Z' Sigma21,
  //   X = H - D22 L21,  D21 = X L11^-1,  D11 = L11^-T (P - L21' H - X' L21) L11^-1.
  visit_downward<2>(tree, threads, [&](const Clique& c, std::array<Matrix, 2>& fronts) {
    Matrix& s = fronts[0];
    Matrix& d = fronts[1];
    const int ld = c.rows, separator = c.separator();
    const auto l = block_of(factor, c);
    auto py = block_of(eliminated, c);
    Matrix z = l;
    if (separator > 0) {
      divided_blas.solve_right("N", separator, c.columns, l.data(), ld, z.data() + c.columns, ld);
      const auto l21 = l.bottomRows(separator);
      auto x = py.bottomRows(separator);
      Matrix h(separator, c.columns);
      multiply(no, no, 1, s.bottomRightCorner(separator, separator), x, 0, h);
      x = h;
      multiply(no, no, -1, d.bottomRightCorner(separator, separator), l21, 1, x);
      multiply(yes, no, -1, l21, h, 1, py.topRows(c.columns));
      multiply(yes, no, -1, x, l21, 1, py.topRows(c.columns));
      multiply(no, no, -1, s.bottomRightCorner(separator, separator), z.bottomRows(separator), 0,
               s.bottomLeftCorner(separator, c.columns));
    }
    divided_blas.invert_cholesky(c.columns, z.data(), ld);
    s.topLeftCorner(c.columns, c.columns) = z.topRows(c.columns);
    multiply(yes, no, -1, z.bottomRows(separator), s.bottomLeftCorner(separator, c.columns), 1,
             s.topLeftCorner(c.columns, c.columns));
    divided_blas.solve_right("N", ld, c.columns, l.data(), ld, py.data(), ld);
    divided_blas.solve_left("T", c.columns, c.columns, l.data(), ld, py.data(), ld);
    d.leftCols(c.columns) = py;
    result.inverse.segment(c.first, c.columns) = s.diagonal().head(c.columns);
    result.congruence.segment(c.first, c.columns) = py.diagonal();
    return true;
  });
  return result;
}

}  // namespace varimesh::linalg
