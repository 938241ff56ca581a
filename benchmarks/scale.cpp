// A fit of low rank from end to end on ever larger meshes: a triangulated square, a Matern prior, 100 sensors, two
// threads; and how the time of an iteration grows, in seconds of processor time (both threads together), which other
// work on the machine disturbs least.
//
//   benchmark_scale [cells along a side ...]     22, 71 and 224 (968, 10,082 and 100,352 triangles) unless given

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "square_problem.h"
#include "varimesh/allocation.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/fit.h"

namespace varimesh {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Fits one mesh; gives the processor time of an iteration.
double run(Index cells) {
  const Stopwatch setup_watch;
  const benchmarks::SquareProblem problem =
      benchmarks::create_square({.cells = cells, .noise = 0.02, .range = 0.5, .sd = 0.5, .threads = 2});
  const double setup = setup_watch.seconds();
  variational::FitOptions options{.family = variational::FamilyKind::low_rank, .elbo_samples = 64, .threads = 2};
  options.natural_gradient.tolerance = 0.1;
  // The observer is called in each step to the most probable kappa, then in each iteration.
  std::vector<double> calls = {processor_seconds()};
  const auto observer = [&](const result::TracePoint&) {
    calls.push_back(processor_seconds());
    return true;
  };
  const Stopwatch watch;
  const variational::FitResult result = variational::fit(*problem.posterior, options, observer);
  const double all = watch.seconds(), processor = processor_seconds() - calls.front();
  const std::size_t iterations = std::clamp<std::size_t>(result.trace.size(), 1, calls.size() - 1);
  const double iteration = (calls.back() - calls[calls.size() - 1 - iterations]) / static_cast<double>(iterations);
  fmt::print(
      "{:>8} {:>8.1f} s {:>8.1f} s {:>8.1f} s {:>4} {:>8.3f} s {:>5} {:>8} {:>9} {:>7.2f} GB {:>9.2f} +- {:.2f}  {}\n",
      problem.mesh.num_cells(), setup, all, processor, iterations, iteration, result.rank ? result.rank->rank : 0,
      result.counts.forward_solves, result.counts.adjoint_solves, benchmarks::peak_gigabytes(), result.elbo.value,
      result.elbo.standard_error, result.message);
  for (const auto& [phase, seconds] : result.seconds) fmt::print("   {} {:.2f} s", phase, seconds);
  fmt::print("\n");
  std::fflush(stdout);
  return iteration;
}

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  varimesh::keep_freed_memory();
  std::vector<int> sizes = {22, 71, 224};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  fmt::print(
      "   cells      setup        fit  processor  its   iteration  rank   solves  adjoints     memory       ELBO\n");
  std::vector<double> seconds;
  for (const int size : sizes) seconds.push_back(varimesh::run(size));
  for (std::size_t k = 1; k < sizes.size(); ++k)
    fmt::print("time of an iteration grows with the number of cells to the power {:.2f}\n",
               std::log(seconds[k] / seconds[k - 1]) / (2 * std::log(static_cast<double>(sizes[k]) / sizes[k - 1])));
  return 0;
}
