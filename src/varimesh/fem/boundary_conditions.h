#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::fem {

/// u = value (Dirichlet), or exp(kappa) du/dn = value (Neumann: the flux that enters), on a named part of the boundary.
/// Parts that are not mentioned are insulated.
struct BoundaryCondition {
  enum class Kind { dirichlet, neumann };
  Kind kind = Kind::dirichlet;
  std::string boundary;
  ScalarFunction value;
};

/// The conditions brought down to nodes: which are fixed, at which value, and the load that Neumann fluxes add.
struct NodeConditions {
  std::vector<std::optional<double>> fixed;
  Vector neumann_load;
};

/// Throws an InputError for an unknown boundary, parts that overlap, different values at a shared node, or a connected
/// part of the mesh without any Dirichlet node, whose solution would be determined only up to a constant.
NodeConditions apply_conditions(const mesh::Mesh& mesh, const std::vector<BoundaryCondition>& conditions);

}  // namespace varimesh::fem
