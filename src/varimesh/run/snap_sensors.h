#pragma once

#include <optional>

#include "varimesh/run/sensor_data.h"

namespace varimesh::run {

/// How far outside the mesh a sensor may lie, unless the problem file says: a share of the nearest cell's diameter.
constexpr double default_snap = 0.1;

/// Moves sensors that are outside the mesh to the nearest point of its surface, if that is no further than `tolerance`
/// (none: default_snap), with a note that lists them. An InputError lists those that are further out.
void snap_sensors(const mesh::Mesh& mesh, std::optional<double> tolerance, Sensors& sensors);

}  // namespace varimesh::run
