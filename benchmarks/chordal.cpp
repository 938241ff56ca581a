// The operations on a chordal pattern against supernodal CHOLMOD's factorisation of the same matrix: cells of a
// triangulated square that share a node, nested dissection.

#include "varimesh/linalg/chordal.h"

#include "ratios.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/linalg/sparse_cholesky.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"

namespace varimesh::linalg {
namespace {

constexpr int sensors = 100;

/// A precision matrix on the cells of the square, and what the operations start from.
struct Setting {
  Graph graph;
  Ordering order;
  CliqueTree tree;
  Vector precision, factor, sigma, gram;

  explicit Setting(const mesh::Mesh& mesh)
      : graph(sharing_graph(mesh.cell_nodes, 3, mesh.num_nodes())),
        order(nested_dissection(graph).order),
        tree(graph, order, Amalgamation::relaxed),
        precision(Vector::Zero(static_cast<Eigen::Index>(tree.num_entries()))) {
    const Ordering position = inverse(tree.order());
    for (Index v = 0; v < graph.size(); ++v) {
      at(position[v], position[v]) = graph.degree(v) + 0.1;
      for (const Index w : graph.neighbours(v)) {
        if (position[w] > position[v]) at(position[w], position[v]) = -1;
      }
    }
    factor = precision;
    chordal_cholesky(tree, factor);
    sigma = chordal_selected_inverse(tree, factor);
    Random random(1);
    gram = chordal_gram(tree, Matrix::NullaryExpr(sensors, tree.size(), [&] { return 0.01 * random.normal(); }));
  }
  double& at(Index i, Index j) { return precision[static_cast<Eigen::Index>(tree.find(i, j))]; }
};

const Setting& setting() {
  static const Setting instance(mesh::create_rectangle(mesh::CellType::triangle, {224, 224}));
  return instance;
}

void supernodal_cholmod(benchmark::State& state) {
  const Setting& s = setting();
  const LowerPattern pattern = lower_pattern(s.graph, s.order);
  Vector values = Vector::Constant(static_cast<Eigen::Index>(pattern.row.size()), -1);
  for (Index j = 0; j < pattern.size(); ++j) values[pattern.start[j]] = s.graph.degree(s.order[j]) + 0.1;
  const auto cholesky = create_cholesky(CholeskyKernel::supernodal, pattern);
  const auto factor = cholesky->create_factor();
  for (auto _ : state) benchmark::DoNotOptimize(factor->factorize(values.data()));
}

void factorisation(benchmark::State& state) {
  const Setting& s = setting();
  for (auto _ : state) {
    Vector values = s.precision;
    benchmark::DoNotOptimize(chordal_cholesky(s.tree, values, static_cast<int>(state.range(0))));
  }
}

void selected_inverse(benchmark::State& state) {
  const Setting& s = setting();
  for (auto _ : state)
    benchmark::DoNotOptimize(chordal_selected_inverse(s.tree, s.factor, static_cast<int>(state.range(0))).data());
}

void fisher_projection(benchmark::State& state) {
  const Setting& s = setting();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        chordal_fisher_projection(s.tree, s.factor, s.sigma, s.gram, static_cast<int>(state.range(0))).data());
}

void completion(benchmark::State& state) {
  const Setting& s = setting();
  Vector factor;
  for (auto _ : state)
    benchmark::DoNotOptimize(chordal_completion(s.tree, s.sigma, factor, static_cast<int>(state.range(0))));
}

void threads(benchmark::internal::Benchmark* b) { b->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime(); }

BENCHMARK(supernodal_cholmod)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(factorisation)->Apply(threads);
BENCHMARK(selected_inverse)->Apply(threads);
BENCHMARK(fisher_projection)->Apply(threads);
BENCHMARK(completion)->Apply(threads);

}  // namespace
}  // namespace varimesh::linalg

int main(int argc, char** argv) {
  std::vector<varimesh::benchmarks::RatioReporter::Comparison> comparisons;
  for (const char* operation : {"factorisation", "selected_inverse", "fisher_projection", "completion"}) {
    for (const int threads : {1, 2})
      comparisons.push_back({fmt::format("{}/{}/real_time", operation, threads), "supernodal_cholmod/real_time"});
  }
  return varimesh::benchmarks::run(argc, argv, comparisons);
}
