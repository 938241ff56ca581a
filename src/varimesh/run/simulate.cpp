#include "varimesh/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "varimesh/error.h"
#include "varimesh/io/csv.h"
#include "varimesh/random_streams.h"
#include "varimesh/run/measurements.h"

namespace varimesh::run {

const NoiseModel& noise_of(const Config& config, const Problem& problem) {
  const std::string file = config.file.string();
  if (!problem.sensors)
    throw InputError(file + ": expected the key observations.sensors or [measurements], which say where to measure");
  if (!problem.noise)
    throw InputError(
        file + ": expected the key observations.sigma, or a column 'sigma' beside the positions: the noise to add");
  return *problem.noise;
}

Simulation simulate(const Config& config, const Problem& problem, const SimulateOptions& options) {
  const std::string file = config.file.string();
  const NoiseModel& noise = noise_of(config, problem);
  const auto prior = options.truth ? nullptr : build_prior(config, problem);
  if (!options.truth && !prior)
    throw InputError(file + ": expected a [prior] to draw the truth from, or a given truth");

  // The truth and the noise have streams of their own, so that a given truth and a drawn one get the same noise.
  Random truth_random(options.seed, random_streams::truth), noise_random(options.seed, random_streams::noise);
  Simulation result;
  result.truth = options.truth ? *options.truth : prior->sample(truth_random);
  // What [truth] says beside kappa, which is written to its file, is so.
  if (!options.truth && (!config.truth_of_fields.empty() || !config.truth_of_scalars.empty()))
    result.truth = complete(config, problem, result.truth.head(problem.num_field_unknowns()));
  if (options.refinements == 0) {
    result.noise_free = problem.model->predict(result.truth);
  } else {
    const Equation fine = build_refined_equation(config, problem.equation, options.refinements);
    result.noise_free = build_model(*problem.sensors, fine)->predict(result.truth);
  }
  if (!result.noise_free.allFinite())
    throw InputError(
        "the equation cannot be solved at this truth: exp(kappa) overflows, underflows or varies too much");
  const Index replicates = config.replicates().value_or(1);
  result.measurements = sample_errors(noise, result.noise_free, replicates, noise_random);
  result.measurements.rowwise() += result.noise_free.transpose();
  return result;
}

std::string format_data(const Problem& problem, const Simulation& simulation) {
  const Sensors& sensors = *problem.sensors;
  const Index at_points = sensors.num_at_points();
  auto [names, columns] = position_columns(sensors, at_points, problem.equation.mesh.dimension());
  if (sensors.sigma.size() > 0) {
    names.emplace_back("sigma");
    columns.emplace_back(sensors.sigma.begin(), sensors.sigma.begin() + at_points);
  }
  names.emplace_back("value");
  std::vector<std::vector<double>> values(names.size());
  for (Index s = 0; s < at_points; ++s) {
    for (Eigen::Index r = 0; r < simulation.measurements.rows(); ++r) {
      for (std::size_t k = 0; k < columns.size(); ++k) values[k].push_back(columns[k][static_cast<std::size_t>(s)]);
      values.back().push_back(simulation.measurements(r, s));
    }
  }
  std::vector<std::string> labels;
  if (std::ranges::any_of(sensors.labels | std::views::take(at_points), [](const auto& l) { return !l.empty(); })) {
    for (Index s = 0; s < at_points; ++s)
      labels.insert(labels.end(), static_cast<std::size_t>(simulation.measurements.rows()), sensors.labels[s]);
  }
  return io::format_csv(labels.empty() ? "" : "label", labels, names, values);
}

std::string format_named(const Problem& problem, const Simulation& simulation) {
  const Sensors& sensors = *problem.sensors;
  std::vector<std::string> names;
  std::vector<double> values;
  for (Index s = sensors.num_at_points(); s < sensors.size(); ++s) {
    for (Eigen::Index r = 0; r < simulation.measurements.rows(); ++r) {
      names.push_back(sensors.labels[static_cast<std::size_t>(s)]);
      values.push_back(simulation.measurements(r, s));
    }
  }
  return io::format_csv("name", names, {"value"}, {values});
}

std::string format_truth(const Problem& problem, const Vector& truth) {
  const Sensors unknowns{fem::coefficient_positions(problem.equation.mesh, problem.equation.coefficients), {}, {}, {}};
  auto [names, values] = position_columns(unknowns, unknowns.size(), problem.equation.mesh.dimension());
  names.emplace_back("kappa");
  const Index field = problem.num_field_unknowns();
  values.emplace_back(truth.begin(), truth.begin() + field);
  return io::format_csv(names, values);
}

}  // namespace varimesh::run
