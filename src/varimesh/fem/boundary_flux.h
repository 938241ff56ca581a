#pragma once

#include <string>
#include <utility>
#include <vector>

#include "varimesh/fem/boundary_conditions.h"
#include "varimesh/fem/elliptic_problem.h"

namespace varimesh::fem {

/// The total flux out through a named boundary part, -int exp(kappa) du/dn, from the residual of the discrete
/// equations: so the fluxes out of all parts sum to the sources to rounding, and a linear field's flux is exact.
/// Neumann parts give what was prescribed, Robin parts int h (u - ambient), insulated ones nothing; with a reaction c,
/// int c u is missing in the sum.
///
/// The reaction of a fixed node, r_d = (A u - f)_d = int exp(kappa) du/dn phi_d, belongs to the Dirichlet facets around
/// it. Where these are of several parts (a corner), each part gets the integral over its own facets with the cells'
/// gradients, and what is missing to r_d, of higher order, in proportion to the facets' measure.
class BoundaryFlux {
 public:
  /// Throws InputError for an unknown part, or one inside the mesh.
  BoundaryFlux(const mesh::Mesh& mesh, const CoefficientMap& map, const std::vector<BoundaryCondition>& conditions,
               const EllipticProblem& problem, const std::string& boundary);

  double value(const EllipticSolution& solution) const;

  /// The value, and its derivative with respect to kappa: one adjoint solve.
  double value_and_gradient(const EllipticSolution& solution, Vector& gradient) const;

 private:
  /// exp(kappa_coefficient) * value * u_column, summed over all: the corners' part of the flux in.
  struct CornerTerm {
    Index coefficient, column;
    double value;
  };

  const EllipticProblem* problem_;
  Vector share_;  ///< of each fixed node's reaction
  std::vector<CornerTerm> corner_terms_;
  std::vector<std::pair<Index, double>> exchange_;  ///< int h phi_i of Robin conditions, by node
  double prescribed_ = 0;                           ///< the part that Neumann conditions and surroundings fix
};

}  // namespace varimesh::fem
