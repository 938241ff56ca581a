#pragma once

#include <Eigen/Core>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// Lagrange shape functions (P1 or Q1) on the reference cell. Simplices have the corners 0 and the unit vectors;
/// lines, quadrilaterals and hexahedra are [0,1]^d. At most 8 nodes, so nothing here allocates.
using ShapeValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 8, 1>;
using ShapeGradients = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 8, 3>;  ///< row i: reference gradient of function i

/// The values of a cell's shape functions at a reference point.
/// The reference coordinates of a node of the cell.
Point reference_node(CellType type, int local_node);

ShapeValues shape_values(CellType type, const Point& reference);
/// The reference gradients of a cell's shape functions at a reference point.
ShapeGradients shape_gradients(CellType type, const Point& reference);

/// dx/d(reference) at a reference point; columns beyond the dimension are unit vectors, so that it can be inverted.
Eigen::Matrix3d jacobian(const Mesh& mesh, Index cell, const Point& reference);

/// A point of a rule on the reference cell.
struct QuadraturePoint {
  Point reference;
  double weight;  ///< weights sum to the measure of the reference cell
};

/// A rule with positive weights, exact for polynomials of degree 4 on triangles (6 points), 5 on tetrahedra (14 points)
/// and 5 in each variable on lines, quadrilaterals and hexahedra (3 Gauss points a direction).
const std::vector<QuadraturePoint>& quadrature(CellType type);

}  // namespace varimesh::mesh
