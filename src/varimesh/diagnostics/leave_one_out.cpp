#include "varimesh/diagnostics/leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "varimesh/constants.h"
#include "varimesh/log_sum_exp.h"
#include "varimesh/parallel.h"
#include "varimesh/special_functions.h"

namespace varimesh::diagnostics {
namespace {

result::LeaveOneOut unknown(Eigen::Index size) {
  result::LeaveOneOut found;
  found.mean = found.sd = found.residual = found.khat = found.elpd = Vector::Constant(size, nan);
  return found;
}

double log_density(double residual, double standard_error) {
  return -0.5 * residual * residual / (standard_error * standard_error) -
         std::log(standard_error * std::sqrt(2 * std::numbers::pi));
}

/// Of draws that have weights of their own; those at which the model failed weigh nothing.
PsisResult smooth(Vector log_ratios, const Vector& log_weights) {
  if (log_weights.size() > 0) log_ratios += log_weights;
  for (double& ratio : log_ratios) {
    if (std::isnan(ratio)) ratio = -infinity;
  }
  return psis(log_ratios);
}

}  // namespace

PsisResult weights_without(double measured, const Vector& predictions, double standard_error,
                           const Vector& log_weights) {
  // log ratio = log weight - log p(y_i | draw)
  return smooth(0.5 * ((measured - predictions.array()) / standard_error).square(), log_weights);
}

PsisResult weights_without(Index i, const Vector& predictions, const noise::Noise& noise, const Vector& log_weights) {
  return smooth(predictions.unaryExpr([&](double g) { return -noise.log_density(i, g); }), log_weights);
}

double predictive_score(const noise::Noise& noise, Index i, const Vector& predictions, const Vector& log_weights) {
  // P(error below the one made) = sum_s w_s Phi(z_s),  z_s the sum of the measurements' scores over the root of their
  // number
  double below = 0, above = 0;
  for (Eigen::Index s = 0; s < predictions.size(); ++s) {
    const double weight = std::exp(log_weights[s]);
    if (weight == 0 || std::isnan(predictions[s])) continue;
    const Vector scores = noise.normal_scores(i, predictions[s]);
    const double z = scores.sum() / std::sqrt(static_cast<double>(scores.size()));
    below += weight * 0.5 * std::erfc(-z / std::numbers::sqrt2);
    above += weight * 0.5 * std::erfc(z / std::numbers::sqrt2);
  }
  const double tail = std::max(std::min(below, above) / (below + above), std::numeric_limits<double>::min());
  return std::copysign(normal_quantile(tail), below - above);
}

void leave_out_with(const noise::Noise& noise, Index i, const Vector& predictions, const PsisResult& weights,
                    result::LeaveOneOut& found) {
  found.residual[i] = predictive_score(noise, i, predictions, weights.log_weights);
  Vector log_terms = weights.log_weights;
  for (Eigen::Index s = 0; s < predictions.size(); ++s)
    log_terms[s] += std::isnan(predictions[s]) ? -infinity : noise.log_density(i, predictions[s]);
  found.elpd[i] = log_sum_exp(log_terms)[0];
}

void leave_out(Index i, double measured, const Vector& predictions, double standard_error, const PsisResult& weights,
               result::LeaveOneOut& found) {
  double mean = 0, square = 0;
  Vector log_terms = Vector::Constant(predictions.size(), -infinity);
  for (Eigen::Index s = 0; s < predictions.size(); ++s) {
    const double weight = std::exp(weights.log_weights[s]);
    if (weight == 0 || std::isnan(predictions[s])) continue;
    mean += weight * predictions[s];
    log_terms[s] = weights.log_weights[s] + log_density(measured - predictions[s], standard_error);
  }
  for (Eigen::Index s = 0; s < predictions.size(); ++s) {
    const double weight = std::exp(weights.log_weights[s]);
    if (weight > 0 && !std::isnan(predictions[s])) square += weight * std::pow(predictions[s] - mean, 2);
  }
  found.mean[i] = mean;
  found.sd[i] = std::sqrt(square);
  found.residual[i] = (measured - mean) / std::hypot(standard_error, found.sd[i]);
  found.khat[i] = weights.khat;
  // log sum_s w_s p(y_i | draw s)
  found.elpd[i] = log_sum_exp(log_terms)[0];
}

result::LeaveOneOut leave_each_out(const Vector& measured, const Matrix& predictions, const Vector& standard_error,
                                   const Vector& log_weights, int threads, const noise::Noise* noise) {
  result::LeaveOneOut found = unknown(measured.size());
  parallel_for(static_cast<Index>(measured.size()), threads, [&](Index i) {
    const Vector of_sensor = predictions.row(i);
    const bool is_normal = !noise || noise->is_normal();
    const PsisResult weights = is_normal ? weights_without(measured[i], of_sensor, standard_error[i], log_weights)
                                         : weights_without(i, of_sensor, *noise, log_weights);
    leave_out(i, measured[i], of_sensor, standard_error[i], weights, found);
    if (!is_normal) leave_out_with(*noise, i, of_sensor, weights, found);
  });
  return found;
}

result::LeaveOneOut leave_each_out_linearly(const Vector& measured, const Vector& predicted,
                                            const Vector& standard_error, const Vector& leverage) {
  result::LeaveOneOut found = unknown(measured.size());
  for (Eigen::Index i = 0; i < measured.size(); ++i) {
    // measured - mean without it = (measured - predicted) / (1 - h),  variance of that mean = sigma^2 h / (1 - h)
    const double left = 1 - leverage[i], difference = (measured[i] - predicted[i]) / left;
    found.mean[i] = measured[i] - difference;
    found.sd[i] = standard_error[i] * std::sqrt(leverage[i] / left);
    const double spread = std::hypot(standard_error[i], found.sd[i]);
    found.residual[i] = difference / spread;
    found.elpd[i] = log_density(difference, spread);
  }
  return found;
}

Misfit misfit(const result::LeaveOneOut& found, const Vector& standard_error) {
  // 1 - h = sigma^2 / (sigma^2 + sd^2). In a linear model (1 - h) residual^2 is the squared residual of the field that
  // follows all data, in standard errors, and sum (1 - h) the degrees of freedom of their sum.
  const Vector left = standard_error.array().square() / (standard_error.array().square() + found.sd.array().square());
  Misfit result{left.dot(found.residual.cwiseAbs2()), left.sum(), 0};
  // Wilson and Hilferty: the cube root of chi-square / f is normal, mean 1 - 2 / (9 f), variance 2 / (9 f).
  const double variance = 2 / (9 * result.freedom);
  result.sds = (std::cbrt(result.sum / result.freedom) - (1 - variance)) / std::sqrt(variance);
  return result;
}

}  // namespace varimesh::diagnostics
