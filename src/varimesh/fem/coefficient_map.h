#pragma once

#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::fem {

/// Which unknown kappa each cell has.
struct CoefficientMap {
  Index num_coefficients = 0;
  std::vector<Index> of_cell;
};

CoefficientMap one_per_cell(const mesh::Mesh& mesh);

/// Regular blocks over the bounding box, numbered x fastest; a cell belongs to its centroid's block. An InputError
/// names a block without cells.
CoefficientMap one_per_block(const mesh::Mesh& mesh, const std::vector<Index>& blocks);

/// One unknown for each region, in their order. An InputError names a cell in no region or in two.
CoefficientMap one_per_region(const mesh::Mesh& mesh);

/// The map of a refined mesh: every cell has its parent's unknown.
CoefficientMap refine(const CoefficientMap& map, const std::vector<Index>& parent);

/// The mean of the centroids of each unknown's cells, weighted by measure.
std::vector<Point> coefficient_centroids(const mesh::Mesh& mesh, const CoefficientMap& map);

}  // namespace varimesh::fem
