#include "varimesh/run/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/cancellation.h"
#include "varimesh/constants.h"
#include "varimesh/diagnostics/chain_diagnostics.h"
#include "varimesh/diagnostics/density.h"
#include "varimesh/diagnostics/error_norms.h"
#include "varimesh/diagnostics/quantity.h"
#include "varimesh/error.h"
#include "varimesh/mcmc/running_covariance.h"
#include "varimesh/parallel.h"

namespace varimesh::run {
namespace {

/// NaN without vectors; an sd needs two.
result::Moments moments(const mcmc::RunningCovariance& seen) {
  const auto size = static_cast<Index>(seen.mean.size());
  if (seen.count == 0) return {Vector::Constant(size, nan), Vector::Constant(size, nan)};
  const double divisor = seen.count > 1 ? static_cast<double>(seen.count - 1) : nan;
  return {seen.mean, (seen.moments / divisor).cwiseSqrt()};
}

result::QuantitySummary summarize(const Vector& draws, std::optional<double> effective_draws) {
  result::QuantitySummary summary{nan, nan, nan, nan, nan, Vector(0), Vector(0)};
  std::vector<double> finite;
  std::copy_if(draws.begin(), draws.end(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
  if (finite.empty()) return summary;
  const Eigen::Map<const Vector> values(finite.data(), std::ssize(finite));
  summary.mean = values.mean();
  if (values.size() > 1)
    summary.sd = std::sqrt((values.array() - summary.mean).square().sum() / static_cast<double>(values.size() - 1));
  const Vector q = diagnostics::quantiles(values, Eigen::Vector3d(0.05, 0.5, 0.95));
  summary.q05 = q[0];
  summary.q50 = q[1];
  summary.q95 = q[2];
  if (is_fixed(values)) return summary;
  const diagnostics::Density density = diagnostics::estimate_density(values, effective_draws);
  summary.density_x = density.x;
  summary.density = density.value;
  return summary;
}

void summarize_quantities(result::MethodRecord& record) {
  const Index chains = record.draws.num_chains(), draws = record.draws.num_draws();
  record.quantities.clear();
  for (const Vector values : record.quantity_draws.rowwise()) {
    std::optional<double> effective;
    if (record.chains && values.allFinite()) {
      const double ess = diagnostics::ess_bulk(Eigen::Map<const Matrix>(values.data(), draws, chains));
      if (std::isfinite(ess)) effective = std::max(1.0, ess);
    }
    record.quantities.push_back(summarize(values, effective));
  }
}

/// `distances` are |u(kappa_s) - u_true|, draws x chains.
void measure_errors(const result::Truth& truth, const Matrix& distances, result::MethodRecord& record) {
  using diagnostics::Dependence;
  const auto dependence = record.chains ? Dependence::chains : Dependence::independent;
  if (truth.u.size() > 0) record.u_error = diagnostics::mean_of_finite(distances, dependence);
  const Vector difference = record.kappa.mean - truth.kappa;
  record.kappa_error = result::Estimate{difference.norm(), 0};
  if (!record.chains) return;  // the mean of a fitted distribution is known exactly
  // |mean - true| = 1/S sum_s g'(kappa_s - true) with g = (mean - true) / |mean - true|: a mean of numbers
  const Vector direction = difference.stableNormalized();
  Matrix projections(distances.rows(), distances.cols());
  for (Index c = 0; c < record.draws.num_chains(); ++c)
    projections.col(c) = record.draws.chain(c).leftCols(distances.rows()).transpose() * direction;
  record.kappa_error->error = diagnostics::mean_of_finite(projections, dependence).error;
}

/// Throws an InputError if a prediction is not of the problem's sizes.
void require_sizes(const InverseProblem& problem, const Prediction& prediction) {
  const auto require = [](Eigen::Index found, Index expected, const char* what) {
    if (found != expected)
      throw InputError(
          fmt::format("predict: expected {} {}, as the problem's record has them, found {}", expected, what, found));
  };
  require(prediction.u.size(), problem.num_states(), "values of u");
  require(prediction.readings.size(), problem.record().num_sensors(), "readings of sensors");
  require(prediction.quantities.size(), static_cast<Index>(problem.record().quantities.size()), "quantities");
}

}  // namespace

bool is_fixed(const Vector& draws) {
  const double mean = draws.mean();
  return !((draws.array() - mean).abs().maxCoeff() > 1e-9 * std::abs(mean));
}

Matrix quantities_at(const InverseProblem& problem, const result::Draws& draws, int threads) {
  const Index per_chain = draws.num_draws(), total = per_chain * draws.num_chains();
  Matrix values(std::ssize(problem.record().quantities), total);
  parallel_for(total, threads, [&](Index draw) {
    values.col(draw) = problem.quantities(draws.chain(draw / per_chain).col(draw % per_chain));
  });
  return values;
}

PredictionCount predict(const InverseProblem& problem, const result::Truth* truth, int threads,
                        result::MethodRecord& record, const std::function<bool(double done)>& observer) {
  const result::ProblemRecord& names = problem.record();
  Vector u_at_mean = Vector::Constant(problem.num_states(), nan);
  const bool is_known = completes([&] {
    Prediction at_mean = problem.predict(record.kappa.mean);
    if (!at_mean.ok) return;
    require_sizes(problem, at_mean);
    u_at_mean = std::move(at_mean.u);
  });
  const Predictor predictor{problem.num_states(), names.num_sensors(), static_cast<Index>(names.quantities.size()),
                            [&](Index, const Vector& kappa) { return problem.predict(kappa); }, std::move(u_at_mean)};
  PredictionCount count = predict(predictor, truth, threads, record, observer);
  count.complete = count.complete && is_known;
  return count;
}

PredictionCount predict(const Predictor& predictor, const result::Truth* truth, int threads,
                        result::MethodRecord& record, const std::function<bool(double done)>& observer) {
  constexpr Index width = 64;           // draws between two looks at the observer
  constexpr double most_numbers = 1e7;  // of u_draws: 80 MB
  const Index nodes = predictor.nodes, sensors = predictor.sensors;
  const Index per_chain = record.draws.num_draws(), total = record.num_draws();
  record.shown_draws = diagnostics::evenly_spaced(total, most_shown_draws);
  record.shown_u = Matrix::Constant(nodes, std::ssize(record.shown_draws), nan);
  record.predicted_draws = Matrix::Constant(sensors, total, nan);
  record.quantity_draws = Matrix::Constant(predictor.quantities, total, nan);

  Matrix distances = Matrix::Constant(per_chain, record.draws.num_chains(), nan);

  record.u_draws = static_cast<double>(nodes) * total <= most_numbers ? Matrix::Constant(nodes, total, nan) : Matrix();
  auto u = mcmc::RunningCovariance::of(nodes, mcmc::ScaleKind::diagonal, nullptr);
  auto predicted = mcmc::RunningCovariance::of(sensors, mcmc::ScaleKind::diagonal, nullptr);
  PredictionCount result;
  std::size_t shown = 0;
  std::vector<Prediction> outcomes(width);
  for (Index first = 0; first < total; first += width) {
    result.complete = !observer || observer(static_cast<double>(first) / total);
    if (!result.complete) break;
    const Index count = std::min(width, total - first);
    std::vector<char> is_done(static_cast<std::size_t>(count), 0);
    result.complete = completes([&] {
      parallel_for(count, threads, [&](Index i) {
        const Index draw = first + i;
        outcomes[i] = predictor.solve(draw, record.draws.chain(draw / per_chain).col(draw % per_chain));
        is_done[i] = 1;
      });
    });
    for (Index i = 0; i < count; ++i) {
      const Prediction& outcome = outcomes[i];
      const bool is_shown = shown < record.shown_draws.size() && record.shown_draws[shown] == first + i;
      if (!is_done[i]) {
        shown += is_shown ? 1 : 0;
        continue;
      }
      if (is_shown && outcome.ok) record.shown_u.col(static_cast<Index>(shown)) = outcome.u;
      shown += is_shown ? 1 : 0;
      if (!outcome.ok) {
        ++result.failures;
        continue;
      }
      u.add(outcome.u);
      if (record.u_draws.size() > 0) record.u_draws.col(first + i) = outcome.u;
      if (truth && truth->u.size() > 0) distances.reshaped()[first + i] = (outcome.u - truth->u).norm();
      predicted.add(outcome.readings);
      record.predicted_draws.col(first + i) = outcome.readings;
      record.quantity_draws.col(first + i) = outcome.quantities;
    }
    if (!result.complete) break;
  }
  record.u = moments(u);
  record.predicted = moments(predicted);
  record.u_at_mean = predictor.u_at_mean;
  summarize_quantities(record);
  if (truth) measure_errors(*truth, distances, record);
  return result;
}

}  // namespace varimesh::run
