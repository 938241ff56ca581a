#pragma once

#include <functional>
#include <optional>
#include <string>

#include "scratch_directory.h"
#include "varimesh/run/infer.h"
#include "varimesh/run/simulate.h"

namespace varimesh::test {

/// A problem in a directory of its own, with data made up for it.
struct MadeUpProblem {
  using Truth = std::function<Vector(const run::Problem&)>;
  using Change = std::function<void(const run::NoiseModel&, Matrix& measurements)>;

  ScratchDirectory directory;
  run::Config config;
  run::Problem problem;
  std::optional<inverse::Posterior> posterior;

  /// The text names data.csv, and sensors.csv if sensors are given. Without a truth that is drawn from the prior.
  MadeUpProblem(const std::string& text, const std::string& sensors, std::uint64_t seed, const Truth& truth = {},
                const Change& change = {}) {
    directory.write("sensors.csv", sensors);
    config = run::parse_config(text, directory.path() / "problem.toml");
    const run::Problem empty = run::build_problem(config, run::Data::ignored);
    run::Simulation made = run::simulate(config, empty, {seed, truth ? std::optional(truth(empty)) : std::nullopt, 0});
    if (change) change(run::noise_of(config, empty), made.measurements);
    directory.write("data.csv", run::format_data(empty, made));
    problem = run::build_problem(config, run::Data::required);
    posterior.emplace(run::build_posterior(config, problem));
  }
};

}  // namespace varimesh::test
