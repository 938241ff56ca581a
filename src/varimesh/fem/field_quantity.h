#pragma once

#include <vector>

#include "varimesh/fem/elliptic_problem.h"

namespace varimesh::fem {

/// A scalar of u or of the coefficient: its value at a point, or its mean or an extreme over some cells. u is linear in
/// each cell, so that its extremes are at nodes; the coefficient is one number in each cell. At an extreme that two
/// places share there are several derivatives, of which that of the first place is taken.
class FieldQuantity {
 public:
  enum class Field { u, kappa, conductivity };
  enum class Extreme { largest, smallest };

  /// The value at a point; an InputError if that is outside the mesh.
  static FieldQuantity at_point(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                                Field field, const Point& point);
  static FieldQuantity mean(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                            Field field, const std::vector<Index>& cells);
  static FieldQuantity extreme(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                               Field field, const std::vector<Index>& cells, Extreme which);

  double value(const EllipticSolution& solution) const;
  /// The value, and its derivative with respect to kappa: of u by one adjoint solve.
  double value_and_gradient(const EllipticSolution& solution, Vector& gradient) const;

 private:
  enum class Kind { sum, largest, smallest };

  FieldQuantity(const EllipticProblem& problem, Field field, Kind kind)
      : problem_(&problem), field_(field), kind_(kind) {}
  void add(Index entry, double weight);
  double entry(const EllipticSolution& solution, Index k) const;
  std::size_t extreme_place(const EllipticSolution& solution) const;

  const EllipticProblem* problem_;
  Field field_;
  Kind kind_;
  std::vector<Index> entries_;   ///< of u, or of the network's coefficients
  std::vector<double> weights_;  ///< of a sum
};

}  // namespace varimesh::fem
