// A fit from end to end on ever larger meshes: a triangulated square, a sparse Matern prior, 100 sensors, the sparse
// precision family on the prior's pattern.
//
//   benchmark_scale [cells along a side ...]     22, 71 and 224 (968, 10,082 and 100,352 triangles) unless given

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "../tests/problems.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/pattern.h"

namespace varimesh {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e6;
}

/// Fits one mesh; gives the time of an iteration.
double run(Index cells) {
  const auto begin = Clock::now();
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {cells, cells});
  const auto problem = std::make_shared<fem::EllipticProblem>(
      mesh, fem::one_per_cell(mesh), std::vector<fem::SourceTerm>{{.region = {}, .value = test::constant(1)}},
      std::vector<fem::BoundaryCondition>{test::dirichlet("right", test::constant(0)),
                                          test::dirichlet("top", test::constant(0))});
  std::vector<Point> points;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) points.emplace_back((i + 0.5) / 10, (j + 0.5) / 10, 0);
  }
  const auto model =
      std::make_shared<inverse::EllipticModel>(problem, inverse::sensors_at_points(mesh, points, *problem));
  const auto prior = std::make_shared<inverse::SpdePrior>(mesh, inverse::SpdeSettings{.sigma = 0.5, .range = 0.5}, 2);

  // The truth is a smooth function, the same on every mesh, so that the problems differ in the mesh only.
  const std::vector<Point> centroids = fem::coefficient_positions(mesh, fem::one_per_cell(mesh));
  Vector truth(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c)
    truth[c] = 0.7 * std::sin(5 * centroids[c][0]) * std::cos(4 * centroids[c][1]);
  constexpr double sigma = 0.02;
  Random random(1);
  const Vector y = model->predict(truth) + sigma * random.normal_vector(100);
  const inverse::Posterior posterior(
      std::make_shared<inverse::GaussianLikelihood>(
          model, inverse::observe_means(y, Vector::Ones(100), Vector::Constant(100, sigma))),
      prior);
  const auto pattern = variational::create_pattern(linalg::sharing_graph(mesh.cell_nodes, 3, mesh.num_nodes()), 1,
                                                   variational::PatternKind::graph, prior->sparse_precision());
  const double setup = since(begin);

  variational::FitOptions options{.pattern = pattern, .elbo_samples = 64, .threads = 2};
  options.natural_gradient.tolerance = 0.1;
  const auto fit_begin = Clock::now();
  const variational::FitResult result = variational::fit(posterior, options);
  const double all = since(fit_begin);
  double iterating = 0;
  for (const auto& [phase, seconds] : result.seconds) {
    if (phase == "natural gradient") iterating = seconds;
  }
  const double iteration = iterating / static_cast<double>(std::max<std::size_t>(1, result.trace.size()));
  fmt::print("{:>8} {:>9.1e} {:>8.1f} s {:>8.1f} s {:>4} {:>8.2f} s {:>8} {:>9} {:>7.2f} GB {:>9.2f} +- {:.2f}  {}\n",
             mesh.num_cells(), static_cast<double>(pattern->num_entries()), setup, all, result.trace.size(), iteration,
             result.counts.forward_solves, result.counts.adjoint_solves, peak_gigabytes(), result.elbo.value,
             result.elbo.standard_error, result.message);
  std::fflush(stdout);
  return iteration;
}

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  std::vector<int> sizes = {22, 71, 224};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  fmt::print("   cells   entries     setup        fit  its  iteration   solves   adjoints     memory       ELBO\n");
  std::vector<double> seconds;
  for (const int size : sizes) seconds.push_back(varimesh::run(size));
  for (std::size_t k = 1; k < sizes.size(); ++k)
    fmt::print("time of an iteration grows with the number of cells to the power {:.2f}\n",
               std::log(seconds[k] / seconds[k - 1]) / (2 * std::log(static_cast<double>(sizes[k]) / sizes[k - 1])));
  return 0;
}
