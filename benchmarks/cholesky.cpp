// Refactorisation and one solve on triangulated squares of 2e2 to 2e6 triangles: our seam against CHOLMOD called
// directly (its own choice between simplicial and supernodal, nested dissection), and our assembly against our
// factorisation.

#include <cholmod.h>

#include <map>

#include "ratios.h"
#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"

namespace varimesh {
namespace {

/// A problem with kappa in each cell, and its values at one kappa.
struct Square {
  explicit Square(Index triangles)
      : side(static_cast<Index>(std::lround(std::sqrt(triangles / 2.0)))),
        mesh(mesh::create_rectangle(mesh::CellType::triangle, {side, side})),
        problem(mesh, fem::one_per_cell(mesh), {{"", [](const Point&) { return 1.0; }}}, conditions()),
        conductivity((0.5 * Random(1).normal_vector(mesh.num_cells())).array().exp()),
        values(static_cast<Eigen::Index>(problem.network().pattern().row.size())),
        load(Vector::Zero(problem.num_nodes())) {
    problem.network().assemble(conductivity, Vector::Zero(problem.num_nodes() - problem.num_free()), values, load);
  }
  static std::vector<fem::BoundaryCondition> conditions() {
    std::vector<fem::BoundaryCondition> all;
    for (const char* name : {"left", "right", "bottom", "top"})
      all.push_back({fem::BoundaryCondition::Kind::dirichlet, name, [](const Point&) { return 0.0; }});
    return all;
  }

  Index side;
  mesh::Mesh mesh;
  fem::EllipticProblem problem;
  Vector conductivity, values, load;
};

const Square& square(Index triangles) {
  static std::map<Index, std::unique_ptr<Square>> squares;
  auto& entry = squares[triangles];
  if (!entry) entry = std::make_unique<Square>(triangles);
  return *entry;
}

void assembly(benchmark::State& state) {
  const Square& s = square(static_cast<Index>(state.range(0)));
  Vector values = s.values, load = s.load;
  const Vector fixed = Vector::Zero(s.problem.num_nodes() - s.problem.num_free());
  for (auto _ : state) {
    s.problem.network().assemble(s.conductivity, fixed, values, load);
    benchmark::DoNotOptimize(values.data());
  }
}

void factorisation(benchmark::State& state) {
  const Square& s = square(static_cast<Index>(state.range(0)));
  const auto factor = s.problem.cholesky().create_factor();
  for (auto _ : state) benchmark::DoNotOptimize(factor->factorize(s.values.data()));
  state.SetLabel(std::string(name(s.problem.cholesky().kernel())));
}

void factorisation_and_solve(benchmark::State& state) {
  const Square& s = square(static_cast<Index>(state.range(0)));
  const auto factor = s.problem.cholesky().create_factor();
  Vector x = Vector::Ones(s.problem.num_free());
  for (auto _ : state) {
    factor->factorize(s.values.data());
    x.setOnes();
    factor->solve(x.data());
    benchmark::DoNotOptimize(x.data());
  }
  state.SetLabel(std::string(name(s.problem.cholesky().kernel())));
}

void cholmod_directly(benchmark::State& state) {
  const Square& s = square(static_cast<Index>(state.range(0)));
  const linalg::OneBlasThread serial;
  const linalg::SerialOpenMp serial_openmp;
  cholmod_common common;
  cholmod_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_NESDIS;
  linalg::LowerPattern pattern = s.problem.network().pattern();
  Vector values = s.values;
  cholmod_sparse matrix{};
  matrix.nrow = matrix.ncol = static_cast<std::size_t>(pattern.size());
  matrix.nzmax = pattern.row.size();
  matrix.p = pattern.start.data();
  matrix.i = pattern.row.data();
  matrix.x = values.data();
  matrix.stype = -1;
  matrix.itype = CHOLMOD_INT;
  matrix.xtype = CHOLMOD_REAL;
  matrix.sorted = matrix.packed = 1;
  cholmod_factor* factor = cholmod_analyze(&matrix, &common);
  cholmod_dense* right = cholmod_ones(matrix.nrow, 1, CHOLMOD_REAL, &common);
  for (auto _ : state) {
    cholmod_factorize(&matrix, factor, &common);
    cholmod_dense* x = cholmod_solve(CHOLMOD_A, factor, right, &common);
    benchmark::DoNotOptimize(x->x);
    cholmod_free_dense(&x, &common);
  }
  state.SetLabel(factor->is_super ? "supernodal" : "simplicial");
  cholmod_free_dense(&right, &common);
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
}

constexpr int sizes[] = {200, 2'000, 20'000, 200'000, 2'000'000};

void all_sizes(benchmark::internal::Benchmark* b) {
  for (const int size : sizes) b->Arg(size);
  b->Unit(benchmark::kMicrosecond);
}

BENCHMARK(assembly)->Apply(all_sizes);
BENCHMARK(factorisation)->Apply(all_sizes);
BENCHMARK(factorisation_and_solve)->Apply(all_sizes);
BENCHMARK(cholmod_directly)->Apply(all_sizes);

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  std::vector<varimesh::benchmarks::RatioReporter::Comparison> comparisons;
  for (const int size : varimesh::sizes) {
    comparisons.push_back({fmt::format("factorisation_and_solve/{}", size), fmt::format("cholmod_directly/{}", size)});
    comparisons.push_back({fmt::format("assembly/{}", size), fmt::format("factorisation/{}", size)});
  }
  return varimesh::benchmarks::run(argc, argv, comparisons);
}
