#pragma once

#include <string>
#include <vector>

#include "varimesh/fem/boundary_conditions.h"
#include "varimesh/fem/observable.h"

namespace varimesh::fem {

/// The total flux out through a named boundary part, -int exp(kappa) n' D grad u, from the residual of the discrete
/// equations: so the fluxes out of all parts sum to the sources to rounding, and a linear field's flux is exact.
/// Neumann parts give what was prescribed, Robin parts int h (u - ambient), insulated ones nothing; with a reaction c,
/// int c u is missing in the sum.
///
/// The reaction of a fixed node, r_d = (A u - f)_d = int exp(kappa) du/dn phi_d, belongs to the Dirichlet facets around
/// it. Where these are of several parts (a corner), each part gets the integral over its own facets with the cells'
/// gradients, and what is missing to r_d, of higher order, in proportion to the facets' measure.
///
/// Throws InputError for an unknown part, or one inside the mesh.
Observable boundary_flux(const mesh::Mesh& mesh, const CoefficientMap& map,
                         const std::vector<BoundaryCondition>& conditions, const EllipticProblem& problem,
                         const std::string& boundary, const Inputs& inputs = {});

}  // namespace varimesh::fem
