#include "varimesh/variational/fit_summary.h"

#include <utility>

#include "varimesh/error.h"
#include "varimesh/random.h"

namespace varimesh::variational {
namespace {

Matrix draw(const Family& q, Index draws) {
  Random random(1);
  return q.transform(random.normal_matrix(q.size(), draws - draws % q.num_components()));
}

}  // namespace

diagnostics::Contender summarize(std::string name, const FitResult& fit, const std::optional<ImportanceCheck>& check) {
  if (!fit.q) throw InputError("the fit ended before there was a distribution: " + fit.message);
  const auto* normal = dynamic_cast<const GaussianFamily*>(fit.q.get());
  diagnostics::Contender result = normal ? diagnostics::summarize(std::move(name), normal->gaussian())
                                         : diagnostics::summarize_independent(std::move(name), draw(*fit.q, 10'000));
  for (const auto& [phase, seconds] : fit.seconds) result.seconds += seconds;
  result.counts = fit.counts;
  if (check) result.khat = check->psis.khat;
  return result;
}

}  // namespace varimesh::variational
