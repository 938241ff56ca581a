// The paper's 1D problem (32 elements, sigma_y 0.01, five replicates): the natural gradient, the best that a long run
// with exact gradients reaches in the same family, and the paper's Adam, for each prior length-scale and family.
//
//   benchmark_variational [--steps N]     Adam's steps, 100,000 unless given

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "../tests/paper_problems.h"
#include "varimesh/variational/adam.h"
#include "varimesh/variational/fit.h"
#include "varimesh/variational/lbfgs.h"
#include "varimesh/variational/pattern.h"

namespace varimesh::variational {
namespace {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

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

/// Exact gradients of the ELBO at many fixed draws, by BFGS, the mean in coordinates whitened by the prior: from q,
/// until nothing is gained any more.
std::unique_ptr<Family> polish(const inverse::Posterior& posterior, const Family& start) {
  constexpr Index draws = 4096;
  const inverse::GaussianPrior& prior = *posterior.gaussian_prior();
  Evaluator evaluator(posterior, 2);
  Random random(7);
  const Matrix z = antithetic_normals(start.size(), draws, random);
  auto q = start.clone();
  auto& normal = static_cast<GaussianFamily&>(*q);
  const auto unwhiten = [&](Vector x) {
    prior.gaussian().multiply_root(x.head(start.size()));
    return x;
  };
  Vector x = q->parameters();
  prior.gaussian().solve_root(x.head(start.size()));
  const auto objective = [&](const Vector& at, Vector& gradient) {
    if (!normal.set_parameters(unwhiten(at))) return -std::numeric_limits<double>::infinity();
    Matrix gradients;
    const double likelihood = evaluator.values_and_gradients(normal.transform(z), gradients).mean();
    Vector kl_gradient;
    const double kl = normal.kl_divergence(prior, kl_gradient);
    gradient = normal.pull_back(z, gradients) / draws - kl_gradient;
    prior.gaussian().multiply_root_transposed(gradient.head(start.size()));
    return likelihood - kl;
  };
  const LbfgsResult best = maximize_lbfgs(objective, x, {.max_iterations = 3000, .memory = 30, .tolerance = 1e-5});
  normal.set_parameters(unwhiten(best.x));
  return q;
}

/// The paper's Adam; prints its ELBO after 1e3, 1e4, ... steps, and gives the time to come within 1 nat of a value, or
/// minus that of all steps.
double run_adam(const inverse::Posterior& posterior, const Setting& setting, FitOptions options, Index steps,
                double target) {
  double reached = 0, all = 0;
  for (Index count = 1000; count <= steps; count *= 10) {
    options.optimizer = Optimizer::adam;
    options.adam.max_steps = count;
    options.adam.tolerance = 1e-12;  // all steps
    options.adam.decay_every = setting.family == FamilyKind::mean_field ? 1000 : 2500;
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
    // From two starts, because sparse families have local optima.
    options.optimizer = Optimizer::laplace;
    const FitResult laplace = fit(*problem.posterior, options);
    const double best = std::max(elbo(*problem.posterior, *polish(*problem.posterior, *natural.q)),
                                 elbo(*problem.posterior, *polish(*problem.posterior, *laplace.q)));
    fmt::print("{:>4} {:<16}{:>4} {:>9.2f} {:>+7.3f} {:>8.1f} ms |", length_scale, setting.name, natural.trace.size(),
               value, value - best, 1e3 * seconds);
    const double adam_seconds = run_adam(*problem.posterior, setting, options, steps, value);
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
