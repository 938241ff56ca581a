#pragma once

#include "varimesh/run/config.h"
#include "varimesh/run/inverse_problem.h"

namespace varimesh::run {

/// Throws an InputError if a mesh that is to be generated would not fit into memory: before any of it is made.
void require_mesh_size(const Config& config);

/// The same of a dense prior on a mesh that is to be generated, for commands that are going to make the prior.
void require_prior_size(const Config& config);

/// The same for what follows from the draws of a method: predictions of all sensors and quantities for each.
void require_prediction_size(const MethodConfig& config, const InverseProblem& problem, Method method);

}  // namespace varimesh::run
