#include "varimesh/run/simulate.h"

#include <fmt/format.h>

#include "varimesh/error.h"

namespace varimesh::run {

Simulation simulate(const Config& config, const Problem& problem, const SimulateOptions& options) {
  const std::string file = config.file.string();
  if (!problem.sensors) throw InputError(file + ": expected the key observations.sensors, which says where to measure");
  Vector sigma = problem.sensors->sigma;
  if (sigma.size() == 0) {
    if (!config.observations->sigma)
      throw InputError(
          file + ": expected the key observations.sigma, or a column 'sigma' beside the positions: the noise to add");
    sigma = Vector::Constant(problem.sensors->size(), *config.observations->sigma);
  }
  const auto prior = options.truth ? nullptr : build_prior(config, problem);
  if (!options.truth && !prior)
    throw InputError(file + ": expected a [prior] to draw the truth from, or a given truth");

  // The truth and the noise have streams of their own, so that a given truth and a drawn one get the same noise.
  Random truth_random(options.seed, 0), noise_random(options.seed, 1);
  Simulation result;
  result.truth = options.truth ? *options.truth : prior->sample(truth_random);
  if (options.refinements == 0) {
    result.noise_free = problem.model->predict(result.truth);
  } else {
    const Equation fine = build_refined_equation(config, problem.equation, options.refinements);
    result.noise_free =
        inverse::EllipticModel(fine.problem, sensor_functionals(*problem.sensors, fine.mesh, *fine.problem))
            .predict(result.truth);
  }
  if (!result.noise_free.allFinite())
    throw InputError(
        "the equation cannot be solved at this truth: exp(kappa) overflows, underflows or varies too much");
  const Index replicates = config.observations->replicates.value_or(1);
  result.measurements.resize(replicates, result.noise_free.size());
  for (Index r = 0; r < replicates; ++r) {
    result.measurements.row(r) =
        result.noise_free + sigma.cwiseProduct(noise_random.normal_vector(static_cast<Index>(sigma.size())));
  }
  return result;
}

}  // namespace varimesh::run
