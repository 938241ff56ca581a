#pragma once

#include <vector>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::inverse {

/// How a field varies in some of the cells.
struct Medium {
  Eigen::Matrix3d diffusion = Eigen::Matrix3d::Identity();  ///< T, symmetric and positive definite
  bool barrier = false;  ///< a field on cells has no flux between barriers and the rest
};

/// The medium of every cell.
struct Media {
  std::vector<Medium> media{Medium{}};
  std::vector<Index> of_cell;  ///< empty: the first for all

  const Medium& at(Index cell) const { return media[of_cell.empty() ? 0 : of_cell[cell]]; }
};

/// S with u'S u = int grad u' T grad u, approximately, for a field u with one value for each cell, at its centroid, and
/// no flux through the boundary. It couples the cells that share a node; both triangles are stored.
///
/// With a_f the area vector of the facet f from a cell c to a cell c', d_f u = u_c' - u_c, x the centroids, m the nodes
/// of a facet, and |V_v| the share of node v in its cells' volumes, T_v their mean diffusion,
///
///   u'S u = sum_v |V_v| g_v' T_v g_v + sum_v sum_(f at v) (w_fv / m) (d_f u - g_v . d_f x)^2,
///   g_v = P_v sum_(f at v) a_f d_f u / (m |V_v|),       w_fv = a_f . d_f x / (d_f x' T_v^-1 d_f x).
///
/// g_v is the gradient around node v by the divergence theorem; at the boundary P_v projects it so that T_v g_v has no
/// part through the boundary, because the natural condition leaves no other. Of the differences, what an affine field
/// with this gradient does not explain gets the two-point fluxes of the finite-volume method. So linear fields are in
/// balance inside where T is constant (the patch test) on simplices and parallelepipeds of any shape, which two-point
/// fluxes alone do not achieve; no mode of the cells is free but the constant; and for T = 1 on intervals, rectangles
/// and boxes all is the usual stencil of 3, 5 or 7 points. Around a node at the side of a barrier, the cells of the
/// barrier and the others are two such patches, with the side as their boundary.
SparseMatrix cell_stiffness(const mesh::Mesh& mesh, const Media& media = {});

/// The same for a field with one value for each node: that of finite elements, P1 or Q1 with quadrature at the nodes,
/// which need no special case at the sides of a barrier.
SparseMatrix node_stiffness(const mesh::Mesh& mesh, const Media& media = {});

}  // namespace varimesh::inverse
