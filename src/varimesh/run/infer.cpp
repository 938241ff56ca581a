#include "varimesh/run/infer.h"

#include <fmt/format.h>

#include <limits>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/configured_problem.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/leave_one_out.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/predictions.h"
#include "varimesh/run/prior_sensitivity.h"
#include "varimesh/run/size_checks.h"
#include "varimesh/run/trust.h"

namespace varimesh::run {
namespace {

void require_same_size(const InverseProblem& problem, const inverse::Posterior& posterior) {
  if (problem.record().num_unknowns() != posterior.size())
    throw InputError(fmt::format("expected a record of the posterior's {} unknowns, found positions of {}",
                                 posterior.size(), problem.record().num_unknowns()));
}

}  // namespace

Matrix draw_prior(const inverse::Prior& prior, std::uint64_t seed) {
  constexpr double most_numbers = 1e7;  // 80 MB
  const auto count = static_cast<Index>(std::clamp(most_numbers / prior.size(), 10.0, 500.0));
  Random random(seed, random_streams::prior);
  Matrix draws(prior.size(), count);
  Index done = 0;
  completes([&] {
    for (; done < count; ++done) {
      throw_if_interrupted();
      draws.col(done) = prior.sample(random);
    }
  });
  draws.conservativeResize(Eigen::NoChange, done);
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
  return infer(config.method, ConfiguredProblem(config, problem), posterior, method, options, observer);
}

result::MethodRecord infer(const MethodConfig& config, const InverseProblem& problem,
                           const inverse::Posterior& posterior, Method method, const InferenceOptions& options,
                           const InferenceObserver& observer) {
  const linalg::OneBlasThread serial;
  require_same_size(problem, posterior);
  require_prediction_size(config, problem, method);
  const std::optional<result::Truth>& truth = problem.record().truth;
  result::MethodRecord record = describe_method(config, problem, posterior, method);
  const auto step = method == Method::automatic ? infer_auto : samples_chains(method) ? infer_chains : infer_fit;
  if (!completes([&] { step(config, problem, posterior, method, options, observer, record); }))
    record_interruption("interrupted before there was an answer", record);
  if (!record.has_answer()) return record;

  // What an interrupted method has found is worth the little time that is left.
  std::optional<CancellationScope> finish;
  const auto interrupt = [&](const char* when) {
    if (record.status != result::Status::interrupted) record_interruption(when, record);
    if (!finish) finish.emplace(finishing());
  };
  if (record.status == result::Status::interrupted) finish.emplace(finishing());
  const bool before = record.status == result::Status::interrupted;
  const PredictionCount predicted = predict(
      problem, truth ? &*truth : nullptr, options.threads, record,
      [&](double done) { return before || !observer || observer({method, "predictions", nullptr, nullptr, done}); });
  if (!predicted.complete)
    interrupt("interrupted while predicting: what follows from the draws is known for some of them only");
  record.prior_draws = draw_prior(posterior.prior(), config.seed);
  const auto leave_out = [&] {
    record.leave_one_out = leave_one_out(problem, posterior, record, options.threads, [&] {
      return !observer || observer({method, "sensors", nullptr, nullptr, std::numeric_limits<double>::quiet_NaN()});
    });
    throw_if_interrupted();  // else what was linearised in haste would count
  };
  if (!completes(leave_out)) {
    record.leave_one_out = {};
    interrupt("interrupted before every sensor was compared with all others");
  }
  const auto compare_mesh = [&] { record.mesh_check = problem.check_mesh(record.kappa.mean, available_bytes()); };
  if (options.check_mesh && !completes(compare_mesh)) {
    record.mesh_check = {};
    record.mesh_check.skipped = "the method was interrupted";
    interrupt("interrupted before the mesh was compared with a finer one");
  }
  const auto question = [&] {
    record.prior_sensitivity =
        question_prior(config, problem, posterior, record, options.threads, [&](const result::TracePoint& point) {
          return !observer ||
                 observer({method, "other priors", &point, nullptr, std::numeric_limits<double>::quiet_NaN()});
        });
    throw_if_interrupted();  // in a fit with one of them
  };
  if (options.question_prior && record.status != result::Status::interrupted && !completes(question)) {
    record.prior_sensitivity = {};
    record.prior_sensitivity.skipped = "it was interrupted";
    interrupt("interrupted before other priors were compared");
  }
  judge_predictions(problem, DataKind::inferred_from, predicted.failures, truth ? &*truth : nullptr, record);
  return record;
}

}  // namespace varimesh::run
