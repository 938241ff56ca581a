#pragma once

#include <string>
#include <vector>

#include "varimesh/fem/boundary_conditions.h"
#include "varimesh/fem/elliptic_problem.h"

namespace varimesh::fem {

/// The total flux out through a named boundary part, -int exp(kappa) du/dn, from the residual of the discrete
/// equations: so the fluxes out of all boundaries sum to the source to rounding, and converge twice as fast as the
/// integral of grad u. A Dirichlet node shared with another part counts by its share of facet measure; Neumann parts
/// give what was prescribed.
class BoundaryFlux {
 public:
  BoundaryFlux(const mesh::Mesh& mesh, const std::vector<BoundaryCondition>& conditions, const EllipticProblem& problem,
               const std::string& boundary);

  double value(const EllipticSolution& solution) const;

  /// The value, and its derivative with respect to kappa: one adjoint solve.
  double value_and_gradient(const EllipticSolution& solution, Vector& gradient) const;

 private:
  const EllipticProblem* problem_;
  Vector share_;           ///< of each fixed node's reaction
  double prescribed_ = 0;  ///< the part that Neumann conditions fix
};

}  // namespace varimesh::fem
