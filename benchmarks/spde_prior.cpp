// The Matern prior on ever larger triangulated squares: what it costs to set up, and to draw fields in blocks.
//
//   benchmark_spde_prior [cells along a side ...]     71 and 224 (10,082 and 100,352 triangles) unless given

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "varimesh/inverse/spde_prior.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/parallel.h"

namespace varimesh {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e6;
}

void run(Index cells) {
  constexpr int threads = 2, columns = 32;
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {cells, cells});
  const auto begin = Clock::now();
  const inverse::SpdePrior prior(mesh, inverse::SpdeSettings{.sigma = 0.5, .range = 0.5}, threads);
  const double setup = since(begin), setup_peak = peak_gigabytes();

  Random random(1);
  Matrix x = Matrix::NullaryExpr(prior.size(), threads * columns, [&] { return random.normal(); });
  const auto time = [&](int on_threads, const auto& operation) {
    const auto start = Clock::now();
    parallel_for(on_threads, on_threads, [&](Index t) { operation(x.middleCols(t * columns, columns)); });
    return since(start);
  };
  const auto multiply = [&](Eigen::Ref<Matrix> block) { prior.gaussian().multiply_root(block); };
  const auto multiply_transposed = [&](Eigen::Ref<Matrix> block) { prior.gaussian().multiply_root_transposed(block); };
  const auto solve = [&](Eigen::Ref<Matrix> block) { prior.gaussian().solve_root(block); };
  time(threads, multiply);
  time(threads, solve);
  const double one = time(1, multiply), two = time(threads, multiply), transposed = time(threads, multiply_transposed);
  const double inverse = time(threads, solve);
  fmt::print(
      "{} triangles: set up in {:.2f} s with a peak of {:.2f} GB; {} columns times the root in {:.3f} s, on two threads "
      "at once {:.3f} s (transposed {:.3f} s, inverse {:.3f} s); peak in the end {:.2f} GB\n",
      mesh.num_cells(), setup, setup_peak, columns, one, two, transposed, inverse, peak_gigabytes());
}

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const varimesh::Index cells : {71, 224}) varimesh::run(cells);
  }
  for (int i = 1; i < argc; ++i) varimesh::run(std::atoi(argv[i]));
}
