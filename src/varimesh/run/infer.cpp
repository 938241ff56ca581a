#include "varimesh/run/infer.h"

#include <limits>

#include "varimesh/error.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/leave_one_out.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/predictions.h"
#include "varimesh/run/size_checks.h"
#include "varimesh/run/trust.h"
#include "varimesh/run/truth.h"

namespace varimesh::run {

Matrix draw_prior(const inverse::Prior& prior, std::uint64_t seed) {
  constexpr double most_numbers = 1e7;  // 80 MB
  const auto count = static_cast<Index>(std::clamp(most_numbers / prior.size(), 10.0, 500.0));
  Random random(seed, ~std::uint64_t{2});  // a stream that no method uses
  Matrix draws(prior.size(), count);
  for (auto column : draws.colwise()) column = prior.sample(random);
  return draws;
}

inverse::Posterior build_posterior(const Config& config, const Problem& problem) {
  if (!problem.observations)
    throw InputError(config.file.string() + ": expected a table [observations] with the key data, from which to infer");
  const auto prior = build_prior(config, problem);
  if (!prior)
    throw InputError(config.file.string() +
                     ": expected a table [prior], which says what is believed of kappa before measuring");
  return {std::make_shared<inverse::GaussianLikelihood>(problem.model, *problem.observations), prior};
}

result::MethodRecord infer(const Config& config, const Problem& problem, const inverse::Posterior& posterior,
                           Method method, const InferenceOptions& options, const InferenceObserver& observer) {
  require_prediction_size(config, problem, method);
  const std::optional<result::Truth> truth = build_truth(config, problem);
  result::MethodRecord record = describe_method(config, problem, posterior, method);
  const auto step = method == Method::automatic ? infer_auto : samples_chains(method) ? infer_chains : infer_fit;
  step(config, problem, posterior, method, options, observer, record);
  if (!record.has_answer()) return record;
  record.prior_draws = draw_prior(posterior.prior(), config.method.seed);
  const bool interrupted = record.status == result::Status::interrupted;
  const PredictionCount predicted =
      predict(problem, truth ? &*truth : nullptr, options.threads, record, [&](double done) {
        // What an interrupted method has found is worth the little that this takes.
        return interrupted || !observer || observer({method, "predictions", nullptr, nullptr, done});
      });
  if (!predicted.complete) {
    record.status = result::Status::interrupted;
    record.message = "interrupted while predicting: what follows from the draws is known for some of them only";
    judge_end(record);
  }
  record.leave_one_out = leave_one_out(problem, posterior, record, options.threads, [&] {
    return !observer || observer({method, "sensors", nullptr, nullptr, std::numeric_limits<double>::quiet_NaN()});
  });
  if (options.check_mesh) record.mesh_check = check_mesh(config, problem, record.kappa.mean, available_bytes());
  judge_predictions(problem, DataKind::inferred_from, predicted.failures, truth ? &*truth : nullptr, record);
  return record;
}

}  // namespace varimesh::run
