// The low-rank family beside the others on one problem: time, ELBO, and the sd of the logarithm of a flux.
//
//   benchmark_low_rank [--cells N] [--sensors N] [--noise S] [--threads N] [--elbo-samples N] [family ...]
//
// Times are by the clock and, in brackets, of the processor, which other work on the machine disturbs least.
// Families: laplace (of low rank), low_rank, fcvb, pmvb; the first two unless given.

#include "varimesh/variational/low_rank.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "square_problem.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/pattern.h"

namespace varimesh {
namespace {

using variational::FamilyKind;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run(const benchmarks::SquareProblem& problem, const std::string& name, int threads, Index elbo_samples) {
  variational::FitOptions options{.family = FamilyKind::low_rank, .threads = threads};
  if (name == "fcvb") options.family = FamilyKind::full_covariance;
  if (name == "laplace") options.optimizer = variational::Optimizer::laplace;
  if (name == "pmvb") {
    options.family = FamilyKind::sparse_precision;
    options.pattern =
        variational::create_pattern(linalg::sharing_graph(problem.mesh.cell_nodes, 3, problem.mesh.num_nodes()), 2,
                                    variational::PatternKind::graph, problem.prior->sparse_precision());
  }
  options.natural_gradient.tolerance = std::max(0.01, 1e-4 * problem.posterior->size());
  options.elbo_samples = elbo_samples;
  const Stopwatch watch;
  const double start = processor_seconds();
  const variational::FitResult fit = variational::fit(*problem.posterior, options);
  const double seconds = watch.seconds(), processor = processor_seconds() - start;
  if (!fit.q) {
    fmt::print("{}: {}\n", name, fit.message);
    return;
  }
  Random random(7);
  const Stopwatch draw_watch;
  const Matrix some = fit.q->transform(random.normal_matrix(fit.q->size(), 500));
  const double draw_seconds = draw_watch.seconds();
  constexpr Index draws = 2000;  // an sd is known to 1.6 %
  const Matrix kappa = fit.q->transform(random.normal_matrix(fit.q->size(), draws));
  Vector flux(draws);
  for (Index s = 0; s < draws; ++s) flux[s] = std::log(problem.flux.value(problem.equation->solve(kappa.col(s))));
  const double sd = std::sqrt((flux.array() - flux.mean()).square().sum() / (draws - 1));
  fmt::print(
      "{:<9} {:>8.2f} s ({:.2f} s)  ELBO {:>10.3f} +- {:.3f}  log flux {:.4f} +- {:.4f}  its {:>3}  solves {} + {}  "
      "{:.2f} GB  "
      "{}\n",
      name, seconds, processor, fit.elbo.value, fit.elbo.standard_error, flux.mean(), sd, fit.trace.size(),
      fit.counts.forward_solves, fit.counts.adjoint_solves, benchmarks::peak_gigabytes(), fit.message);
  for (const auto& [phase, time] : fit.seconds) fmt::print("   {} {:.2f} s", phase, time);
  fmt::print("   {} draws {:.2f} s", some.cols(), draw_seconds);
  if (const auto* low = dynamic_cast<const variational::LowRank*>(fit.q.get()))
    fmt::print("   rank {}", low->gaussian().rank());
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  varimesh::benchmarks::SquareSettings settings;
  std::vector<std::string> names;
  varimesh::Index elbo_samples = 256;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--cells"))
      settings.cells = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--sensors"))
      settings.sensors = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--noise"))
      settings.noise = std::atof(argv[++i]);
    else if (!std::strcmp(argv[i], "--threads"))
      settings.threads = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--elbo-samples"))
      elbo_samples = std::atoi(argv[++i]);
    else
      names.emplace_back(argv[i]);
  }
  if (names.empty()) names = {"laplace", "low_rank"};
  const varimesh::Stopwatch watch;
  const auto problem = varimesh::benchmarks::create_square(settings);
  fmt::print("{} cells, {} sensors: set up in {:.2f} s, {:.2f} GB\n", problem.mesh.num_cells(),
             settings.sensors * settings.sensors, watch.seconds(), varimesh::benchmarks::peak_gigabytes());
  for (const std::string& name : names) varimesh::run(problem, name, settings.threads, elbo_samples);
  return 0;
}
