#pragma once

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <string>
#include <vector>

#include "linalg/test_graphs.h"
#include "varimesh/linalg/chordal.h"
#include "varimesh/linalg/pattern_values.h"

namespace varimesh::linalg::test {

/// A pattern: a graph, an elimination order and whether cliques are merged.
struct ChordalCase {
  std::string name;
  Graph graph;
  Ordering order;
  Amalgamation amalgamation;
};

inline Graph band_graph(Index size, Index bandwidth) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < size; ++i)
    for (Index j = i + 1; j <= std::min(size - 1, i + bandwidth); ++j) edges.emplace_back(i, j);
  return create_graph(size, edges);
}

inline std::vector<ChordalCase> chordal_cases() {
  Random random(1);
  std::vector<ChordalCase> list;
  const auto add = [&](const std::string& name, const Graph& graph, const Ordering& order) {
    list.push_back({name, graph, order, Amalgamation::none});
    list.push_back({name + "_amalgamated", graph, order, Amalgamation::relaxed});
  };
  const Graph grid = triangulated_grid(7, 6), band = band_graph(32, 5), single = create_graph(1, {});
  const Graph scattered = random_graph(40, 60, random), forest = random_graph(40, 25, random);
  add("grid_dissected", grid, nested_dissection(grid).order);
  add("grid_banded", grid, reverse_cuthill_mckee(grid));
  add("band", band, natural_order(32));
  add("single", single, natural_order(1));
  add("random", scattered, nested_dissection(scattered).order);
  add("forest", forest, reverse_cuthill_mckee(forest));
  return list;
}

/// A random positive definite matrix on a pattern, its factor and its inverse, and the way to dense matrices and back.
class ChordalTest : public testing::TestWithParam<ChordalCase> {
 protected:
  ChordalTest() : tree_(GetParam().graph, GetParam().order, GetParam().amalgamation), n_(tree_.size()) {
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

  Matrix random_matrix(Index rows, Index columns) {
    return Matrix::NullaryExpr(rows, columns, [&] { return random_.normal(); });
  }

  CliqueTree tree_;
  Index n_;
  Random random_{2};
  Matrix q_, sigma_;
  Vector factor_;
};

}  // namespace varimesh::linalg::test
