#pragma once

#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// What is wrong with how cells meet, a sentence each, at most 20: nodes that lie in the middle of a side that should
/// end there (hanging nodes), nodes and centroids of cells that lie inside another cell (overlapping cells), and places
/// with two nodes, between which nothing flows. All of these are found that the nodes and centroids show.
std::vector<std::string> find_faults(const Mesh& mesh);

}  // namespace varimesh::mesh
