#include "varimesh/variational/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/random_streams.h"

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

ImportanceCheck check_importance(Evaluator& evaluator, const Family& q, Index draws, std::uint64_t seed, Index kept) {
  const linalg::OneBlasThread serial;
  constexpr double max_numbers = 5e8;  // 4 GB
  const Index components = q.num_components();
  if (draws < components) throw InputError(fmt::format("expected {} or more draws, found {}", components, draws));
  // Equal numbers from each component.
  const Index count = draws - draws % components;
  kept = std::min(kept, count);
  if (static_cast<double>(kept) * q.size() > max_numbers)
    throw InputError(fmt::format("{} draws of {} unknowns do not fit into memory: take at most {}", kept, q.size(),
                                 static_cast<Index>(max_numbers / q.size())));
  Random random(seed, random_streams::importance);

  // Some at a time, for not all are kept; of components all at once, for they come one component after the other.
  constexpr Index width = 64;
  const Index block = components > 1 ? count : width;
  ImportanceCheck result;
  result.draws.resize(q.size(), kept);
  Vector log_likelihood(count), log_posterior(count), log_ratios(count);
  for (Index first = 0; first < count; first += block) {
    const Index size = std::min(block, count - first);
    Matrix kappa = q.transform(random.normal_matrix(q.size(), size));
    if (components > 1) kappa = kappa(Eigen::all, random_order(count, random)).eval();
    log_likelihood.segment(first, size) = evaluator.values(kappa);
    for (Index s = 0; s < size; ++s) {
      throw_if_interrupted();
      log_posterior[first + s] = log_likelihood[first + s] + evaluator.posterior().prior().log_density(kappa.col(s));
    }
    log_ratios.segment(first, size) = log_posterior.segment(first, size) - q.log_densities(kappa);
    const Index still = std::clamp(kept - first, 0, size);
    result.draws.middleCols(std::min(first, kept), still) = kappa.leftCols(still);
  }
  result.failures = static_cast<Index>((log_ratios.array() == -std::numeric_limits<double>::infinity()).count());
  if (result.failures == count) throw InputError("the model fails at every draw of the approximation");
  result.psis = diagnostics::psis(log_ratios);
  result.verdict = diagnostics::describe(result.psis);
  if (result.failures > 0) result.verdict += fmt::format("; the model fails at {} of {} draws", result.failures, count);
  if (result.psis.verdict == diagnostics::Verdict::good && kept == count)
    result.corrected = diagnostics::importance_moments(result.draws, result.psis);
  result.log_likelihood = log_likelihood.head(kept);
  result.log_posterior = log_posterior.head(kept);
  result.log_weights = result.psis.log_weights.head(kept);
  return result;
}

}  // namespace varimesh::variational
