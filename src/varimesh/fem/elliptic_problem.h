#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/fem/boundary_conditions.h"
#include "varimesh/fem/coefficient_map.h"
#include "varimesh/fem/conductance_network.h"
#include "varimesh/fem/inputs.h"
#include "varimesh/linalg/sparse_cholesky.h"
#include "varimesh/mesh/mesh.h"
#include "varimesh/workspace_pool.h"

namespace varimesh::fem {

/// A term of f: a function on a named region, or everywhere if the name is empty.
struct SourceTerm {
  std::string region;
  ScalarFunction value;
};

/// A term of c, in c u: a function that is nowhere negative, on a named region, or everywhere if the name is empty.
using ReactionTerm = SourceTerm;

/// A rate at a point: the term total * delta(x - point) of f.
struct PointSource {
  Point point;
  double total = 0;
};

/// int f over the mesh, of one term.
double integral(const mesh::Mesh& mesh, const SourceTerm& source);

/// Sparse linear functionals of u: row r is the sum of value[k] * u[column[k]] over start[r] <= k < start[r+1].
struct Functionals {
  std::vector<Index> start{0};
  std::vector<Index> column;
  std::vector<double> value;

  Index size() const { return static_cast<Index>(start.size()) - 1; }
};

class EllipticSolution;

/// -div(exp(kappa) D grad u) + c u = f with P1 or Q1 elements. Everything that does not depend on kappa is computed
/// here, once. Solving is safe from many threads and allocates only while the pool of workspaces grows.
///
/// Vectors over nodes are in the problem's own numbering: node v of the mesh is entry position()[v]; the free nodes
/// come first, in elimination order, then the fixed ones.
class EllipticProblem {
 public:
  /// An InputError names a point source outside the mesh, or a reaction that is negative somewhere: where the matrix
  /// is positive definite would then depend on kappa.
  EllipticProblem(const mesh::Mesh& mesh, const CoefficientMap& map, const std::vector<SourceTerm>& sources,
                  const std::vector<BoundaryCondition>& conditions, const std::vector<PointSource>& points = {},
                  const std::vector<ReactionTerm>& reactions = {}, const Inputs& inputs = {});

  /// At unknowns x = (kappa, z): those of the coefficient, then those of the inputs.
  EllipticSolution solve(const Vector& x) const;

  /// How many unknowns x there are.
  Index num_unknowns() const { return num_coefficients_ + (amplitudes_ ? amplitudes_->num_unknowns() : 0); }
  /// Of the inputs; none without them.
  Index num_amplitudes() const { return amplitudes_ ? amplitudes_->size() : 0; }
  /// What the inputs bring to nodes, in the problem's numbering.
  const NodeInputs& inputs() const { return inputs_; }

  /// How many unknowns kappa there are. The network has as many coefficients, and one for each known value, or, for a
  /// field on nodes, one for each cell.
  Index num_coefficients() const { return num_coefficients_; }
  Index num_nodes() const { return network_->num_nodes(); }
  Index num_free() const { return network_->num_free(); }
  const std::vector<Index>& position() const { return position_; }
  const ConductanceNetwork& network() const { return *network_; }
  const linalg::SparseCholesky& cholesky() const { return *cholesky_; }

  /// int f phi_i, plus what Neumann and Robin conditions add, for every node; without the inputs.
  const Vector& load() const { return load_; }
  /// Bytes of what is computed once.
  double bytes() const;
  /// Bytes that one evaluation in flight needs: about what each further thread costs.
  double workspace_bytes() const;

  /// T, where the network's coefficients are exp(T kappa + b): of a field on nodes, whose means over the nodes of cells
  /// these are, with b = 0, or where some are known, T = (I 0)' and b = (0 known)'. None where they are exp(kappa).
  const std::optional<SparseRows>& exponents() const { return exponents_; }

  /// A vector over nodes in the mesh's numbering.
  Vector in_mesh_order(const Vector& v) const;

 private:
  friend class EllipticSolution;
  struct Workspace {
    Vector conductivity, values, u, amplitudes;
    SparseRows amplitude_slope = SparseRows(0, 0);
    std::unique_ptr<linalg::CholeskyFactor> factor;
    bool ok = false;
  };

  /// To the problem's numbering, with places in A.
  void number_inputs();
  void assemble_with_inputs(const Vector& x, Workspace& w) const;

  Index num_coefficients_;
  std::optional<SparseRows> exponents_;
  Vector known_;
  std::vector<Index> position_;
  std::unique_ptr<ConductanceNetwork> network_;
  std::unique_ptr<linalg::SparseCholesky> cholesky_;
  Vector load_, u_fixed_;
  std::shared_ptr<const Amplitudes> amplitudes_;
  NodeInputs inputs_;
  std::vector<Index> mass_slot_;  ///< of the inputs' mass entries in A, -1 for those of fixed nodes
  mutable WorkspacePool<Workspace> pool_;
};

/// u at one x = (kappa, z) with the factorised matrix, from which all derivatives follow. Must not outlive its problem.
class EllipticSolution {
 public:
  /// False if A(kappa) was not numerically positive definite (an overflowing or non-finite kappa): then u and all
  /// derivatives are NaN.
  bool ok() const { return workspace_->ok; }

  const EllipticProblem& problem() const { return *problem_; }
  const Vector& u() const { return workspace_->u; }
  /// Of each of the network's coefficients.
  const Vector& conductivity() const { return workspace_->conductivity; }
  /// a(z) of the inputs; no entries without them.
  const Vector& amplitudes() const { return workspace_->amplitudes; }

  /// Partial derivatives by the network's kappa, then by the amplitudes, to derivatives by x, in place; and a change of
  /// x to one of these.
  void pull_back(Vector& gradient) const;
  Vector push_forward(const Vector& change) const;

  /// A v over all nodes; the load with the inputs; what one unit of u takes to ground at each node.
  Vector apply(const Vector& v) const;
  Vector load() const;
  Vector ground() const;
  double log_determinant() const { return workspace_->factor->log_determinant(); }

  /// dF/dx of F = functional' u: one adjoint solve. `functional` is taken over all nodes.
  void gradient(const Vector& functional, Vector& gradient) const;

  /// dF/dx of all rows at once (rows x unknowns), with blocked adjoint solves.
  Matrix jacobian(const Functionals& functionals) const;
  /// dF/dx of F = functional' u for every column (unknowns x columns), with blocked adjoint solves.
  Matrix gradients(const Matrix& functionals) const;
  /// du/dx V, the derivative of u along every column of V (nodes x columns), with blocked tangent solves.
  Matrix derivatives(const Matrix& v) const;

  /// lambda = fixed on the fixed nodes, and A lambda = load on the free ones (load is taken over all nodes).
  Vector extension(const Vector& fixed, const Vector& load) const;

 private:
  friend class EllipticProblem;
  using Lease = WorkspacePool<EllipticProblem::Workspace>::Lease;
  EllipticSolution(const EllipticProblem& problem, Lease workspace)
      : problem_(&problem), workspace_(std::move(workspace)) {}

  /// dF/da for the amplitudes a of inputs, of F = functional' u with the adjoint lambda, which is 0 on fixed nodes; the
  /// functional is asked for on fixed nodes, by number.
  template <class OnFixed>
  Vector amplitude_gradient(const Vector& lambda, const OnFixed& functional) const;

  /// Adjoint solves in blocks: `fill(first, functionals)` sets the functionals first, first + 1, ..., over all nodes,
  /// which are zero before, and `take(first, gradients)` gets dF/dx, one a column.
  template <class Fill, class Take>
  void for_each_gradient(Index count, const Fill& fill, const Take& take) const;

  const EllipticProblem* problem_;
  Lease workspace_;
};

}  // namespace varimesh::fem
