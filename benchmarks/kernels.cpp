// Which Cholesky kernel is fastest for which size: the measurements behind linalg::choose_elimination. Triangulated
// squares (2D) and cubes of hexahedra (3D), refactorisation and one solve by each kernel.

#include "ratios.h"
#include "varimesh/linalg/sparse_cholesky.h"

namespace varimesh::linalg {
namespace {

/// The graph of an n x n square of nodes with diagonals, or of an n^3 cube in which all nodes of a cell are neighbours.
Graph grid(int dimension, Index n) {
  std::vector<std::pair<Index, Index>> edges;
  const Index depth = dimension == 3 ? n : 1;
  const auto node = [n](Index i, Index j, Index k) { return i + n * (j + n * k); };
  for (Index k = 0; k < depth; ++k) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (dimension == 2) {
          if (i + 1 < n) edges.emplace_back(node(i, j, k), node(i + 1, j, k));
          if (j + 1 < n) edges.emplace_back(node(i, j, k), node(i, j + 1, k));
          if (i + 1 < n && j + 1 < n) edges.emplace_back(node(i, j, k), node(i + 1, j + 1, k));
          continue;
        }
        for (Index a = std::max(0, i - 1); a <= std::min(n - 1, i + 1); ++a)
          for (Index b = std::max(0, j - 1); b <= std::min(n - 1, j + 1); ++b)
            for (Index c = k; c <= std::min(n - 1, k + 1); ++c) edges.emplace_back(node(i, j, k), node(a, b, c));
      }
    }
  }
  return create_graph(n * n * depth, edges);
}

void factorise_and_solve(benchmark::State& state, CholeskyKernel kernel) {
  const Graph graph = grid(static_cast<int>(state.range(0)), static_cast<Index>(state.range(1)));
  const CholeskyKernel chosen = choose_elimination(graph).kernel;
  const Ordering order =
      kernel == CholeskyKernel::supernodal ? nested_dissection(graph).order : natural_order(graph.size());
  const LowerPattern pattern = lower_pattern(graph, order);
  Vector values = Vector::Constant(static_cast<Eigen::Index>(pattern.row.size()), -1);
  for (Index j = 0; j < pattern.size(); ++j) values[pattern.start[j]] = graph.degree(order[j]) + 0.01;
  const auto cholesky = create_cholesky(kernel, pattern);
  const auto factor = cholesky->create_factor();
  Vector x(pattern.size());
  for (auto _ : state) {
    factor->factorize(values.data());
    x.setOnes();
    factor->solve(x.data());
    benchmark::DoNotOptimize(x.data());
  }
  state.SetLabel(chosen == kernel ? "chosen" : "");
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int n : {10, 31, 63, 99, 120, 140, 160, 200}) b->Args({2, n});
  for (const int n : {5, 8, 10, 12, 16, 20}) b->Args({3, n});
  b->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(factorise_and_solve, banded, CholeskyKernel::banded)->Apply(sizes);
BENCHMARK_CAPTURE(factorise_and_solve, supernodal, CholeskyKernel::supernodal)->Apply(sizes);

}  // namespace
}  // namespace varimesh::linalg

int main(int argc, char** argv) {
  std::vector<varimesh::benchmarks::RatioReporter::Comparison> comparisons;
  for (const auto& [dimension, list] : std::vector<std::pair<int, std::vector<int>>>{
           {2, {10, 31, 63, 99, 120, 140, 160, 200}}, {3, {5, 8, 10, 12, 16, 20}}}) {
    for (const int n : list) {
      comparisons.push_back({fmt::format("factorise_and_solve/banded/{}/{}", dimension, n),
                             fmt::format("factorise_and_solve/supernodal/{}/{}", dimension, n)});
    }
  }
  return varimesh::benchmarks::run(argc, argv, comparisons);
}
