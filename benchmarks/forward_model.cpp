// Log-likelihood and gradient on the benchmark of Aristoff and Bangerth and on the paper's line of 32 elements. The
// baseline does what the published program does for one log-likelihood: assemble element by element, factorise with
// UMFPACK, solve; without gradient, and in our own code, so without the rest of deal.II's overhead.

#include <umfpack.h>

#include <Eigen/Sparse>
#include <Eigen/UmfPackSupport>
#include <filesystem>

#include "ratios.h"
#include "varimesh/fem/element.h"
#include "varimesh/inverse/gaussian_likelihood.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/run/build.h"

namespace varimesh {
namespace {

const std::filesystem::path examples = std::filesystem::path(VARIMESH_SOURCE_DIR) / "examples";

run::Problem load(const char* example) {
  return run::build_problem(run::read_config(examples / example / "problem.toml"), run::Data::if_present);
}

inverse::GaussianLikelihood likelihood_of(const run::Problem& problem) {
  if (problem.observations) return {problem.model, *problem.observations};
  const Vector reading = problem.model->predict(Vector::Zero(problem.num_unknowns()));
  const auto n = reading.size();
  return {problem.model, inverse::observe_means(reading, Vector::Constant(n, 5), Vector::Constant(n, 0.01))};
}

void value_and_gradient(benchmark::State& state, const char* example) {
  const run::Problem problem = load(example);
  const inverse::GaussianLikelihood likelihood = likelihood_of(problem);
  const Vector kappa = 0.3 * Random(1).normal_vector(problem.num_unknowns());
  Vector gradient;
  for (auto _ : state) benchmark::DoNotOptimize(likelihood.value_and_gradient(kappa, gradient));
}

void value_only(benchmark::State& state, const char* example) {
  const run::Problem problem = load(example);
  const inverse::GaussianLikelihood likelihood = likelihood_of(problem);
  const Vector kappa = 0.3 * Random(1).normal_vector(problem.num_unknowns());
  for (auto _ : state) benchmark::DoNotOptimize(likelihood.value(kappa));
}

void plain_assembly_and_umfpack(benchmark::State& state) {
  const linalg::OneBlasThread serial;
  const run::Problem problem = load("aristoff-bangerth");
  const mesh::Mesh& mesh = problem.equation.mesh;
  const fem::NodeConditions nodes = fem::apply_conditions(mesh, problem.equation.conditions);
  const fem::ElementMatrix unit = fem::unit_stiffness(mesh, 0);  // all cells are equal
  const Vector kappa = 0.3 * Random(1).normal_vector(problem.num_unknowns());
  Eigen::SparseMatrix<double> matrix(mesh.num_nodes(), mesh.num_nodes());
  {
    std::vector<Eigen::Triplet<double>> pattern;
    for (Index c = 0; c < mesh.num_cells(); ++c)
      for (const Index i : mesh.cell(c))
        for (const Index j : mesh.cell(c)) pattern.emplace_back(i, j, 0.0);
    matrix.setFromTriplets(pattern.begin(), pattern.end());
  }
  Vector load = Vector::Zero(mesh.num_nodes());
  for (Index c = 0; c < mesh.num_cells(); ++c)
    for (const Index i : mesh.cell(c)) load[i] += 10.0 / 1024 / 4;
  for (auto _ : state) {
    matrix.coeffs().setZero();
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const double theta = std::exp(kappa[problem.equation.coefficients.of_cell[c]]);
      const auto cell = mesh.cell(c);
      for (std::size_t a = 0; a < cell.size(); ++a) {
        const bool fixed = nodes.fixed[cell[a]].has_value();
        for (std::size_t b = 0; b < cell.size(); ++b) {
          if (!fixed && !nodes.fixed[cell[b]])
            matrix.coeffRef(cell[a], cell[b]) += theta * unit(static_cast<Index>(a), static_cast<Index>(b));
        }
        if (fixed) matrix.coeffRef(cell[a], cell[a]) = 1;
      }
    }
    Vector right = load;
    for (Index v = 0; v < mesh.num_nodes(); ++v)
      if (nodes.fixed[v]) right[v] = 0;
    Eigen::UmfPackLU<Eigen::SparseMatrix<double>> solver(matrix);
    benchmark::DoNotOptimize(solver.solve(right).eval().data());
  }
}

BENCHMARK_CAPTURE(value_and_gradient, aristoff_bangerth, "aristoff-bangerth")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(value_only, aristoff_bangerth, "aristoff-bangerth")->Unit(benchmark::kMicrosecond);
BENCHMARK(plain_assembly_and_umfpack)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(value_and_gradient, line_32, "poisson-1d")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(value_and_gradient, plate_208, "plate-with-hole")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  return varimesh::benchmarks::run(argc, argv,
                                   {{"value_and_gradient/aristoff_bangerth", "plain_assembly_and_umfpack"},
                                    {"value_only/aristoff_bangerth", "plain_assembly_and_umfpack"}});
}
