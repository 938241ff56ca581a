#pragma once

#include "varimesh/run/build.h"

namespace varimesh::run {

/// Throws an InputError if a mesh that is to be generated would not fit into memory, or, where data are required and so
/// is the prior, a dense prior on it: before any of it is made.
void require_mesh_size(const Config& config, Data data);

/// The same for what follows from the draws of a method: predictions of all sensors and quantities for each.
void require_prediction_size(const Config& config, const Problem& problem, Method method);

}  // namespace varimesh::run
