// A dense matrix and one on a chordal pattern, against dense algebra.
#include "varimesh/linalg/chordal_dense.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "linalg/chordal_cases.h"

namespace varimesh::linalg {
namespace {

class ChordalDense : public test::ChordalTest {
 protected:
  ChordalDense() {
    const Matrix some = random_matrix(n_, n_);
    a_ = some + some.transpose();
    a_in_tree_ = to_tree(tree_, to_tree(tree_, a_).transpose());
  }

  Matrix a_, a_in_tree_;
};

INSTANTIATE_TEST_SUITE_P(All, ChordalDense, testing::ValuesIn(test::chordal_cases()),
                         [](const auto& param_info) { return param_info.param.name; });

constexpr double tolerance = 1e-12;  // rounding times a condition number of a few hundred

TEST_P(ChordalDense, TraceAgreesWithDense) {
  EXPECT_NEAR(chordal_dense_trace(tree_, factor_, a_, nullptr), (a_in_tree_ * sigma_).trace(),
              tolerance * a_.norm() * sigma_.norm());
}

TEST_P(ChordalDense, GradientOfTheTraceAgreesWithDense) {
  Vector half_gradient;
  EXPECT_EQ(chordal_dense_trace(tree_, factor_, a_, &half_gradient), chordal_dense_trace(tree_, factor_, a_, nullptr));
  // -Sigma A L^-T
  const Matrix l = q_.llt().matrixL();
  const Matrix expected = -l.triangularView<Eigen::Lower>().solve((sigma_ * a_in_tree_).transpose()).transpose();
  for (Index k = 0; k < tree_.num_cliques(); ++k) {
    const CliqueTree::Clique c = tree_.clique(k);
    const auto block = block_of(half_gradient, c);
    for (Index j = 0; j < c.columns; ++j) {
      for (Index i = 0; i < c.rows; ++i) {
        const double entry = i < j ? 0 : expected(c.members[i], c.first + j);
        EXPECT_NEAR(block(i, j), entry, tolerance * expected.norm()) << i << ", " << j << " of clique " << k;
      }
    }
  }
}

TEST_P(ChordalDense, CongruenceAgreesWithDense) {
  const Matrix expected = sigma_ * a_in_tree_ * sigma_;
  EXPECT_LT((dense(chordal_dense_congruence(tree_, factor_, a_)) - masked(expected)).norm(),
            tolerance * expected.norm());
}

}  // namespace
}  // namespace varimesh::linalg
