#pragma once

#include <functional>
#include <span>
#include <vector>

#include "varimesh/fem/boundary_conditions.h"
#include "varimesh/fem/element.h"
#include "varimesh/fem/elliptic_problem.h"

namespace varimesh::fem {

/// Visits what reaction and Robin conditions add to the matrix, as the nodes of a cell or facet and its mass matrix:
/// int c phi_i phi_j over every cell with a reaction c, int h phi_i phi_j over every facet with a Robin coefficient h.
/// Throws an InputError for a c or h that is negative or not finite.
void for_each_mass(const mesh::Mesh& mesh, const std::vector<ReactionTerm>& reactions,
                   const std::vector<BoundaryCondition>& conditions,
                   const std::function<void(std::span<const Index> nodes, const ElementMatrix& mass)>& visit);

/// int c phi_i + int h phi_i for every node: what one unit of u there takes away. No entries without reaction and Robin
/// conditions.
Vector mass_row_sums(const mesh::Mesh& mesh, const std::vector<ReactionTerm>& reactions,
                     const std::vector<BoundaryCondition>& conditions);

}  // namespace varimesh::fem
