#include "varimesh/linalg/chordal.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "linalg/test_graphs.h"

namespace varimesh::linalg {
namespace {

struct Case {
  std::string name;
  Graph graph;
  Ordering order;
  Amalgamation amalgamation;
};

Graph band_graph(Index size, Index bandwidth) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < size; ++i)
    for (Index j = i + 1; j <= std::min(size - 1, i + bandwidth); ++j) edges.emplace_back(i, j);
  return create_graph(size, edges);
}

std::vector<Case> cases() {
  Random random(1);
  std::vector<Case> list;
  const auto add = [&](const std::string& name, const Graph& graph, const Ordering& order) {
    list.push_back({name, graph, order, Amalgamation::none});
    list.push_back({name + "_amalgamated", graph, order, Amalgamation::relaxed});
  };
  const Graph grid = test::triangulated_grid(7, 6), band = band_graph(32, 5), single = create_graph(1, {});
  const Graph scattered = test::random_graph(40, 60, random), forest = test::random_graph(40, 25, random);
  add("grid_dissected", grid, nested_dissection(grid).order);
  add("grid_banded", grid, reverse_cuthill_mckee(grid));
  add("band", band, natural_order(32));
  add("single", single, natural_order(1));
  add("random", scattered, nested_dissection(scattered).order);
  add("forest", forest, reverse_cuthill_mckee(forest));
  return list;
}

class Chordal : public testing::TestWithParam<Case> {
 protected:
  Chordal() : tree_(GetParam().graph, GetParam().order, GetParam().amalgamation), n_(tree_.size()) {
    // A random positive definite matrix on the pattern.
    q_ = Matrix::Zero(n_, n_);
    for (Index j = 0; j < n_; ++j) {
      for (Index i = j + 1; i < n_; ++i) {
        if (has(i, j)) q_(i, j) = q_(j, i) = random_.normal();
      }
    }
    for (Index j = 0; j < n_; ++j) q_(j, j) = q_.col(j).cwiseAbs().sum() + 0.2 + random_.uniform();
    factor_ = on_pattern(q_);
    EXPECT_TRUE(chordal_cholesky(tree_, factor_));
    sigma_ = q_.inverse();
  }

  bool has(Index i, Index j) const { return tree_.find(i, j) < tree_.num_entries(); }

  Vector on_pattern(const Matrix& matrix) const {
    Vector values =
        Vector::Constant(static_cast<Eigen::Index>(tree_.num_entries()), std::nan(""));  // what nobody may read
    for (Index j = 0; j < n_; ++j)
      for (Index i = j; i < n_; ++i)
        if (has(i, j)) values[static_cast<Eigen::Index>(tree_.find(i, j))] = matrix(i, j);
    return values;
  }

  /// Symmetric, zero off the pattern.
  Matrix dense(const Vector& values) const {
    Matrix matrix = Matrix::Zero(n_, n_);
    for (Index j = 0; j < n_; ++j)
      for (Index i = j; i < n_; ++i)
        if (has(i, j)) matrix(i, j) = matrix(j, i) = values[static_cast<Eigen::Index>(tree_.find(i, j))];
    return matrix;
  }
  Matrix masked(const Matrix& matrix) const { return dense(on_pattern(matrix)); }

  CliqueTree tree_;
  Index n_;
  Random random_{2};
  Matrix q_, sigma_;
  Vector factor_;
};

INSTANTIATE_TEST_SUITE_P(All, Chordal, testing::ValuesIn(cases()),
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
  const Matrix b = Matrix::NullaryExpr(n_, 5, [&] { return random_.normal(); });
  Matrix x = b;
  chordal_solve_lower(tree_, factor_, x);
  EXPECT_LT((lower * x - b).norm(), tolerance * b.norm());
  x = b;
  chordal_solve_upper(tree_, factor_, x);
  EXPECT_LT((lower.transpose() * x - b).norm(), tolerance * b.norm());
}

TEST_P(Chordal, SelectedInverseAgreesWithDense) {
  EXPECT_LT((dense(chordal_selected_inverse(tree_, factor_)) - masked(sigma_)).norm(), tolerance * sigma_.norm());
}

TEST_P(Chordal, FisherProjectionMatchesDenseSolve) {
  const Matrix w = Matrix::NullaryExpr(4, n_, [&] { return random_.normal(); });
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
  const Matrix p = masked(Matrix::NullaryExpr(n_, n_, [&] { return random_.normal(); }));
  const Vector b = chordal_fisher_projection(tree_, factor_, on_pattern(sigma_), on_pattern(sigma_ * p * sigma_));
  EXPECT_LT((dense(b) - p).norm(), 1e-10 * p.norm());
}

TEST_P(Chordal, CompletionRecoversThePrecision) {
  Vector factor;
  ASSERT_TRUE(chordal_completion(tree_, on_pattern(sigma_), factor));
  EXPECT_LT((dense(chordal_product(tree_, factor)) - q_).norm(), 1e-10 * q_.norm());
}

TEST_P(Chordal, CompletionOfADenseCovarianceMatchesItOnThePattern) {
  const Matrix a = Matrix::NullaryExpr(n_, n_ + 5, [&] { return random_.normal(); });
  const Matrix covariance = a * a.transpose();
  Vector factor;
  ASSERT_TRUE(chordal_completion(tree_, on_pattern(covariance), factor));
  const Matrix completed = dense(chordal_product(tree_, factor)).inverse();
  EXPECT_LT((masked(completed) - masked(covariance)).norm(), 1e-9 * covariance.norm());  // condition number up to 1e4
}

TEST_P(Chordal, ThreadsDoNotChangeABit) {
  const Vector q = on_pattern(q_).array().isNaN().select(0.0, on_pattern(q_));
  const Vector g = chordal_gram(tree_, Matrix::NullaryExpr(3, n_, [&] { return random_.normal(); }));
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
