#pragma once

#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"
#include "varimesh/mesh/refine.h"

namespace varimesh::fem {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// D of a conductivity exp(kappa) D that depends on the direction: symmetric and positive definite.
struct ConductivityTensors {
  std::vector<Eigen::Matrix3d> values;  ///< none: 1 everywhere
  std::vector<Index> of_cell;           ///< which of the values a cell has, -1 for 1; empty if there are no values
};

/// How cells get their kappa from the unknowns. Either every cell has one of these, or a value that is known, or the
/// unknowns are a piecewise linear field, given by its values at nodes, of which a cell takes the mean.
struct CoefficientMap {
  Index num_coefficients = 0;
  /// The unknown of each cell, or num_coefficients + k if its kappa is known[k]; empty for a field on nodes.
  std::vector<Index> of_cell;
  SparseRows at_nodes = SparseRows(0, 0);  ///< nodes x unknowns: the field at each node; empty unless it is on nodes
  Vector known = Vector(0);                ///< values of kappa that are no unknowns
  ConductivityTensors tensors = {};

  bool on_nodes() const { return at_nodes.rows() > 0; }
  bool is_known(Index cell) const { return !on_nodes() && of_cell[static_cast<std::size_t>(cell)] >= num_coefficients; }
  /// D of a cell, whose conductivity is exp(kappa) D.
  Eigen::Matrix3d tensor(Index cell) const;
};

CoefficientMap one_per_cell(const mesh::Mesh& mesh);

/// Regular blocks over the bounding box, numbered x fastest; a cell belongs to its centroid's block. An InputError
/// names a block without cells.
CoefficientMap one_per_block(const mesh::Mesh& mesh, const std::vector<Index>& blocks);

/// One unknown for each region, in their order. An InputError names a cell in no region or in two.
CoefficientMap one_per_region(const mesh::Mesh& mesh);

/// One unknown for each node.
CoefficientMap one_per_node(const mesh::Mesh& mesh);

/// The same map with kappa known in some cells, a value for each of these; unknowns that have no other cells are left
/// out, and the others keep their order. An InputError if there is a field on nodes, a cell is listed twice, or none is
/// left to infer.
CoefficientMap fix(const CoefficientMap& map, const std::vector<Index>& cells, const Vector& kappa);

/// Gives the cells of a region a tensor, or all cells if its name is empty. An InputError names a cell that has one, or
/// a tensor that is not symmetric and positive definite.
void add_tensor(ConductivityTensors& tensors, const mesh::Mesh& mesh, const std::string& region,
                const Eigen::Matrix3d& tensor);

/// 1 + (ratio - 1) a a', for the unit vector a along an axis: the conductivity along it is `ratio` times that across.
Eigen::Matrix3d axial_tensor(double ratio, const Point& axis);

/// The map of a refined mesh: every cell has its parent's tensor, and its unknown or value, or a field on nodes is
/// interpolated.
CoefficientMap refine(const CoefficientMap& map, const mesh::RefinedMesh& fine);

/// Where the unknowns are: their nodes, or the mean of the centroids of their cells, weighted by measure.
std::vector<Point> coefficient_positions(const mesh::Mesh& mesh, const CoefficientMap& map);

/// Volumes that the unknowns stand for: their cells', or their share of the cells around a node.
Vector coefficient_volumes(const mesh::Mesh& mesh, const CoefficientMap& map);

/// T of a field on nodes, cells x unknowns: T kappa is the mean of the field's values at the nodes of each cell.
SparseRows cell_means(const mesh::Mesh& mesh, const CoefficientMap& map);

}  // namespace varimesh::fem
