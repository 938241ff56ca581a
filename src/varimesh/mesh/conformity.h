#pragma once

#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// What is wrong with how cells meet, a sentence each, at most 20: nodes that lie in the middle of a side that should
/// end there (hanging nodes), cells that overlap, as nodes and centroids that lie inside another cell, or sides that
/// cross or that they share, show it, and places with two nodes, between which nothing flows. What is missed is cells
/// that overlap by less than 1e-8 of their size, or with edges that meet edges of the other exactly.
std::vector<std::string> find_faults(const Mesh& mesh);

}  // namespace varimesh::mesh
