#pragma once

#include "varimesh/mesh/mesh.h"
#include "varimesh/types.h"

namespace varimesh::fem {

using ElementMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 8, 8>;
using ElementVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 8, 1>;

/// int grad phi_i' T grad phi_j over a cell, for a symmetric tensor T: its stiffness matrix for kappa = 0.
ElementMatrix unit_stiffness(const mesh::Mesh& mesh, Index cell,
                             const Eigen::Matrix3d& tensor = Eigen::Matrix3d::Identity());

/// int grad phi_i' T grad phi_j over a cell, for a symmetric tensor T, by quadrature at its nodes: exact on simplices;
/// for T = 1 on rectangles and boxes the stencil of 5 or 7 points, for which short waves are as stiff as they should be
/// (exact integration makes them three to nine times softer, which a rough random field shows).
ElementMatrix lumped_stiffness(const mesh::Mesh& mesh, Index cell, const Eigen::Matrix3d& tensor);

/// int f phi_i over a cell.
ElementVector element_load(const mesh::Mesh& mesh, Index cell, const ScalarFunction& f);

/// int c phi_i phi_j over a cell.
ElementMatrix element_mass(const mesh::Mesh& mesh, Index cell, const ScalarFunction& c);

/// int g phi_i over a facet given by its nodes.
ElementVector facet_load(const mesh::Mesh& mesh, std::span<const Index> facet, const ScalarFunction& g);

/// int h phi_i phi_j over a facet given by its nodes.
ElementMatrix facet_mass(const mesh::Mesh& mesh, std::span<const Index> facet, const ScalarFunction& h);

/// D with D(a, b) u_b summed over the cell's nodes b = int phi_a n' T grad u over one of its facets, n pointing out of
/// the cell, for the facet's nodes a and a symmetric tensor T.
Matrix facet_normal_derivatives(const mesh::Mesh& mesh, Index cell, std::span<const Index> facet,
                                const Eigen::Matrix3d& tensor = Eigen::Matrix3d::Identity());

/// Length or area of a facet; 1 for the end point of a line mesh.
double facet_measure(const mesh::Mesh& mesh, std::span<const Index> facet);

}  // namespace varimesh::fem
