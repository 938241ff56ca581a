#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "varimesh/run/build.h"

namespace varimesh::run {

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::optional<Vector> truth;  ///< none: drawn from the prior
  int refinements = 0;          ///< of the mesh that the data are computed on; 0 is the inverse crime
};

/// Made-up data: the truth, what the sensors would read without noise, and noisy replicates (one row each).
struct Simulation {
  Vector truth;
  Vector noise_free;
  Matrix measurements;
};

/// The noise of the problem's sensors. Throws InputError if sensors or sigma are missing.
const NoiseModel& noise_of(const Config& config, const Problem& problem);

/// Throws InputError if sensors, sigma, or (without a truth) the prior are missing.
Simulation simulate(const Config& config, const Problem& problem, const SimulateOptions& options);

/// The measurements of u at points as CSV: a row for each sensor and replicate, the replicates of a sensor together;
/// its sigma beside, if it has its own.
std::string format_data(const Problem& problem, const Simulation& simulation);

/// Those of sensors that read something else, by name.
std::string format_named(const Problem& problem, const Simulation& simulation);

/// A field as CSV: positions and kappa of the unknowns.
std::string format_truth(const Problem& problem, const Vector& truth);

}  // namespace varimesh::run
