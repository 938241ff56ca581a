// infer_fit of infer_steps.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "varimesh/cancellation.h"
#include "varimesh/constants.h"
#include "varimesh/diagnostics/density.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/trust.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/mixture.h"

namespace varimesh::run {
namespace {

/// Draws and their predictions have so many numbers each, unless the file says: 160 MB, in memory and in files.
constexpr double numbers_of_all_draws = 2e7;

/// Of which so many are kept.
Index num_kept(const MethodConfig& config, Index numbers_each) {
  return config.draws.value_or(std::max<Index>(20, static_cast<Index>(numbers_of_all_draws / numbers_each)));
}

result::Status status_of(result::FitStatus status) {
  constexpr result::Status all[] = {result::Status::converged, result::Status::iteration_limit,
                                    result::Status::diverged, result::Status::interrupted};
  return all[static_cast<std::size_t>(status)];
}

void keep_distribution(const std::shared_ptr<const variational::Family>& q, result::MethodRecord& record) {
  if (auto normal = variational::shared_gaussian(q)) {
    record.components = {std::move(normal)};
  } else if (const auto* mixture = dynamic_cast<const variational::Mixture*>(q.get())) {
    for (Index k = 0; k < mixture->num_components(); ++k)
      record.components.emplace_back(q, &mixture->component(k).gaussian());
  }
}

/// Whether the model works at one of some draws.
bool any_works(const inverse::Posterior& posterior, const variational::Family& q, std::uint64_t seed) {
  constexpr Index tries = 50;
  Random random(seed, random_streams::first_look);
  const Matrix z = random.normal_matrix(q.size(), tries * q.num_components());
  variational::Evaluator evaluator(posterior, 1);
  return (evaluator.values(q.transform(z)).array() > -std::numeric_limits<double>::infinity()).any();
}

/// The share of the iterations that a fit may take; the search for the most probable kappa before them is not counted.
double done_at_least(const result::TracePoint& point, const variational::FitOptions& options) {
  if (point.samples == 0) return nan;
  const bool adam = options.optimizer == variational::Optimizer::adam;
  return static_cast<double>(point.iteration) /
         (adam ? options.adam.max_steps : options.natural_gradient.max_iterations);
}

/// One chain of independent draws.
result::Draws keep_draws(const Matrix& draws, const Vector& log_posterior, const Vector& log_likelihood) {
  const auto unknowns = static_cast<Index>(draws.rows());
  std::vector<double> records;
  records.reserve(static_cast<std::size_t>(result::record_length(unknowns)) * static_cast<std::size_t>(draws.cols()));
  for (Eigen::Index s = 0; s < draws.cols(); ++s) {
    const auto kappa = draws.col(s);
    records.insert(records.end(), kappa.begin(), kappa.end());
    records.insert(records.end(), {log_posterior[s], log_likelihood[s]});
    records.insert(records.end(), result::num_statistics - 2, nan);
  }
  return {unknowns, {std::make_shared<result::MemoryDraws>(std::move(records))}};
}

/// Exact for a normal distribution, from draws for a mixture.
result::FieldSummary summarize(const variational::Family& q, const Matrix& draws) {
  result::FieldSummary summary;
  summary.mean = q.mean();
  summary.sd = q.variance().cwiseSqrt();
  if (q.num_components() == 1) {
    summary.q05 = summary.mean - normal_95 * summary.sd;
    summary.q50 = summary.mean;
    summary.q95 = summary.mean + normal_95 * summary.sd;
    return summary;
  }
  summary.q05 = summary.q50 = summary.q95 = summary.mean;
  for (Index i = 0; i < q.size(); ++i) {
    const Vector levels = diagnostics::quantiles(draws.row(i), Eigen::Vector3d(0.05, 0.5, 0.95));
    summary.q05[i] = levels[0];
    summary.q50[i] = levels[1];
    summary.q95[i] = levels[2];
  }
  return summary;
}

result::KhatRecord khat(const diagnostics::PsisResult& psis) {
  constexpr const char* verdicts[] = {"good", "poor", "bad", "undetermined"};
  return {psis.khat, psis.threshold, verdicts[static_cast<std::size_t>(psis.verdict)]};
}

/// What there is of a fit without an evaluation of the model.
void record_unchecked(const std::shared_ptr<const variational::Family>& q, Index draws, std::uint64_t seed,
                      result::MethodRecord& record) {
  Random random(seed, random_streams::importance);  // those that would be checked
  const Index count = std::max<Index>(1, draws / q->num_components()) * q->num_components();
  const Matrix kappa = q->transform(random.normal_matrix(q->size(), count));
  result::FieldSummary summary = summarize(*q, kappa);
  const Vector unknown = Vector::Constant(count, nan);
  keep_distribution(q, record);
  record.draws = keep_draws(kappa, unknown, unknown);
  record.kappa = std::move(summary);
}

}  // namespace

Index num_draws(const MethodConfig& config, Index numbers_each) {
  return config.draws.value_or(std::clamp<Index>(static_cast<Index>(numbers_of_all_draws / numbers_each), 100, 1000));
}

Index numbers_each(const inverse::Posterior& posterior) {
  const auto* likelihood = posterior.gaussian_likelihood();
  return std::max(posterior.size(), likelihood ? likelihood->model().num_predictions() : 0);
}

void record_weighted_draws(const variational::ImportanceCheck& check, result::MethodRecord& record) {
  record.khat = khat(check.psis);
  record.log_weights = check.log_weights;
  record.draws = keep_draws(check.draws, check.log_posterior, check.log_likelihood);
}

void record_interruption(const std::string& message, result::MethodRecord& record) {
  record.status = result::Status::interrupted;
  record.message = message;
  judge_end(record);
}

void record_end(const variational::FitResult& fit, double seconds, result::MethodRecord& record) {
  record.seconds = seconds;
  record.status = status_of(fit.status);
  record.message = fit.message;
  record.phases = fit.seconds;
  record.counts = fit.counts;
  record.trace = fit.trace;
  record.rank = fit.rank;
  if (fit.elbo.samples > 0) record.elbo = result::Estimate{fit.elbo.value, fit.elbo.standard_error};
  judge_end(record);
}

void record_distribution(const std::shared_ptr<const variational::Family>& q, variational::Evaluator& evaluator,
                         Index draws, Index kept, Method method, std::uint64_t seed, result::MethodRecord& record) {
  const Stopwatch watch;
  const variational::ImportanceCheck check = variational::check_importance(evaluator, *q, draws, seed, kept);
  result::FieldSummary summary = summarize(*q, check.draws);
  keep_distribution(q, record);
  record.phases.emplace_back("importance weights", watch.seconds());
  record_weighted_draws(check, record);
  record.kappa = std::move(summary);
  judge_weights(check, method, record);
}

void infer_fit(const MethodConfig& config, const InverseProblem& problem, const inverse::Posterior& posterior,
               Method method, const InferenceOptions& options, const InferenceObserver& observer,
               result::MethodRecord& record) {
  const Stopwatch watch;
  variational::FitOptions settings = fit_options(config, problem, posterior, method, options.threads);
  at(config.origin, [&] { require_memory(fit_bytes(problem, posterior, settings), available_bytes(), "the fit"); });
  CoarseStart coarse;
  if (settings.family == variational::FamilyKind::low_rank) {
    coarse = problem.fit_coarse(posterior, settings, [&](const result::TracePoint& point) {
      return !observer || observer({method, "coarse fit", &point, nullptr, nan});
    });
    if (coarse.q) record.phases.emplace_back("coarse fit", watch.seconds());
    settings.start = coarse.q;
  }
  variational::FitResult fit = at(config.origin, [&] {
    return variational::fit(posterior, settings, [&](const result::TracePoint& point) {
      return !observer || observer({method, "fit", &point, nullptr, done_at_least(point, settings)});
    });
  });
  if (coarse.q)
    fit.message += fmt::format("; begun from a fit on {} unknowns, which took {} Jacobians there, and {} here",
                               coarse.unknowns, coarse.counts.jacobians, fit.counts.jacobians);
  fit.seconds.insert(fit.seconds.begin(), record.phases.begin(), record.phases.end());
  record_end(fit, watch.seconds(), record);
  if (!fit.q) return;
  const std::shared_ptr<const variational::Family> q = std::move(fit.q);

  if (observer) observer({method, "importance weights", nullptr, nullptr, nan});
  if (fit.elbo.samples > 0 && !std::isfinite(fit.elbo.value) && !any_works(posterior, *q, settings.seed)) {
    record.message += "; the model fails at every draw of the fitted distribution";
    record.status = result::Status::diverged;
    record.trust.clear();
    judge_end(record);
    return;
  }
  const Index draws = std::max(num_draws(config, numbers_each(posterior)), 2 * q->num_components());
  const Index kept = num_kept(config, numbers_each(posterior)), few = std::min<Index>(draws, 100);
  variational::Evaluator evaluator(posterior, options.threads);
  const auto check = [&](Index count) {
    at(config.origin, [&] { record_distribution(q, evaluator, count, kept, method, settings.seed, record); });
  };
  if (record.status != result::Status::interrupted && !completes([&] { check(draws); }))
    record_interruption(fit.message + "; interrupted while it was compared with the posterior", record);
  if (record.status != result::Status::interrupted) return;
  // First what takes little time, then what there is time for.
  const CancellationScope finish(finishing());
  if (!completes([&] { record_unchecked(q, std::min(few, kept), settings.seed, record); })) {
    record.message += "; there was no time to sum it up";
    return;
  }
  completes([&] { check(few); });
}

}  // namespace varimesh::run
