#pragma once

#include "varimesh/run/build.h"

namespace varimesh::run {

/// Throws an InputError if a mesh that is to be generated, or a dense prior on it, would not fit into memory: before
/// any of it is made.
void require_mesh_size(const Config& config);

/// The same for what follows from the draws of a method: predictions of all sensors and quantities for each.
void require_prediction_size(const Config& config, const Problem& problem, Method method);

}  // namespace varimesh::run
