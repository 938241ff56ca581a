#include "varimesh/run/move_draws.h"

#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/parallel.h"

namespace varimesh::run {

MovedDraws move_draws(const InverseProblem& problem, const inverse::Posterior& posterior,
                      const result::MethodRecord& record, const LinearizedSensors& linearized, Index sensor,
                      int threads) {
  const inverse::Observations& data = *problem.observations();
  const double h = linearized.leverage[sensor];
  // The prediction's mean moves by -h / (1 - h) residual, its sd becomes 1 / sqrt(1 - h) times as large.
  const double shift = -h / (1 - h) * (data.mean[sensor] - linearized.predicted[sensor]);
  const double stretch = 1 / std::sqrt(1 - h) - 1;
  const Index total = record.num_draws(), per_chain = record.draws.num_draws();
  const Vector before = record.draws.statistic(result::Statistic::log_posterior).reshaped();

  MovedDraws moved;
  moved.direction = linearized.gain.col(sensor) / h;
  moved.distance.resize(total);
  moved.predictions = Vector::Constant(total, nan);
  moved.quantities = Matrix::Constant(std::ssize(problem.record().quantities), total, nan);
  Vector log_ratios = Vector::Constant(total, -infinity);
  parallel_for(total, threads, [&](Index s) {
    const Vector kappa = record.draws.chain(s / per_chain).col(s % per_chain);
    // kappa <- kappa + direction (shift + stretch J_i (kappa - mean)): its determinant is the same for all draws
    moved.distance[s] = shift + stretch * linearized.slope.col(sensor).dot(kappa - record.kappa.mean);
    const Vector there = kappa + moved.distance[s] * moved.direction;
    const Prediction found = problem.predict(there);
    if (!found.ok) return;
    const Vector& readings = found.readings;
    const bool correlated = data.noise != nullptr;
    moved.predictions[s] = correlated ? data.noise->given_others(readings)(sensor, 0) : readings[sensor];
    moved.quantities.col(s) = found.quantities;
    // posterior without the sensor where the draw is now, over the density from which it was drawn where it was
    const double own = correlated ? data.noise->log_density(sensor, moved.predictions[s])
                                  : -0.5 * data.weight[sensor] * std::pow(data.mean[sensor] - readings[sensor], 2);
    const double ratio =
        inverse::log_likelihood(data, readings) - own + posterior.prior().log_density(there) - before[s];
    if (std::isfinite(ratio)) log_ratios[s] = ratio + (record.log_weights.size() > 0 ? record.log_weights[s] : 0);
  });
  moved.weights = diagnostics::psis(log_ratios);
  return moved;
}

}  // namespace varimesh::run
