#pragma once

#include "varimesh/fem/coefficient_map.h"
#include "varimesh/run/config.h"

namespace varimesh::run {

/// Throws an InputError unless the axis is given as meshes of this dimension need it: by an angle in the plane, by a
/// direction in space.
void require_axis(const AnisotropyConfig& config, int dimension);

/// D of the conductivity exp(kappa) D in each cell, as [coefficient] says.
fem::ConductivityTensors build_tensors(const CoefficientConfig& config, const mesh::Mesh& mesh);

}  // namespace varimesh::run
