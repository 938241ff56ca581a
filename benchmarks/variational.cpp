// The paper's 1D problem (32 elements, sigma_y 0.01, five replicates): the natural gradient, the best that a long run
// with exact gradients reaches in the same family, and the paper's Adam, for each prior length-scale and family.
//
//   benchmark_variational [--steps N]     Adam's steps, 100,000 unless given

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "../tests/paper_problems.h"
#include "../tests/variational/exact_gradients.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/adam.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/pattern.h"

namespace varimesh::variational {
namespace {

struct Setting {
  const char* name;
  FamilyKind family;
  Index bandwidth;
};

constexpr Setting settings[] = {{"mean field", FamilyKind::mean_field, 0},
                                {"bandwidth 2", FamilyKind::sparse_precision, 2},
                                {"bandwidth 10", FamilyKind::sparse_precision, 10},
                                {"bandwidth 20", FamilyKind::sparse_precision, 20},
                                {"full covariance", FamilyKind::full_covariance, 0}};

/// At the same draws for all, so that differences are known better than values.
double elbo(const inverse::Posterior& posterior, const Family& q) {
  Evaluator evaluator(posterior, 1);
  Random random(99);
  return estimate_elbo(evaluator, q, 20'000, random).value;
}

/// The paper's Adam; prints its ELBO after 1e3, 1e4, ... steps, and gives the time to come within 1 nat of a value, or
/// minus that of all steps.
double run_adam(const inverse::Posterior& posterior, FitOptions options, Index steps, double target) {
  double reached = 0, all = 0;
  for (Index count = 1000; count <= steps; count *= 10) {
    options.optimizer = Optimizer::adam;
    options.adam.max_steps = count;
    options.adam.tolerance = 1e-12;  // all steps
    const Stopwatch watch;
    const FitResult result = fit(posterior, options);
    all = watch.seconds();
    const double value = result.q ? elbo(posterior, *result.q) : 0;
    fmt::print(" {:>10.2f} {:>7.2f} s", value, all);
    std::fflush(stdout);
    if (reached == 0 && value > target - 1) reached = all;
  }
  return reached > 0 ? reached : -all;
}

void compare(double length_scale, Index steps) {
  const test::PaperProblem problem = test::paper_1d(length_scale);
  const linalg::Graph neighbours = linalg::sharing_graph(problem.mesh.cell_nodes, 2, problem.mesh.num_nodes());
  for (const Setting& setting : settings) {
    FitOptions options{.family = setting.family, .elbo_samples = 4};
    if (setting.bandwidth > 0)
      options.pattern = create_pattern(neighbours, setting.bandwidth, PatternKind::band, nullptr);
    fit(*problem.posterior, options);  // warm up
    const Stopwatch watch;
    const FitResult natural = fit(*problem.posterior, options);
    const double seconds = watch.seconds();
    const double value = elbo(*problem.posterior, *natural.q);
    const auto polish = [&](const Family& start) {
      return test::run_exact_gradients(*problem.posterior, start,
                                       {.draws = 4096, .max_iterations = 3000, .threads = 2});
    };
    // From two starts, because sparse families have local optima.
    options.optimizer = Optimizer::laplace;
    const FitResult laplace = fit(*problem.posterior, options);
    const double best =
        std::max(elbo(*problem.posterior, *polish(*natural.q)), elbo(*problem.posterior, *polish(*laplace.q)));
    fmt::print("{:>4} {:<16}{:>4} {:>9.2f} {:>+7.3f} {:>8.1f} ms |", length_scale, setting.name, natural.trace.size(),
               value, value - best, 1e3 * seconds);
    const double adam_seconds = run_adam(*problem.posterior, options, steps, value);
    fmt::print(" | {}{:.0f}\n", adam_seconds < 0 ? "> " : "", std::abs(adam_seconds) / seconds);
  }
}

}  // namespace
}  // namespace varimesh::variational

int main(int argc, char** argv) {
  varimesh::Index steps = 100'000;
  if (argc == 3 && std::strcmp(argv[1], "--steps") == 0) {
    steps = std::atoi(argv[2]);
  } else if (argc != 1) {
    fmt::print(stderr, "usage: benchmark_variational [--steps N]\n");
    return 2;
  }
  fmt::print(
      "prior family          its      ELBO  -best      time | Adam's ELBO and time after 1e3, 1e4, ... steps | "
      "its time to within 1 nat / ours\n");
  for (const double length_scale : {0.1, 0.2, 0.3}) varimesh::variational::compare(length_scale, steps);
  return 0;
}
