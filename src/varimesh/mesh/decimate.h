#pragma once

#include <optional>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// A coarser mesh of triangles or tetrahedra, of about so many cells, whose nodes are some of the mesh's own: edges are
/// contracted, relative to the size of cells where they are the shortest first, so that a graded mesh stays graded,
/// roughly. Boundary parts and regions keep their names and, where they are flat, their places; curved ones become
/// coarser polygons. None for other cell types, or if fewer than half of the cells can go.
std::optional<Mesh> decimate(const Mesh& mesh, Index cells);

}  // namespace varimesh::mesh
