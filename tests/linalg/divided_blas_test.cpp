#include "varimesh/linalg/divided_blas.h"

#include <gtest/gtest.h>

#include "countdown.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/random.h"
#include "varimesh/types.h"

namespace varimesh::linalg {
namespace {

// Pieces of the smallest size against one call: rounding of sums of up to 60 terms of order one.
constexpr double tolerance = 1e-11;
constexpr DividedBlas pieces{100}, whole{1e18};

/// Sizes around those of blocks, and degenerate ones.
const std::vector<std::array<int, 3>> sizes = {{1, 1, 1},  {2, 3, 1},    {1, 40, 2},
                                               {33, 5, 7}, {16, 17, 60}, {47, 47, 31}};

Matrix random_matrix(Index rows, Index columns) {
  Random random(5);
  return random.normal_matrix(rows, columns);
}

/// Lower triangular and well conditioned, with numbers above the diagonal that nobody may read.
Matrix random_lower(Index n) {
  Matrix l = 0.2 * random_matrix(n, n);
  l.diagonal().array() = 1 + l.diagonal().array().abs();
  return l;
}

Matrix random_positive(Index n) {
  const Matrix l = random_lower(n).triangularView<Eigen::Lower>();
  return l * l.transpose();
}

double lower_difference(const Matrix& a, const Matrix& b) {
  return Matrix((a - b).triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff();
}

TEST(DividedBlas, ProductsAreThoseOfOneCall) {
  for (const auto& [m, n, k] : sizes) {
    for (const char* ta : {"N", "T"}) {
      for (const char* tb : {"N", "T"}) {
        const Matrix a = *ta == 'N' ? random_matrix(m, k) : random_matrix(k, m);
        const Matrix b = *tb == 'N' ? random_matrix(k, n) : random_matrix(n, k);
        Matrix c = random_matrix(m, n), expected = c;
        const auto run = [&](const DividedBlas& blas, Matrix& to) {
          blas.gemm(ta, tb, m, n, k, 0.5, a.data(), static_cast<int>(a.rows()), b.data(), static_cast<int>(b.rows()), 2,
                    to.data(), m);
        };
        run(pieces, c);
        run(whole, expected);
        EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), tolerance);
      }
    }
  }
}

TEST(DividedBlas, SymmetricProductsAreThoseOfOneCall) {
  for (const auto& [n, columns, k] : sizes) {
    const Matrix a = random_matrix(n, k), b = a.reverse(), start = random_matrix(n, n);
    const Matrix at = a.transpose(), x = random_matrix(n, columns);
    Matrix c[2] = {start, start}, d[2] = {start, start}, e[2] = {start, start};
    Matrix f[2] = {Matrix(n, columns), Matrix(n, columns)};
    for (const int i : {0, 1}) {
      const DividedBlas& blas = i == 0 ? pieces : whole;
      blas.syrk("N", n, k, -1, a.data(), n, 0.5, c[i].data(), n);
      blas.syrk("T", n, k, 2, at.data(), k, 0, d[i].data(), n);
      blas.syr2k(n, k, -1, a.data(), n, b.data(), n, e[i].data(), n);
      blas.symm(n, columns, 3, start.data(), n, x.data(), n, f[i].data(), n);
    }
    EXPECT_LT(lower_difference(c[0], c[1]), tolerance);
    EXPECT_LT(lower_difference(d[0], d[1]), tolerance);
    EXPECT_LT(lower_difference(e[0], e[1]), tolerance);
    EXPECT_LT((f[0] - f[1]).cwiseAbs().maxCoeff(), tolerance);
  }
}

TEST(DividedBlas, TriangularSolvesAndProductsAreThoseOfOneCall) {
  for (const auto& [m, n, unused] : sizes) {
    for (const char* t : {"N", "T"}) {
      const Matrix left = random_lower(m), right = random_lower(n), start = random_matrix(m, n);
      Matrix x[2] = {start, start}, y[2] = {start, start}, z[2] = {start, start};
      for (const int i : {0, 1}) {
        const DividedBlas& blas = i == 0 ? pieces : whole;
        blas.solve_left(t, m, n, left.data(), m, x[i].data(), m);
        blas.solve_right(t, m, n, right.data(), n, y[i].data(), m);
        blas.multiply_left(t, m, n, left.data(), m, z[i].data(), m);
      }
      const double scale = 1 + x[1].cwiseAbs().maxCoeff() + y[1].cwiseAbs().maxCoeff();
      EXPECT_LT((x[0] - x[1]).cwiseAbs().maxCoeff(), tolerance * scale);
      EXPECT_LT((y[0] - y[1]).cwiseAbs().maxCoeff(), tolerance * scale);
      EXPECT_LT((z[0] - z[1]).cwiseAbs().maxCoeff(), tolerance);
    }
  }
}

TEST(DividedBlas, FactorsAndInversesAreThoseOfLapack) {
  for (const int n : {1, 2, 5, 33, 70}) {
    const Matrix a = random_positive(n);
    Matrix l = a, expected = a;
    ASSERT_TRUE(pieces.cholesky(n, l.data(), n));
    ASSERT_TRUE(whole.cholesky(n, expected.data(), n));
    EXPECT_LT(lower_difference(l, expected), tolerance);
    pieces.invert_cholesky(n, l.data(), n);
    whole.invert_cholesky(n, expected.data(), n);
    EXPECT_LT(lower_difference(l, expected), tolerance * expected.cwiseAbs().maxCoeff());
    Matrix indefinite = a;
    indefinite(n - 1, n - 1) = -1;
    EXPECT_FALSE(pieces.cholesky(n, indefinite.data(), n));
  }
}

TEST(DividedBlas, HearsARequestBetweenPieces) {
  const Matrix a = random_positive(70);
  const test::Countdown never(1'000'000'000), soon(3);
  {
    const CancellationScope scope({&never});
    Matrix l = a;
    ASSERT_TRUE(pieces.cholesky(70, l.data(), 70));
  }
  const CancellationScope scope({&soon});
  Matrix l = a;
  EXPECT_THROW(static_cast<void>(pieces.cholesky(70, l.data(), 70)), Interrupted);
  EXPECT_EQ(soon.since(), 0);  // and not again before it ends
}

TEST(Dense, TransposesAndMirrorsAnyShape) {
  for (const auto& [rows, columns] : std::vector<std::pair<Index, Index>>{{1, 1}, {3, 200}, {64, 64}, {130, 65}}) {
    const Matrix a = random_matrix(rows, columns);
    EXPECT_EQ(transposed(a), a.transpose());
    Matrix square = random_matrix(columns, columns);
    const Matrix expected = square.selfadjointView<Eigen::Lower>();
    symmetrize(square);
    EXPECT_EQ(square, expected);
  }
}

}  // namespace
}  // namespace varimesh::linalg
