#include "varimesh/linalg/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <thread>

#include "linalg/test_graphs.h"
#include "varimesh/linalg/band_cholesky.h"
#include "varimesh/linalg/tridiagonal_cholesky.h"

namespace varimesh::linalg {
namespace {

/// A random, diagonally dominant and so positive definite, matrix on a pattern.
Vector random_values(const LowerPattern& pattern, Random& random) {
  Vector values(static_cast<Eigen::Index>(pattern.row.size()));
  Vector row_sum = Vector::Zero(pattern.size());
  for (Index j = 0; j < pattern.size(); ++j) {
    for (Index k = pattern.start[j] + 1; k < pattern.start[j + 1]; ++k) {
      values[k] = random.normal();
      row_sum[j] += std::abs(values[k]);
      row_sum[pattern.row[k]] += std::abs(values[k]);
    }
  }
  for (Index j = 0; j < pattern.size(); ++j) values[pattern.start[j]] = row_sum[j] + 0.1 + random.uniform();
  return values;
}

Matrix dense(const LowerPattern& pattern, const Vector& values) {
  Matrix matrix = Matrix::Zero(pattern.size(), pattern.size());
  for (Index j = 0; j < pattern.size(); ++j) {
    for (Index k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
      matrix(pattern.row[k], j) = matrix(j, pattern.row[k]) = values[k];
  }
  return matrix;
}

struct Case {
  std::string name;
  CholeskyKernel kernel;
  Graph graph;
  Ordering order;
};

std::vector<Case> cases() {
  Random random(3);
  std::vector<Case> list;
  for (const Index size : {1, 2, 7, 31, 200}) {
    const Graph path = test::shuffled_path(size, random);
    list.push_back(
        {"tridiagonal_" + std::to_string(size), CholeskyKernel::tridiagonal, path, reverse_cuthill_mckee(path)});
  }
  // Widths and heights around multiples of the block size of eight
  for (const auto& [width, height] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {3, 2}, {7, 9}, {8, 8}, {9, 23}, {16, 5}, {31, 12}}) {
    const Graph grid = test::triangulated_grid(width, height);
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    list.push_back({"banded_" + size, CholeskyKernel::banded, grid, natural_order(grid.size())});
    list.push_back({"supernodal_" + size, CholeskyKernel::supernodal, grid, nested_dissection(grid).order});
  }
  const Graph scattered = test::random_graph(150, 250, random);
  list.push_back({"banded_random", CholeskyKernel::banded, scattered, reverse_cuthill_mckee(scattered)});
  list.push_back({"supernodal_random", CholeskyKernel::supernodal, scattered, nested_dissection(scattered).order});
  return list;
}

class SparseCholeskyKernel : public testing::TestWithParam<Case> {
 protected:
  const LowerPattern pattern_ = lower_pattern(GetParam().graph, GetParam().order);
  const std::unique_ptr<SparseCholesky> cholesky_ = create_cholesky(GetParam().kernel, pattern_);
  Random random_{4};
};

INSTANTIATE_TEST_SUITE_P(All, SparseCholeskyKernel, testing::ValuesIn(cases()),
                         [](const auto& param_info) { return param_info.param.name; });

// Rounding: diagonally dominant, so the condition number is moderate and 1e-11 leaves room over 1e-16 n cond.
constexpr double tolerance = 1e-11;

TEST_P(SparseCholeskyKernel, AgreesWithDenseCholesky) {
  const auto factor = cholesky_->create_factor();
  for (int refactorisation = 0; refactorisation < 3; ++refactorisation) {
    const Vector values = random_values(pattern_, random_);
    ASSERT_TRUE(factor->factorize(values.data()));
    const Eigen::LLT<Matrix> reference(dense(pattern_, values));

    const Vector b = random_.normal_vector(pattern_.size());
    Vector x = b;
    factor->solve(x.data());
    EXPECT_LT((x - reference.solve(b)).norm(), tolerance * x.norm());

    Matrix many = Matrix::NullaryExpr(pattern_.size(), 21, [&] { return random_.normal(); });
    many.topLeftCorner(pattern_.size() / 2, 21).setZero();  // leading zeros may be skipped
    const Matrix expected = reference.solve(many);
    factor->solve_many(many);
    EXPECT_LT((many - expected).norm(), tolerance * expected.norm());

    const double log_determinant = 2 * reference.matrixLLT().diagonal().array().log().sum();
    EXPECT_NEAR(factor->log_determinant(), log_determinant, tolerance * (1 + std::abs(log_determinant)));
  }
}

TEST_P(SparseCholeskyKernel, RefusesWhatIsNotPositiveDefiniteAndRecovers) {
  const auto factor = cholesky_->create_factor();
  const Vector good = random_values(pattern_, random_);
  for (const double diagonal :
       {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Vector bad = good;
    bad[pattern_.start[pattern_.size() / 2]] = diagonal;
    EXPECT_FALSE(factor->factorize(bad.data())) << diagonal;
  }
  ASSERT_TRUE(factor->factorize(good.data()));
  const Vector b = random_.normal_vector(pattern_.size());
  Vector x = b;
  factor->solve(x.data());
  EXPECT_LT((dense(pattern_, good) * x - b).norm(), tolerance * b.norm());
}

TEST_P(SparseCholeskyKernel, ThreadsWithTheirOwnFactorsDoNotDisturbEachOther) {
  constexpr int num_threads = 4;
  std::vector<Vector> values, expected;
  for (int t = 0; t < num_threads; ++t) {
    values.push_back(random_values(pattern_, random_));
    const auto factor = cholesky_->create_factor();
    ASSERT_TRUE(factor->factorize(values[t].data()));
    expected.push_back(Vector::Ones(pattern_.size()));
    factor->solve(expected[t].data());
  }
  std::vector<char> same(num_threads, 1);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t) {
      threads.emplace_back([&, t] {
        const auto factor = cholesky_->create_factor();
        for (int repetition = 0; repetition < 5; ++repetition) {
          Vector x = Vector::Ones(pattern_.size());
          factor->factorize(values[t].data());
          factor->solve(x.data());
          same[t] &= x == expected[t];
        }
      });
    }
  }
  EXPECT_EQ(same, std::vector<char>(num_threads, 1));
}

TEST_P(SparseCholeskyKernel, OneFactorServesSeveralThreads) {
  const auto factor = cholesky_->create_factor();
  ASSERT_TRUE(factor->factorize(random_values(pattern_, random_).data()));
  const Matrix right = Matrix::NullaryExpr(pattern_.size(), 12, [&] { return random_.normal(); });
  Matrix expected = right;
  factor->solve_many(expected);
  std::vector<char> same(4, 1);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < same.size(); ++t) {
      threads.emplace_back([&, t] {
        for (int repetition = 0; repetition < 5; ++repetition) {
          Matrix x = right;
          factor->solve_many(x);
          same[t] &= x == expected;
        }
      });
    }
  }
  EXPECT_EQ(same, std::vector<char>(4, 1));
}

TEST(SparseCholesky, ChoosesTheKernelBySizeAndShape) {
  Random random(5);
  EXPECT_EQ(choose_elimination(test::shuffled_path(500, random)).kernel, CholeskyKernel::tridiagonal);
  EXPECT_EQ(choose_elimination(test::triangulated_grid(30, 30)).kernel, CholeskyKernel::banded);
  EXPECT_EQ(choose_elimination(test::triangulated_grid(300, 300)).kernel, CholeskyKernel::supernodal);
}

TEST(SparseCholesky, KeepsTheGivenNumberingWhereItsBandIsNarrowest) {
  std::vector<std::pair<Index, Index>> edges;  // a nine-point grid, on which reverse Cuthill-McKee does badly
  constexpr Index width = 20;
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < width; ++i) {
      for (Index dj = 0; dj <= 1; ++dj) {
        for (Index di = -1; di <= 1; ++di) {
          if (i + di >= 0 && i + di < width && j + dj < width)
            edges.emplace_back(i + width * j, i + di + width * (j + dj));
        }
      }
    }
  }
  const Graph graph = create_graph(width * width, edges);
  EXPECT_EQ(bandwidth(graph, choose_elimination(graph).order), width + 1);
}

TEST(SparseCholesky, TridiagonalRejectsAWiderPattern) {
  const Graph grid = test::triangulated_grid(3, 3);
  EXPECT_THROW(create_tridiagonal_cholesky(lower_pattern(grid, natural_order(9))), std::invalid_argument);
}

}  // namespace
}  // namespace varimesh::linalg
