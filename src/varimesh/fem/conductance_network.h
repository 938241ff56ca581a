#pragma once

#include <functional>
#include <span>
#include <vector>

#include "varimesh/fem/coefficient_map.h"
#include "varimesh/fem/element.h"
#include "varimesh/linalg/sparse_cholesky.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::fem {

/// The stiffness matrix as a network of conductances between nodes. Shape functions sum to one, so every unit element
/// matrix has zero row sums, and
///     A(kappa) = sum_p W_p (e_i - e_j)(e_i - e_j)',   W_p = sum_c G_pc exp(kappa_c),   p = (i, j) a pair of nodes of
///     one cell.
/// G is computed once. Assembly reads it once, front to back; so does the product with dA/dkappa. A mass matrix, which
/// does not depend on kappa, is a network, too: of conductances -E_ij, and others to ground, its row sums.
///
/// Nodes are renumbered by `position`: the free ones first, in elimination order, then the fixed (Dirichlet) ones.
class ConductanceNetwork {
 public:
  ConductanceNetwork(const mesh::Mesh& mesh, const CoefficientMap& map, const std::vector<Index>& position,
                     Index num_free);

  /// Adds the mass matrix of a cell or facet, given by the nodes' new numbers.
  void add_mass(std::span<const Index> nodes, const ElementMatrix& mass);

  Index num_nodes() const { return static_cast<Index>(edge_start_.size()) - 1; }
  Index num_free() const { return num_free_; }
  Index num_coefficients() const { return num_coefficients_; }
  double bytes() const;

  /// The pattern of A among the free nodes.
  const linalg::LowerPattern& pattern() const { return pattern_; }

  /// Fills `values` with A on the pattern, for free nodes, and subtracts the fixed nodes' part from the load:
  /// load_i -= A_id u_d.
  void assemble(const Vector& conductivity, const Vector& u_fixed, Vector& values, Vector& load) const;

  /// Visits what pairs of nodes have of each coefficient: visit(i, j, c, G_pc), and visit(i, j, -1, -E_ij) with a mass
  /// matrix.
  void for_each_conductance(const std::function<void(Index i, Index j, Index coefficient, double value)>& visit) const;

  /// r = A u over all nodes, for the conductivities exp(kappa).
  Vector apply(const Vector& conductivity, const Vector& u) const;
  /// (dA/dtheta change) u, for a change of the conductivities: without the mass matrix.
  Vector apply_change(const Vector& change, const Vector& u) const;

  /// 1' E, what one unit of u at each node takes to ground; no entries without a mass matrix.
  const Vector& ground() const { return ground_; }

  /// sum_p |W_p| (|u_i| + |u_j|) + sum_i |ground_i u_i|: rounding errors of A u are some units in the last place of
  /// this.
  double current_bound(const Vector& conductivity, const Vector& u) const;

  /// gradient_c = -lambda' (dA/dkappa_c) u = -exp(kappa_c) sum_p G_pc (lambda_i - lambda_j)(u_i - u_j), over all nodes.
  void sensitivity(const Vector& conductivity, const double* lambda, const Vector& u, double* gradient) const;

  /// The same for the eight columns of `lambda` (interleaved by rows) at once; `gradient` is interleaved too.
  void sensitivity_interleaved(const Vector& conductivity, const double* lambda, const Vector& u,
                               double* gradient) const;

 private:
  /// G by columns, from G by rows.
  void transpose_shares();
  /// W = G exp(kappa).
  void conductances(const Vector& conductivity, Vector& w) const;
  /// The same with those of the mass matrix.
  void all_conductances(const Vector& conductivity, Vector& w) const;
  /// sum_p W_p (e_i - e_j)(e_i - e_j)' u
  Vector currents(const Vector& w, const Vector& u) const;
  /// gradient = -diag(exp(kappa)) G' products, numbers or packs, one for each edge.
  template <class Number>
  void collect(const Vector& conductivity, const Number* products, Number* gradient) const;

  Index num_free_, num_coefficients_;
  // Edges of node i: edge_start_[i] .. edge_start_[i+1], to nodes edge_end_ > i, ascending.
  std::vector<Index> edge_start_, edge_end_;
  // G by rows, for assembly: two entries for each edge, the second perhaps zero, so that the common case has no
  // branches; further ones, of edges with more than two coefficients around them, are listed apart.
  struct Share {
    Index coefficient[2];
    double value[2];
  };
  struct FurtherShare {
    Index edge, coefficient;
    double value;
  };
  std::vector<Share> shares_;
  std::vector<FurtherShare> further_shares_;
  // G by columns, for sensitivities: sums in registers instead of read-modify-write.
  std::vector<Index> column_start_, column_edge_;
  std::vector<double> column_share_;
  linalg::LowerPattern pattern_;
  // Of the mass matrix: -E_ij for each edge, and row sums; no entries without one.
  Vector mass_conductance_, ground_;
};

}  // namespace varimesh::fem
