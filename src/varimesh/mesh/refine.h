#pragma once

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// A refined mesh and where its cells come from.
struct RefinedMesh {
  Mesh mesh;
  std::vector<Index> parent;  ///< coarse cell of each fine cell
};

/// Splits every cell into 2, 4 or 8 of half the size (tetrahedra by Bey's rule, along the shortest diagonal), with
/// boundary parts and regions. Coarse nodes keep their numbers, the children of a cell follow one another, and the mesh
/// must be valid.
RefinedMesh refine(const Mesh& mesh);

}  // namespace varimesh::mesh
