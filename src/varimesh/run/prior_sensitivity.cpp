#include "varimesh/run/prior_sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/parallel.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/infer_steps.h"
#include "varimesh/run/memory.h"
#include "varimesh/run/predictions.h"
#include "varimesh/variational/elbo.h"

namespace varimesh::run {
namespace {

using result::PriorAlternative;
using result::PriorSensitivity;

constexpr Index draws = 100;  // of each fit, for the quantities

/// What is compared of a fit.
struct Fitted {
  std::string failure;  ///< a clause; empty if there is one
  Vector mean, sd;
  double log_evidence = 0;
  Vector quantity_mean, quantity_sd;
};

Fitted failed(std::string why) {
  Fitted fitted;
  fitted.failure = std::move(why);
  return fitted;
}

/// Moments of the finite values in each row.
void summarize_rows(const Matrix& values, Vector& mean, Vector& sd) {
  mean = sd = Vector::Constant(values.rows(), nan);
  for (Eigen::Index q = 0; q < values.rows(); ++q) {
    double count = 0, sum = 0, squares = 0;
    for (const double value : values.row(q)) {
      if (!std::isfinite(value)) continue;
      ++count;
      sum += value;
    }
    if (count < 2) continue;
    mean[q] = sum / count;
    for (const double value : values.row(q)) {
      if (std::isfinite(value)) squares += (value - mean[q]) * (value - mean[q]);
    }
    sd[q] = std::sqrt(squares / (count - 1));
  }
}

Fitted fit_one(const inverse::Posterior& posterior, const QuantitiesOf& quantities, const Matrix& z,
               const variational::FitOptions& options, const result::FitObserver& observer) {
  const variational::FitResult found = variational::fit(posterior, options, observer);
  if (!found.q) return failed("the fit failed: " + found.message);
  Fitted fitted;
  fitted.mean = found.q->mean();
  fitted.sd = found.q->variance().cwiseSqrt();
  // p(y) = p(y | m) p(m) / p(m | y), with q(m) for the last
  fitted.log_evidence = variational::Evaluator(posterior, 1).values(fitted.mean)[0] +
                        posterior.prior().log_density(fitted.mean) - found.q->log_densities(fitted.mean)[0];
  if (!std::isfinite(fitted.log_evidence)) return failed("the model fails at the most probable field");
  summarize_rows(quantities(found.q->transform(z)), fitted.quantity_mean, fitted.quantity_sd);
  return fitted;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The probability that N(mean, sd^2) lies within the 90 % interval about zero of an sd.
double held(double mean, double sd, double interval_sd) {
  const double reach = normal_95 * interval_sd;
  return normal_cdf((reach - mean) / sd) - normal_cdf((-reach - mean) / sd);
}

PriorAlternative compare(const Fitted& from, const Fitted& to, const AnswerScale& scale) {
  PriorAlternative found;
  found.log_evidence = to.log_evidence - from.log_evidence;
  const Vector move = to.mean - from.mean;
  const Vector shift = move.cwiseQuotient(scale.field_sd);
  Eigen::Index unknown = 0;
  found.field_shift = shift.cwiseAbs().maxCoeff(&unknown);
  found.unknown = static_cast<Index>(unknown);
  found.own_shift = move.cwiseQuotient(to.sd).lpNorm<Eigen::Infinity>();
  found.outside = (shift.array().abs() > normal_95).cast<double>().mean();
  found.sd_ratio = std::exp((to.sd.array() / from.sd.array()).log().mean());
  for (Eigen::Index i = 0; i < shift.size(); ++i)
    found.held += held(move[i], to.sd[i], scale.field_sd[i]) / static_cast<double>(shift.size());
  found.quantity_mean = to.quantity_mean;
  found.quantity_sd = to.quantity_sd;
  found.quantity_shift = found.quantity_held = Vector::Constant(to.quantity_mean.size(), nan);
  for (Eigen::Index q = 0; q < to.quantity_mean.size(); ++q) {
    if (!(scale.quantity_sd[q] > 0)) continue;
    const double by = to.quantity_mean[q] - from.quantity_mean[q];
    found.quantity_shift[q] = by / scale.quantity_sd[q];
    found.quantity_held[q] = held(by, to.quantity_sd[q], scale.quantity_sd[q]);
  }
  return found;
}

/// The fastest fit there is, begun at the answer.
variational::FitOptions quick_fit(const MethodConfig& config, const InverseProblem& problem,
                                  const inverse::Posterior& posterior, const Vector& start) {
  variational::FitOptions options = fit_options(config, problem, posterior, Method::laplace, 1);
  options.elbo_samples = 4;      // nobody looks at it
  options.map.tolerance = 1e-3;  // nats: a twentieth of an sd at most
  options.map.start = start;
  return options;
}

/// Of the matrices that a prior holds.
double prior_bytes(const inverse::Posterior& posterior) {
  const double n = posterior.size();
  return posterior.gaussian_prior()->has_sparse_precision() ? 1000 * n : 2 * sizeof(double) * n * n;
}

/// Multiplications of so many fits, about; those of dense algebra, which are fast, for a third.
double operations(const InverseProblem& problem, const inverse::Posterior& posterior,
                  const variational::FitOptions& options, std::size_t fits) {
  constexpr double search = 12;
  const EvaluationCost cost = problem.cost();
  const double n = posterior.size(), sensors = problem.record().num_sensors();
  const bool dense = !posterior.gaussian_prior()->has_sparse_precision();
  const double rows = std::min(sensors, 400.0);
  const double root = dense ? n * n : 300 * n;  // times a vector
  const double jacobian = cost.solve + rows * (cost.row + root);
  const double matrix = options.family == variational::FamilyKind::full_covariance ? n * n * n : 4 * n * rows * rows;
  const double prior = dense ? n * n * n : 2e4 * n;
  return static_cast<double>(fits) * (prior + search * jacobian + 2 * matrix + draws * (cost.solve + root));
}

/// Why the fits are not made unless asked for; empty if they are.
std::string why_too_long(const InverseProblem& problem, const inverse::Posterior& posterior,
                         const variational::FitOptions& options, std::size_t fits) {
  constexpr double most_operations = 5e10;  // some seconds
  if (operations(problem, posterior, options, fits) <= most_operations) return "";
  return fmt::format("{} fits would take long; method.sensitivity = true asks for them", fits);
}

}  // namespace

PriorSensitivity compare_priors(const std::shared_ptr<const inverse::LogLikelihood>& likelihood,
                                const std::shared_ptr<const inverse::Prior>& prior,
                                const std::vector<NamedPrior>& others, const QuantitiesOf& quantities,
                                const AnswerScale& scale, const variational::FitOptions& options, int threads,
                                const result::FitObserver& observer) {
  Random random(options.seed, random_streams::other_priors);
  const Matrix z = variational::antithetic_normals(prior->size(), draws, random);
  std::mutex mutex;
  std::atomic<bool> stopped = false;
  const result::FitObserver go_on = [&](const result::TracePoint& point) {
    const std::lock_guard lock(mutex);  // observers are called from one thread at a time
    if (!stopped && observer && !observer(point)) stopped = true;
    return !stopped;
  };
  std::vector<Fitted> fits(others.size() + 1);
  parallel_for(static_cast<Index>(fits.size()), threads, [&](Index k) {
    if (stopped) return;
    try {
      const inverse::Posterior posterior(likelihood, k == 0 ? prior : others[k - 1].build());
      fits[k] = fit_one(posterior, quantities, z, options, go_on);
    } catch (const InputError& error) {
      fits[k] = failed(error.what());
    }
  });
  PriorSensitivity result;
  if (stopped) {
    result.skipped = "it was interrupted";
    return result;
  }
  if (!fits[0].failure.empty()) {
    result.skipped = "with the assumed prior itself, " + fits[0].failure;
    return result;
  }
  result.quantity_mean = fits[0].quantity_mean;
  result.quantity_sd = fits[0].quantity_sd;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const Fitted& fitted = fits[k + 1];
    PriorAlternative found;
    if (fitted.failure.empty()) found = compare(fits[0], fitted, scale);
    found.change = others[k].change;
    found.name = others[k].name;
    found.failure = fitted.failure;
    if (found.is_fitted() && (result.shift.size() == 0 || found.held < result.alternatives[result.shown].held)) {
      result.shown = static_cast<Index>(k);
      result.shift = (fitted.mean - fits[0].mean).cwiseQuotient(scale.field_sd);
    }
    result.alternatives.push_back(std::move(found));
  }
  return result;
}

PriorSensitivity question_prior(const MethodConfig& config, const InverseProblem& problem,
                                const inverse::Posterior& posterior, const result::MethodRecord& record, int threads,
                                const result::FitObserver& observer) {
  PriorSensitivity result;
  const std::optional<bool> asked = config.sensitivity;
  if (!asked.value_or(true)) return result;
  if (!posterior.gaussian_prior()) return result;
  const std::vector<NamedPrior> others = problem.alternative_priors();
  if (others.empty()) return result;
  const variational::FitOptions options = quick_fit(config, problem, posterior, record.kappa.mean);
  if (!asked) result.skipped = why_too_long(problem, posterior, options, others.size() + 1);
  if (!result.skipped.empty()) return result;

  const QuantitiesOf quantities = [&](const Matrix& kappa) {
    Matrix values(std::ssize(problem.record().quantities), kappa.cols());
    for (Eigen::Index s = 0; s < kappa.cols(); ++s) values.col(s) = problem.quantities(kappa.col(s));
    return values;
  };
  AnswerScale scale{record.kappa.sd, Vector::Zero(std::ssize(problem.record().quantities))};
  for (std::size_t q = 0; q < record.quantities.size(); ++q) {
    if (record.quantities[q].density.size() > 0)
      scale.quantity_sd[static_cast<Eigen::Index>(q)] = record.quantities[q].sd;
  }
  const double room = 0.5 * available_bytes() / (fit_bytes(problem, posterior, options) + prior_bytes(posterior));
  const int at_a_time = static_cast<int>(std::clamp<double>(room, 1, threads));
  // Of no owner: the posterior outlives the fits.
  const std::shared_ptr<const inverse::LogLikelihood> likelihood(std::shared_ptr<void>(), &posterior.likelihood());
  return compare_priors(likelihood, posterior.shared_prior(), others, quantities, scale, options, at_a_time, observer);
}

}  // namespace varimesh::run
