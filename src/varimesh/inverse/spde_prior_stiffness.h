#pragma once

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::inverse {

/// S with u'S u = int |grad u|^2, approximately, for a field u with one value for each cell, at its centroid, and no
/// flux through the boundary. It couples the cells that share a node; both triangles are stored.
///
/// With a_f the area vector of the facet f from a cell c to a cell c', d_f u = u_c' - u_c, x the centroids, m the nodes
/// of a facet, and |V_v| the share of node v in its cells' volumes,
///
///   u'S u = sum_v |V_v| |g_v|^2 + sum_v sum_(f at v) (w_f / m) (d_f u - g_v . d_f x)^2,
///   g_v = P_v sum_(f at v) a_f d_f u / (m |V_v|),       w_f = a_f . d_f x / |d_f x|^2.
///
/// g_v is the gradient around node v by the divergence theorem; at the boundary P_v projects it along the boundary,
/// because the natural condition leaves no other. Of the differences, what an affine field with this gradient does not
/// explain gets the two-point fluxes of the finite-volume method. So linear fields are in balance inside (the patch
/// test) on simplices and parallelepipeds of any shape, which two-point fluxes alone do not achieve; no mode of the
/// cells is free but the constant; and on intervals, rectangles and boxes all is the usual stencil of 3, 5 or 7 points.
SparseMatrix cell_stiffness(const mesh::Mesh& mesh);

}  // namespace varimesh::inverse
