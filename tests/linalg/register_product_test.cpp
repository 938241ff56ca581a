// Products in registers against Eigen's, at sizes around whole tiles.
#include "varimesh/linalg/register_product.h"

#include <gtest/gtest.h>

#include "varimesh/linalg/times_few.h"
#include "varimesh/random.h"

namespace varimesh::linalg {
namespace {

// Rounding of sums of up to 40 terms, of size about one.
constexpr double tolerance = 1e-13;

TEST(RegisterProduct, IsTheProductForAnySizes) {
  Random random(1);
  for (const Index rows : {0, 1, 7, 8, 9, 24, 25, 41, 48}) {
    for (const Index columns : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16}) {
      for (const Index depth : {0, 1, 5, 40}) {
        const Matrix a = random.normal_matrix(rows, depth), b = random.normal_matrix(depth, columns);
        Matrix c = random.normal_matrix(rows, columns);
        const Matrix before = c;
        register_product(a, b, Update::add, c);
        EXPECT_LT((c - before - a * b).norm(), tolerance) << rows << " " << columns << " " << depth;
        register_product(a, b, Update::set, c);
        EXPECT_LT((c - a * b).norm(), tolerance) << rows << " " << columns << " " << depth;
      }
    }
  }
}

TEST(RegisterProduct, WritesIntoItsBlockOnly) {
  Random random(2);
  const Matrix a = random.normal_matrix(30, 20), b = random.normal_matrix(20, 20);
  Matrix c = Matrix::Constant(40, 20, 7);
  register_product(a.block(2, 3, 26, 10), b.block(4, 5, 10, 9), Update::set, c.block(6, 2, 26, 9));
  EXPECT_LT((c.block(6, 2, 26, 9) - a.block(2, 3, 26, 10) * b.block(4, 5, 10, 9)).norm(), tolerance);
  c.block(6, 2, 26, 9).setConstant(7);
  EXPECT_TRUE((c.array() == 7).all());
}

TEST(TimesFew, IsTheProduct) {
  Random random(3);
  for (const Index rows : {1, 7, 8, 9, 100}) {
    for (const Index columns : {1, 2, 5, 30}) {
      const Matrix a = random.normal_matrix(rows + 3, columns);
      const Vector x = random.normal_vector(columns);
      Vector y = Vector::Constant(rows, 9);
      times_few(a.bottomRows(rows), x, y);
      EXPECT_LT((y - a.bottomRows(rows) * x).norm(), tolerance);
    }
  }
}

}  // namespace
}  // namespace varimesh::linalg
