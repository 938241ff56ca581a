#pragma once

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// A refined mesh and where its cells and nodes come from.
struct RefinedMesh {
  Mesh mesh;
  std::vector<Index> parent;  ///< coarse cell of each fine cell
  /// Fine node v is in the middle of the coarse nodes corners[corner_start[v]] to corners[corner_start[v + 1]]: there a
  /// P1 or Q1 field has the mean of their values.
  std::vector<Index> corner_start{0}, corners;
};

/// Splits every cell into 2, 4 or 8 of half the size (tetrahedra by Bey's rule, along the shortest diagonal), with
/// boundary parts and regions. Coarse nodes keep their numbers, the children of a cell follow one another, and the mesh
/// must be valid.
RefinedMesh refine(const Mesh& mesh);

}  // namespace varimesh::mesh
