// Solves for blocks stored by rows, and diagonals of inverses, against dense algebra.
#include "varimesh/linalg/chordal_rows.h"

#include <gtest/gtest.h>

#include "linalg/chordal_cases.h"
#include "varimesh/linalg/chordal_diagonals.h"

namespace varimesh::linalg {
namespace {

using ChordalRows = test::ChordalTest;

INSTANTIATE_TEST_SUITE_P(All, ChordalRows, testing::ValuesIn(test::chordal_cases()),
                         [](const auto& param_info) { return param_info.param.name; });

constexpr double tolerance = 1e-12;  // rounding times a condition number of a few hundred

TEST_P(ChordalRows, SolvesAreThoseOfColumns) {
  for (const Index few : {1, 2, 7, 32}) {
    const Matrix x = random_matrix(few, n_);
    Matrix lower = x, upper = x, lower_columns = x.transpose(), upper_columns = x.transpose();
    chordal_solve_lower_rows(tree_, factor_, lower);
    chordal_solve_lower(tree_, factor_, lower_columns);
    EXPECT_LT((lower.transpose() - lower_columns).norm(), tolerance * lower.norm());
    chordal_solve_upper_rows(tree_, factor_, upper);
    chordal_solve_upper(tree_, factor_, upper_columns);
    EXPECT_LT((upper.transpose() - upper_columns).norm(), tolerance * upper.norm());
    chordal_solve_upper_rows(tree_, factor_, lower);
    EXPECT_LT((lower - x * sigma_).norm(), tolerance * lower.norm());
  }
}

TEST_P(ChordalRows, ProductsAreDense) {
  for (const Index few : {1, 5, 32}) {
    const Matrix x = random_matrix(few, n_), m = masked(random_matrix(n_, n_)), expected = x * m;
    EXPECT_LT((rows_times(x, m.sparseView()) - expected).norm(), tolerance * x.norm() * m.norm());
  }
}

TEST_P(ChordalRows, DiagonalsOfInverseAndCongruenceAreDense) {
  const Vector c = random_.normal_vector(n_);
  const Matrix congruence = sigma_ * c.asDiagonal() * sigma_;
  const InverseDiagonals one = chordal_inverse_diagonals(tree_, factor_, c, 1);
  EXPECT_LT((one.inverse - sigma_.diagonal()).norm(), tolerance * sigma_.norm());
  EXPECT_LT((one.congruence - congruence.diagonal()).norm(), tolerance * congruence.norm());
  const InverseDiagonals several = chordal_inverse_diagonals(tree_, factor_, c, 3);
  EXPECT_EQ(several.inverse, one.inverse);
  EXPECT_EQ(several.congruence, one.congruence);
}

}  // namespace
}  // namespace varimesh::linalg
