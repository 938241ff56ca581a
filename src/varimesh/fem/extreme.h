#pragma once

#include <vector>

#include "varimesh/fem/elliptic_problem.h"

namespace varimesh::fem {

/// The largest or smallest value of u or of the coefficient over some cells. u is linear in each cell, so that its
/// extremes are at nodes; the coefficient is one number in each cell. At an extreme that two places share there are
/// several derivatives, of which that of the first place is taken.
class Extreme {
 public:
  enum class Field { u, kappa, conductivity };
  enum class Which { largest, smallest };

  Extreme(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem, Field field,
          const std::vector<Index>& cells, Which which);

  double value(const EllipticSolution& solution) const;
  /// The value, and its derivative with respect to kappa: of u by one adjoint solve.
  double value_and_gradient(const EllipticSolution& solution, Vector& gradient) const;

 private:
  double entry(const EllipticSolution& solution, Index k) const;
  Index place(const EllipticSolution& solution) const;

  Field field_;
  Which which_;
  std::vector<Index> entries_;  ///< of u, or of the network's coefficients
};

}  // namespace varimesh::fem
