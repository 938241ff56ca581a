// Dense algebra against Eigen's, at sizes around whole blocks and vector registers.
#include "varimesh/linalg/dense.h"

#include <gtest/gtest.h>

#include "varimesh/random.h"

namespace varimesh::linalg {
namespace {

class Dense : public testing::TestWithParam<Index> {
 protected:
  Dense() : a_(matrix(GetParam(), GetParam())), lower_(a_.triangularView<Eigen::Lower>()) {}

  Matrix matrix(Index rows, Index columns) {
    return Matrix::NullaryExpr(rows, columns, [&] { return random_.normal(); });
  }

  Random random_{1};
  Matrix a_, lower_;
};

INSTANTIATE_TEST_SUITE_P(Sizes, Dense, testing::Values(1, 2, 3, 4, 7, 11, 12, 19, 32, 47, 48, 49, 130, 330));

// Rounding of sums of up to 330 terms.
constexpr double tolerance = 1e-14;

TEST_P(Dense, TriangularProductsWithOneOrSeveralColumnsReadTheLowerTriangle) {
  for (const Index columns : {1, 3, 20}) {
    const Matrix x = matrix(GetParam(), columns);
    for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
      Matrix found = x;
      multiply_triangular(a_, transpose, found);
      const Matrix l = transpose == Transpose::yes ? Matrix(lower_.transpose()) : lower_, expected = l * x;
      EXPECT_LT((found - expected).norm(), tolerance * a_.norm() * x.norm());
    }
  }
}

TEST_P(Dense, SymmetricProductReadsTheLowerTriangle) {
  const Vector x = matrix(GetParam(), 1);
  const Matrix symmetric = a_.selfadjointView<Eigen::Lower>();
  EXPECT_LT((symmetric_product(a_, x) - symmetric * x).norm(), tolerance * a_.norm() * x.norm());
}

TEST_P(Dense, LowerOfProductIsTheLowerTriangleOfTheProduct) {
  const Matrix b = matrix(GetParam(), GetParam());
  const Matrix expected = (b * lower_).triangularView<Eigen::Lower>(),
               found = lower_of_product(b, lower_).triangularView<Eigen::Lower>();
  EXPECT_LT((found - expected).norm(), tolerance * b.norm() * lower_.norm());
}

}  // namespace
}  // namespace varimesh::linalg
