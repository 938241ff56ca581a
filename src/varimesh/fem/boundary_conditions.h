#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::fem {

/// u = value (Dirichlet), exp(kappa) du/dn = value (Neumann: the flux that enters), or exp(kappa) du/dn + coefficient
/// (u
/// - value) = 0 (Robin: exchange with surroundings at that value), on a named part of the boundary. Parts that are not
/// mentioned are insulated.
struct BoundaryCondition {
  enum class Kind { dirichlet, neumann, robin };
  Kind kind = Kind::dirichlet;
  std::string boundary;
  ScalarFunction value;
  ScalarFunction coefficient = nullptr;  ///< of a Robin condition, nowhere negative
};

/// The conditions brought down to nodes: which are fixed, at which value, and the load that Neumann and Robin
/// conditions add.
struct NodeConditions {
  std::vector<std::optional<double>> fixed;
  Vector load;
};

/// `ground` has what reaction and Robin conditions hold each node with (see mass_terms.h), no entries without any.
/// Throws an InputError for an unknown boundary, parts that overlap, different values at a shared node, or a connected
/// part of the mesh where nothing holds a node, whose solution would be determined only up to a constant.
NodeConditions apply_conditions(const mesh::Mesh& mesh, const std::vector<BoundaryCondition>& conditions,
                                const Vector& ground = {});

}  // namespace varimesh::fem
