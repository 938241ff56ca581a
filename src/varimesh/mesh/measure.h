#pragma once

#include <span>
#include <string_view>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// Length, area or volume of some cells.
double measure(const Mesh& mesh, std::span<const Index> cells);
/// The same of the whole mesh.
double measure(const Mesh& mesh);

/// What a measure is called: "length", "area" or "volume".
std::string_view measure_name(int dimension);

}  // namespace varimesh::mesh
