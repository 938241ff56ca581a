#pragma once

#include <span>
#include <string>
#include <vector>

#include "varimesh/fem/elliptic_problem.h"

namespace varimesh::fem {

/// A scalar of u and the coefficient, to be measured or predicted:
///     F = constant + sum a u_i + sum b exp(kappa_c) (u_i - u_j) + sum d kappa_c + sum e exp(kappa_c)
///       + sum g a_k + sum h a_k u_i,   with the amplitudes a_k of the equation's inputs,
/// or the logarithm of that. Nodes are in the problem's numbering, coefficients are the network's.
struct Observable {
  struct StateTerm {
    Index node;
    double value;
  };
  struct FluxTerm {
    Index coefficient, plus, minus;
    double value;
  };
  struct CoefficientTerm {
    Index coefficient;
    double value;
  };
  struct ExchangeTerm {
    Index amplitude, node;
    double value;
  };
  /// Sparse partial derivatives, of which several may have the same column: by u at fixed x, and by the network's kappa
  /// and, numbered behind these, the amplitudes at fixed u.
  struct Derivative {
    std::vector<StateTerm> state;
    std::vector<CoefficientTerm> direct;
  };

  double constant = 0;
  std::vector<StateTerm> state;
  std::vector<FluxTerm> flux;
  std::vector<CoefficientTerm> kappa, conductivity;
  std::vector<CoefficientTerm> input;  ///< of amplitudes
  std::vector<ExchangeTerm> exchange = {};
  bool logarithm = false;

  /// NaN if the equation could not be solved, and for the logarithm of what is not positive.
  double value(const EllipticSolution& solution) const;
  Derivative derivative(const EllipticSolution& solution) const;
  /// The value, and its derivative with respect to the unknowns: one adjoint solve if it depends on u.
  double value_and_gradient(const EllipticSolution& solution, Vector& gradient) const;

 private:
  double sum(const EllipticSolution& solution) const;
};

/// What of the coefficient is seen.
enum class CoefficientScale { kappa, conductivity };

/// An unknown of the inputs as the equation sees it.
Observable input_value(Index amplitude);

/// u at a point, or a component of its gradient there, or of the flux -exp(kappa) D grad u. An InputError if the point
/// is outside the mesh. Where cells meet, gradients and fluxes are those of one of them.
Observable value_at(const mesh::Mesh& mesh, const EllipticProblem& problem, const Point& point);
Observable gradient_at(const mesh::Mesh& mesh, const EllipticProblem& problem, const Point& point, int axis);
Observable flux_at(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                   const Point& point, int axis);
/// The mean of u over some cells, or over a part of the boundary.
Observable mean_over_cells(const mesh::Mesh& mesh, const EllipticProblem& problem, std::span<const Index> cells);
Observable mean_over_boundary(const mesh::Mesh& mesh, const EllipticProblem& problem, const std::string& boundary);
/// The coefficient of the cell with a point, or its mean over some cells.
Observable coefficient_at(const mesh::Mesh& mesh, const CoefficientMap& map, CoefficientScale scale,
                          const Point& point);
Observable mean_coefficient(const mesh::Mesh& mesh, const CoefficientMap& map, CoefficientScale scale,
                            std::span<const Index> cells);

}  // namespace varimesh::fem
