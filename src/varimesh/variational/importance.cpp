#include "varimesh/variational/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "varimesh/error.h"

namespace varimesh::variational {
namespace {

/// So that draws of several components, which come one component after the other, look like draws of the whole.
std::vector<Index> random_order(Index count, Random& random) {
  const Vector key = random.normal_vector(count);
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index s) { return key[s]; });
  return order;
}

}  // namespace

ImportanceCheck check_importance(Evaluator& evaluator, const Family& q, Index draws, std::uint64_t seed) {
  constexpr double max_numbers = 5e8;  // 4 GB
  const Index components = q.num_components();
  if (draws < components) throw InputError(fmt::format("expected {} or more draws, found {}", components, draws));
  if (static_cast<double>(draws) * q.size() > max_numbers)
    throw InputError(fmt::format("{} draws of {} unknowns do not fit into memory: take at most {}", draws, q.size(),
                                 static_cast<Index>(max_numbers / q.size())));
  // Equal numbers from each component.
  const Index count = draws - draws % components;
  Random random(seed, ~std::uint64_t{1});  // a stream that no optimiser uses
  const Matrix z = random.normal_matrix(q.size(), count);

  ImportanceCheck result;
  result.draws = q.transform(z);
  if (components > 1) result.draws = result.draws(Eigen::all, random_order(count, random)).eval();
  result.log_likelihood = evaluator.values(result.draws);
  result.log_posterior = result.log_likelihood;
  for (Index s = 0; s < count; ++s)
    result.log_posterior[s] += evaluator.posterior().prior().log_density(result.draws.col(s));
  const Vector log_ratios = result.log_posterior - q.log_densities(result.draws);
  result.failures = static_cast<Index>((log_ratios.array() == -std::numeric_limits<double>::infinity()).count());
  if (result.failures == count) throw InputError("the model fails at every draw of the approximation");
  result.psis = diagnostics::psis(log_ratios);
  result.verdict = diagnostics::describe(result.psis);
  if (result.failures > 0) result.verdict += fmt::format("; the model fails at {} of {} draws", result.failures, count);
  if (result.psis.verdict == diagnostics::Verdict::good)
    result.corrected = diagnostics::importance_moments(result.draws, result.psis);
  return result;
}

}  // namespace varimesh::variational
