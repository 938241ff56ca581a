#pragma once

#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// Some cells as a mesh of their own, in their order, with the nodes that they have and their parts of all regions;
/// without boundary parts.
Mesh extract(const Mesh& mesh, const std::vector<Index>& cells);

}  // namespace varimesh::mesh
