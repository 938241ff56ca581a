#include "varimesh/run/truth.h"

#include "varimesh/run/build_field.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/evaluate.h"

namespace varimesh::run {

std::optional<result::Truth> build_truth(const Config& config, const Problem& problem) {
  if (!config.truth) return std::nullopt;
  const Vector kappa = complete(config, problem, build_mean(*config.truth, problem.equation));
  const Evaluation evaluation = at(config.truth->origin, [&] { return evaluate(problem, kappa); });
  return result::Truth{kappa, evaluation.u,
                       Eigen::Map<const Vector>(evaluation.quantities.data(), std::ssize(evaluation.quantities))};
}

}  // namespace varimesh::run
