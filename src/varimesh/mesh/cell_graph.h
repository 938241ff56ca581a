#pragma once

#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// What makes two cells neighbours.
enum class CellNeighbours { sharing_node, sharing_facet };

/// Two cells are neighbours if they have a label in common. Each cell has `labels_per_cell` consecutive ones, from 0 to
/// num_labels - 1: what linalg::sharing_graph makes a graph of.
struct CellLabels {
  std::vector<Index> labels;
  Index labels_per_cell, num_labels;
};

/// The numbers of each cell's nodes, or of its facets in the order of the topology.
CellLabels cell_labels(const Mesh& mesh, CellNeighbours neighbours);

}  // namespace varimesh::mesh
