#include "varimesh/run/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "varimesh/inverse/gaussian_likelihood.h"
#include "varimesh/random_streams.h"
#include "varimesh/stopwatch.h"

namespace varimesh::run {
namespace {

double flux_balance_error(const fem::EllipticProblem& equation, const fem::EllipticSolution& solution) {
  const Vector load = solution.load();
  const Vector reaction = solution.apply(solution.u()) - load;
  const auto fixed = reaction.tail(equation.num_nodes() - equation.num_free());
  // Where currents cancel (high contrast), their rounding, some units in the last place, is all that can be asked for.
  const double rounding = 1e-4 * equation.network().current_bound(solution.conductivity(), solution.u());
  // sum_i (A u)_i = 1' E u, what reaction and Robin conditions take
  const Vector taken = solution.ground().cwiseProduct(solution.u());
  const double scale = std::max({fixed.lpNorm<1>(), load.lpNorm<1>(), taken.lpNorm<1>(), rounding});
  return scale > 0 ? std::abs(fixed.sum() + load.sum() - taken.sum()) / scale : 0;
}

double seconds_per_evaluation(const inverse::LogLikelihood& likelihood, const Vector& kappa) {
  constexpr double enough = 0.05;
  double best = std::numeric_limits<double>::infinity(), total = 0;
  Vector gradient;
  for (int run = 0; run < 2 || (total < enough && run < 1000); ++run) {
    const Stopwatch watch;
    likelihood.value_and_gradient(kappa, gradient);
    const double seconds = watch.seconds();
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

}  // namespace

bool CheckReport::passed() const {
  return solvable && flux_balance_error <= balance_tolerance && (!likelihood || likelihood->holds(tolerance)) &&
         (!model || model->holds(tolerance));
}

CheckReport check(const Problem& problem, const inverse::Prior* prior, std::uint64_t seed) {
  const fem::EllipticProblem& equation = *problem.equation.problem;
  Random random(seed, random_streams::check);
  const Vector kappa = prior ? prior->sample(random) : Vector(0.3 * random.normal_vector(problem.num_unknowns()));
  CheckReport report;
  {
    const fem::EllipticSolution solution = equation.solve(kappa);
    report.solvable = solution.ok();
    if (!report.solvable) return report;
    report.flux_balance_error = flux_balance_error(equation, solution);
  }
  if (!problem.model) return report;

  inverse::Observations observations;
  if (problem.observations) {
    observations = *problem.observations;
  } else {
    const Vector reading = problem.model->predict(Vector(0.9 * kappa));
    const double sigma = std::max(0.01 * reading.lpNorm<Eigen::Infinity>(), 1e-12);
    observations =
        inverse::observe_means(reading, Vector::Ones(reading.size()), Vector::Constant(reading.size(), sigma));
  }
  const inverse::GaussianLikelihood likelihood(problem.model, observations);
  // Large problems: fewer evaluations, one workspace, no dense Jacobian.
  constexpr double large_workspace = 100e6, large_jacobian = 2e6;
  const bool large = equation.workspace_bytes() > large_workspace;
  const inverse::ContractOptions options = large ? inverse::ContractOptions{1, 1} : inverse::ContractOptions{};
  report.threads = options.threads;
  report.likelihood = inverse::check_log_likelihood(likelihood, kappa, random, options);
  if (static_cast<double>(problem.num_unknowns()) * problem.model->num_predictions() <= large_jacobian)
    report.model = inverse::check_forward_model(*problem.model, kappa, random, options);
  report.seconds = seconds_per_evaluation(likelihood, kappa);
  return report;
}

}  // namespace varimesh::run
