#pragma once

#include <Eigen/SparseCore>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// Another mesh seen in equal boxes, for pictures of what is too large to draw.
struct Boxes {
  Mesh mesh;                            ///< lines, quadrilaterals or hexahedra: the boxes that hold a part of it
  Eigen::SparseMatrix<double> overlap;  ///< boxes x cells: how much of a cell's length, area or volume is in a box
  Eigen::SparseMatrix<double> corners;  ///< nodes of the boxes x nodes: values of a P1 or Q1 field at the boxes' nodes
};

/// At most so many boxes over a valid mesh. Their corners lie in the mesh: those that would not are moved onto its
/// boundary, so that the boxes end where it does. Parts of cells are assigned within a third of a box; columns of
/// `overlap` sum to the measures of the cells.
Boxes create_boxes(const Mesh& mesh, Index most);

}  // namespace varimesh::mesh
