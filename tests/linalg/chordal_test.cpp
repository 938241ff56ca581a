#include "varimesh/linalg/chordal.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "linalg/chordal_cases.h"

namespace varimesh::linalg {
namespace {

using Chordal = test::ChordalTest;

INSTANTIATE_TEST_SUITE_P(All, Chordal, testing::ValuesIn(test::chordal_cases()),
                         [](const auto& param_info) { return param_info.param.name; });

constexpr double tolerance = 1e-11;  // rounding times a condition number of a few hundred

TEST_P(Chordal, PatternContainsTheGraphAndIsClosed) {
  const Ordering position = inverse(tree_.order());
  for (Index v = 0; v < n_; ++v)
    for (const Index w : GetParam().graph.neighbours(v))
      EXPECT_TRUE(has(std::max(position[v], position[w]), std::min(position[v], position[w])));
  // Of two later neighbours of a vertex, one is a neighbour of the other.
  for (Index j = 0; j < n_; ++j)
    for (Index i = j + 1; i < n_; ++i)
      for (Index k = i + 1; k < n_; ++k) EXPECT_TRUE(!has(i, j) || !has(k, j) || has(k, i));
}

TEST_P(Chordal, FactorSolvesAndDeterminantAgreeWithDense) {
  const Eigen::LLT<Matrix> reference(q_);
  Matrix lower = dense(factor_).triangularView<Eigen::Lower>();
  EXPECT_LT((lower - Matrix(reference.matrixL())).norm(), tolerance * lower.norm());
  EXPECT_NEAR(chordal_log_determinant(tree_, factor_), 2 * reference.matrixLLT().diagonal().array().log().sum(),
              tolerance * n_);
  EXPECT_LT((dense(chordal_product(tree_, factor_)) - q_).norm(), tolerance * q_.norm());
  const Matrix b = random_matrix(n_, 5);
  Matrix x = b;
  chordal_solve_lower(tree_, factor_, x);
  EXPECT_LT((lower * x - b).norm(), tolerance * b.norm());
  x = b;
  chordal_solve_upper(tree_, factor_, x);
  EXPECT_LT((lower.transpose() * x - b).norm(), tolerance * b.norm());
}

TEST_P(Chordal, ProductsWithTheFactorAgreeWithDense) {
  const Matrix lower = dense(factor_).triangularView<Eigen::Lower>();
  const Matrix b = random_matrix(n_, 3);
  Matrix x = b, y = b;
  chordal_multiply_lower(tree_, factor_, x);
  chordal_multiply_upper(tree_, factor_, y);
  EXPECT_LT((x - lower * b).norm(), tolerance * lower.norm() * b.norm());
  EXPECT_LT((y - lower.transpose() * b).norm(), tolerance * lower.norm() * b.norm());
  // One column, and rows in the midst of a larger matrix, whose other entries nobody touches.
  Vector column = b.col(1);
  chordal_multiply_lower(tree_, factor_, column);
  chordal_multiply_upper(tree_, factor_, column);
  EXPECT_LT((column - lower.transpose() * (lower * b.col(1))).norm(), tolerance * q_.norm() * b.norm());
  const Matrix larger = random_matrix(n_ + 4, 3);
  Matrix touched = larger;
  chordal_multiply_lower(tree_, factor_, touched.middleRows(2, n_));
  EXPECT_LT((touched.middleRows(2, n_) - lower * larger.middleRows(2, n_)).norm(),
            tolerance * lower.norm() * larger.norm());
  chordal_multiply_upper(tree_, factor_, touched.middleRows(2, n_));
  EXPECT_EQ(touched.topRows(2), larger.topRows(2));
  EXPECT_EQ(touched.bottomRows(2), larger.bottomRows(2));
  EXPECT_LT((touched.middleRows(2, n_) - lower.transpose() * (lower * larger.middleRows(2, n_))).norm(),
            tolerance * q_.norm() * larger.norm());
}

TEST_P(Chordal, ProductsWithASymmetricMatrixAgreeWithDense) {
  const Matrix x = random_matrix(n_, 3), other = masked(random_matrix(n_, n_));
  EXPECT_LT((chordal_times(tree_, on_pattern(q_), x) - q_ * x).norm(), tolerance * q_.norm() * x.norm());
  EXPECT_NEAR(chordal_inner_product(tree_, on_pattern(q_), on_pattern(other)), (q_ * other).trace(),
              tolerance * q_.norm() * other.norm());
}

TEST_P(Chordal, DiagonalIsThatOfTheDenseMatrix) { EXPECT_EQ(chordal_diagonal(tree_, on_pattern(q_)), q_.diagonal()); }

TEST_P(Chordal, RenumberingIsThePermutationAndItsTranspose) {
  Matrix permutation = Matrix::Zero(n_, n_);
  for (Index k = 0; k < n_; ++k) permutation(k, tree_.order()[k]) = 1;
  const Matrix larger = random_matrix(n_ + 1, 3);
  const auto x = larger.bottomRows(n_);
  EXPECT_EQ(to_tree(tree_, x), permutation * x);
  EXPECT_EQ(from_tree(tree_, x), permutation.transpose() * x);
  EXPECT_EQ(from_tree(tree_, to_tree(tree_, x)), x);
}

TEST_P(Chordal, SelectedInverseAgreesWithDense) {
  EXPECT_LT((dense(chordal_selected_inverse(tree_, factor_)) - masked(sigma_)).norm(), tolerance * sigma_.norm());
}

TEST_P(Chordal, FisherProjectionMatchesDenseSolve) {
  const Matrix w = random_matrix(4, n_);
  const Matrix g = w.transpose() * w;
  EXPECT_LT((dense(chordal_gram(tree_, w)) - masked(g)).norm(), tolerance * g.norm());
  // The dense Fisher system: one equation [Sigma E_p Sigma]_q for each pair p, q of entries on the pattern.
  std::vector<std::pair<Index, Index>> entries;
  for (Index j = 0; j < n_; ++j)
    for (Index i = j; i < n_; ++i)
      if (has(i, j)) entries.emplace_back(i, j);
  const auto count = static_cast<Eigen::Index>(entries.size());
  Matrix fisher(count, count);
  Vector right(count);
  for (Eigen::Index p = 0; p < count; ++p) {
    const auto [i, j] = entries[static_cast<std::size_t>(p)];
    right[p] = g(i, j);
    for (Eigen::Index q = 0; q < count; ++q) {
      const auto [k, l] = entries[static_cast<std::size_t>(q)];
      fisher(p, q) = sigma_(i, k) * sigma_(l, j) + (k != l ? sigma_(i, l) * sigma_(k, j) : 0);
    }
  }
  const Vector solution = fisher.fullPivLu().solve(right);
  Matrix expected = Matrix::Zero(n_, n_);
  for (Eigen::Index p = 0; p < count; ++p) {
    const auto [i, j] = entries[static_cast<std::size_t>(p)];
    expected(i, j) = expected(j, i) = solution[p];
  }
  const Vector b = chordal_fisher_projection(tree_, factor_, on_pattern(sigma_), on_pattern(g));
  EXPECT_LT((dense(b) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LT((masked(sigma_ * dense(b) * sigma_) - masked(g)).norm(), 1e-10 * g.norm());
}

TEST_P(Chordal, ProjectionOfAMatrixOnThePatternIsItself) {
  const Matrix p = masked(random_matrix(n_, n_));
  const Vector b = chordal_fisher_projection(tree_, factor_, on_pattern(sigma_), on_pattern(sigma_ * p * sigma_));
  EXPECT_LT((dense(b) - p).norm(), 1e-10 * p.norm());
}

TEST_P(Chordal, CompletionRecoversThePrecision) {
  Vector factor;
  ASSERT_TRUE(chordal_completion(tree_, on_pattern(sigma_), factor));
  EXPECT_LT((dense(chordal_product(tree_, factor)) - q_).norm(), 1e-10 * q_.norm());
}

TEST_P(Chordal, CompletionOfADenseCovarianceMatchesItOnThePattern) {
  const Matrix a = random_matrix(n_, n_ + 5);
  const Matrix covariance = a * a.transpose();
  Vector factor;
  ASSERT_TRUE(chordal_completion(tree_, on_pattern(covariance), factor));
  const Matrix completed = dense(chordal_product(tree_, factor)).inverse();
  EXPECT_LT((masked(completed) - masked(covariance)).norm(), 1e-9 * covariance.norm());  // condition number up to 1e4
}

TEST_P(Chordal, ThreadsDoNotChangeABit) {
  const Vector q = on_pattern(q_).array().isNaN().select(0.0, on_pattern(q_));
  const Vector g = chordal_gram(tree_, random_matrix(3, n_));
  const auto run = [&](int threads) {
    std::vector<Vector> results{q};
    EXPECT_TRUE(chordal_cholesky(tree_, results[0], threads));
    results.push_back(chordal_selected_inverse(tree_, results[0], threads));
    results.push_back(chordal_fisher_projection(tree_, results[0], results[1], g, threads));
    results.push_back(chordal_product(tree_, results[0], threads));
    return results;
  };
  const auto one = run(1), three = run(3);
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_EQ(dense(one[k]), dense(three[k]));
}

TEST_P(Chordal, RefusesWhatIsNotPositiveDefinite) {
  Matrix bad = q_;
  bad(n_ / 2, n_ / 2) = -1;
  Vector values = on_pattern(bad);
  EXPECT_FALSE(chordal_cholesky(tree_, values));
  Vector factor;
  EXPECT_FALSE(chordal_completion(tree_, on_pattern(-sigma_), factor));
}

}  // namespace
}  // namespace varimesh::linalg
