// The Matern prior on ever larger triangulated squares: what it costs to set up, and to draw fields in blocks.
//
//   benchmark_spde_prior [cells along a side ...]     71 and 224 (10,082 and 100,352 triangles) unless given

#include "varimesh/inverse/spde_prior.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <memory>

#include "varimesh/mesh/generate.h"
#include "varimesh/parallel.h"

namespace varimesh {
namespace {

/// Wall-clock and processor time; the latter is what counts on a machine with other work.
struct Times {
  double wall = 0, processor = 0;
};

Times now() {
  const auto seconds = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

template <class Work>
Times time_of(const Work& work) {
  const Times begin = now();
  work();
  const Times end = now();
  return {end.wall - begin.wall, end.processor - begin.processor};
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e6;
}

void run(Index cells) {
  constexpr int threads = 2, columns = 32;
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {cells, cells});
  std::unique_ptr<const inverse::SpdePrior> prior;
  const auto print = [](const char* what, const Times& times) {
    fmt::print("  {:<44} {:8.3f} s, {:8.3f} s of processor time, peak {:.2f} GB\n", what, times.wall, times.processor,
               peak_gigabytes());
  };
  fmt::print("{} triangles\n", mesh.num_cells());
  print("set up on two threads", time_of([&] {
          prior = std::make_unique<const inverse::SpdePrior>(mesh, inverse::SpdeSettings{.sigma = 0.5, .range = 0.5},
                                                             threads);
        }));
  Random random(1);
  Matrix x = Matrix::NullaryExpr(prior->size(), threads * columns, [&] { return random.normal(); });
  const gaussian::Gaussian& gaussian = prior->gaussian();
  using Operation = void (gaussian::Gaussian::*)(Eigen::Ref<Matrix>) const;
  const auto measure = [&](const char* what, Operation operation, int on_threads) {
    const auto work = [&] {
      parallel_for(on_threads, on_threads, [&](Index t) { (gaussian.*operation)(x.middleCols(t * columns, columns)); });
    };
    work();
    print(what, time_of(work));
  };
  measure("root times 32 columns", &gaussian::Gaussian::multiply_root, 1);
  measure("root times 32 columns on both threads", &gaussian::Gaussian::multiply_root, threads);
  measure("its transpose on both threads", &gaussian::Gaussian::multiply_root_transposed, threads);
  measure("its inverse on both threads", &gaussian::Gaussian::solve_root, threads);
}

}  // namespace
}  // namespace varimesh

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const varimesh::Index cells : {71, 224}) varimesh::run(cells);
  }
  for (int i = 1; i < argc; ++i) varimesh::run(std::atoi(argv[i]));
}
