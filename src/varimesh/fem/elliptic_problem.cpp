#include "varimesh/fem/elliptic_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "varimesh/cancellation.h"
#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/fem/mass_terms.h"
#include "varimesh/linalg/simd.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::fem {
namespace {

void add_load(const mesh::Mesh& mesh, Index cell, const ScalarFunction& f, Vector& load) {
  const ElementVector local = element_load(mesh, cell, f);
  if (!local.allFinite()) throw InputError(fmt::format("the source term is not finite in cell {}", cell));
  const auto nodes = mesh.cell(cell);
  for (std::size_t a = 0; a < nodes.size(); ++a) load[nodes[a]] += local[static_cast<Eigen::Index>(a)];
}

Vector assemble_load(const mesh::Mesh& mesh, const std::vector<SourceTerm>& sources) {
  Vector load = Vector::Zero(mesh.num_nodes());
  for (const SourceTerm& source : sources) {
    if (source.region.empty()) {
      for (Index c = 0; c < mesh.num_cells(); ++c) add_load(mesh, c, source.value, load);
    } else {
      for (const Index c : mesh.region(source.region).cells) add_load(mesh, c, source.value, load);
    }
  }
  return load;
}

/// total phi_i(point)
void add_points(const mesh::Mesh& mesh, const std::vector<PointSource>& points, Vector& load) {
  if (points.empty()) return;
  const mesh::PointLocator locator(mesh);
  for (const PointSource& source : points) {
    const auto location = locator.find(source.point);
    if (!location)
      throw InputError(fmt::format("the point source at ({}) is outside the mesh",
                                   fmt::join(source.point.data(), source.point.data() + mesh.dimension(), ", ")));
    const auto nodes = mesh.cell(location->cell);
    const auto values = mesh::shape_values(mesh.cell_type, location->reference);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      load[nodes[a]] += source.total * values[static_cast<Eigen::Index>(a)];
  }
}

/// Edges between free nodes of one cell, in a numbering of the free nodes only (-1: fixed).
linalg::Graph free_graph(const mesh::Mesh& mesh, const std::vector<Index>& free_number, Index num_free) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (std::size_t b = a + 1; b < nodes.size(); ++b) {
        const Index i = free_number[nodes[a]], j = free_number[nodes[b]];
        if (i >= 0 && j >= 0) edges.emplace_back(i, j);
      }
    }
  }
  return linalg::create_graph(num_free, edges);
}

/// (I 0)'
SparseRows identity_above_zero(Index columns, Index zeros) {
  SparseRows result(columns + zeros, columns);
  result.reserve(columns);
  for (Index k = 0; k < columns; ++k) result.insert(k, k) = 1;
  result.makeCompressed();
  return result;
}

/// Pairs of nodes are counted in an Index, twice over in a graph.
void require_countable_pairs(const mesh::Mesh& mesh) {
  const double nodes = topology(mesh.cell_type).num_nodes;
  const double pairs = mesh.num_cells() * nodes * (nodes - 1) / 2;
  constexpr double most_pairs = std::numeric_limits<Index>::max() / 2.0;
  if (pairs > most_pairs)
    throw InputError(fmt::format("the mesh has {} {}: expected at most {:.0f}", mesh.num_cells(),
                                 topology(mesh.cell_type).plural, most_pairs * mesh.num_cells() / pairs));
}

}  // namespace

double integral(const mesh::Mesh& mesh, const SourceTerm& source) { return assemble_load(mesh, {source}).sum(); }

EllipticProblem::EllipticProblem(const mesh::Mesh& mesh, const CoefficientMap& map,
                                 const std::vector<SourceTerm>& sources,
                                 const std::vector<BoundaryCondition>& conditions,
                                 const std::vector<PointSource>& points, const std::vector<ReactionTerm>& reactions)
    : num_coefficients_(map.num_coefficients), known_(map.known) {
  require_countable_pairs(mesh);
  const NodeConditions nodes = apply_conditions(mesh, conditions, mass_row_sums(mesh, reactions, conditions));
  Vector load = assemble_load(mesh, sources) + nodes.load;
  add_points(mesh, points, load);

  Index num_free = 0;
  std::vector<Index> free_number(nodes.fixed.size(), -1);
  for (std::size_t v = 0; v < nodes.fixed.size(); ++v) {
    if (!nodes.fixed[v]) free_number[v] = num_free++;
  }
  if (num_free == 0) throw InputError("every node of the mesh has a Dirichlet value: nothing is left to solve for");

  const linalg::Elimination elimination = linalg::choose_elimination(free_graph(mesh, free_number, num_free));
  const linalg::Ordering free_position = linalg::inverse(elimination.order);
  position_.resize(nodes.fixed.size());
  u_fixed_.resize(mesh.num_nodes() - num_free);
  load_.resize(mesh.num_nodes());
  Index next_fixed = num_free;
  for (std::size_t v = 0; v < nodes.fixed.size(); ++v) {
    if (nodes.fixed[v]) u_fixed_[next_fixed - num_free] = *nodes.fixed[v];
    position_[v] = nodes.fixed[v] ? next_fixed++ : free_position[free_number[v]];
    load_[position_[v]] = load[static_cast<Index>(v)];
  }
  if (map.on_nodes()) exponents_ = cell_means(mesh, map);
  if (known_.size() > 0) exponents_ = identity_above_zero(num_coefficients_, static_cast<Index>(known_.size()));
  CoefficientMap of_cells = map.on_nodes() ? one_per_cell(mesh) : map;
  of_cells.tensors = map.tensors;
  network_ = std::make_unique<ConductanceNetwork>(mesh, of_cells, position_, num_free);
  for_each_mass(mesh, reactions, conditions, [&](std::span<const Index> part, const ElementMatrix& mass) {
    std::array<Index, 8> numbers{};
    std::ranges::transform(part, numbers.begin(), [&](Index node) { return position_[node]; });
    network_->add_mass(std::span(numbers).first(part.size()), mass);
  });
  cholesky_ = linalg::create_cholesky(elimination.kernel, network_->pattern());
}

double EllipticProblem::bytes() const {
  // The network, the kernel's copy of the pattern, vectors over nodes, and T.
  const auto pattern =
      static_cast<double>(network_->pattern().row.size() + network_->pattern().start.size()) * sizeof(Index);
  const auto means = exponents_ ? static_cast<double>(exponents_->nonZeros()) : 0;
  return network_->bytes() + pattern + static_cast<double>(num_nodes()) * (sizeof(Index) + 2 * sizeof(double)) +
         means * (sizeof(Index) + sizeof(double));
}

double EllipticProblem::workspace_bytes() const {
  const auto matrix_entries = static_cast<double>(network_->pattern().row.size());
  return sizeof(double) *
         (network_->num_coefficients() + matrix_entries + 2.0 * num_nodes() + cholesky_->factor_entries());
}

void EllipticProblem::pull_back(Vector& gradient) const {
  if (exponents_) gradient = exponents_->transpose() * gradient;
}

Vector EllipticProblem::in_mesh_order(const Vector& v) const {
  Vector result(v.size());
  for (Index node = 0; node < num_nodes(); ++node) result[node] = v[position_[node]];
  return result;
}

EllipticSolution EllipticProblem::solve(const Vector& kappa) const {
  if (kappa.size() != num_coefficients())
    throw std::invalid_argument(fmt::format("expected {} values of kappa, found {}", num_coefficients(), kappa.size()));
  EllipticSolution::Lease workspace = pool_.acquire([&] {
    auto created = std::make_unique<Workspace>();
    created->values.resize(static_cast<Eigen::Index>(network_->pattern().row.size()));
    created->u.resize(num_nodes());
    created->factor = cholesky_->create_factor();
    return created;
  });
  Workspace& w = *workspace;
  // Eigen's vectorised exp clamps its argument where the result would overflow or underflow: refuse that, and NaN.
  constexpr double largest_exponent = 700;
  if (exponents_) {
    w.conductivity.noalias() = *exponents_ * kappa;
    w.conductivity.tail(known_.size()) += known_;
  }
  const Vector& exponent = exponents_ ? w.conductivity : kappa;
  w.ok = (exponent.array().abs() <= largest_exponent).all();
  w.conductivity = exponent.array().exp();
  // A_ff u_f = f_f - A_fd u_d
  w.u.head(num_free()) = load_.head(num_free());
  w.u.tail(u_fixed_.size()) = u_fixed_;
  network_->assemble(w.conductivity, u_fixed_, w.values, w.u);
  w.ok = w.ok && w.factor->factorize(w.values.data());
  if (w.ok) {
    w.factor->solve(w.u.data());
  } else {
    w.u.setConstant(nan);
  }
  return {*this, std::move(workspace)};
}

void EllipticSolution::gradient(const Vector& functional, Vector& gradient) const {
  // A lambda = dF/du on the free nodes, lambda = 0 on the fixed ones;  dF/dkappa_c = -lambda' (dA/dkappa_c) u.
  if (!ok()) {
    gradient.setConstant(problem_->num_coefficients(), nan);
    return;
  }
  gradient.resize(problem_->network().num_coefficients());
  thread_local Vector lambda;
  const Index num_free = problem_->num_free();
  lambda = functional;
  lambda.tail(lambda.size() - num_free).setZero();
  workspace_->factor->solve(lambda.data());
  problem_->network().sensitivity(conductivity(), lambda.data(), u(), gradient.data());
  problem_->pull_back(gradient);
}

template <class Fill, class Take>
void EllipticSolution::for_each_gradient(Index count, const Fill& fill, const Take& take) const {
  using linalg::pack_size;
  constexpr Index block = 4 * pack_size;
  using Interleaved = Eigen::Matrix<double, Eigen::Dynamic, pack_size, Eigen::RowMajor>;
  const Index num_free = problem_->num_free(), num_coefficients = problem_->network().num_coefficients();
  Matrix adjoint(num_free, std::min(block, count));
  std::vector<double> storage(static_cast<std::size_t>(problem_->num_nodes() + num_coefficients + 2) * pack_size);
  Eigen::Map<Interleaved> lambda(linalg::align(storage.data()), problem_->num_nodes(), pack_size);
  Eigen::Map<Interleaved> gradient(lambda.data() + lambda.size(), num_coefficients, pack_size);
  lambda.setZero();
  for (Index first = 0; first < count; first += block) {
    throw_if_interrupted();
    const Index columns = std::min(block, count - first);
    adjoint.setZero();
    fill(first, adjoint.leftCols(columns));
    workspace_->factor->solve_many(adjoint.leftCols(columns));
    for (Index c = 0; c < columns; c += pack_size) {
      const Index packed = std::min<Index>(pack_size, columns - c);
      lambda.topLeftCorner(num_free, packed) = adjoint.middleCols(c, packed);
      problem_->network().sensitivity_interleaved(conductivity(), lambda.data(), u(), gradient.data());
      if (const auto& means = problem_->exponents())
        take(first + c, Matrix(means->transpose() * gradient.leftCols(packed)));
      else
        take(first + c, gradient.leftCols(packed));
    }
  }
}

Matrix EllipticSolution::jacobian(const Functionals& functionals) const {
  Matrix result = Matrix::Constant(functionals.size(), problem_->num_coefficients(), nan);
  if (!ok()) return result;
  for_each_gradient(
      functionals.size(),
      [&](Index first, Eigen::Ref<Matrix> adjoint) {
        for (Index r = 0; r < adjoint.cols(); ++r) {
          for (Index k = functionals.start[first + r]; k < functionals.start[first + r + 1]; ++k) {
            if (functionals.column[k] < problem_->num_free()) adjoint(functionals.column[k], r) += functionals.value[k];
          }
        }
      },
      [&](Index first, const auto& gradients) { result.middleRows(first, gradients.cols()) = gradients.transpose(); });
  return result;
}

Matrix EllipticSolution::gradients(const Matrix& functionals) const {
  Matrix result = Matrix::Constant(problem_->num_coefficients(), functionals.cols(), nan);
  if (!ok()) return result;
  for_each_gradient(
      static_cast<Index>(functionals.cols()),
      [&](Index first, Eigen::Ref<Matrix> adjoint) {
        adjoint = functionals.block(0, first, problem_->num_free(), adjoint.cols());
      },
      [&](Index first, const auto& gradients) { result.middleCols(first, gradients.cols()) = gradients; });
  return result;
}

Matrix EllipticSolution::derivatives(const Matrix& v) const {
  // A (du/dkappa v) = -(dA/dkappa v) u on the free nodes. A is linear in exp(kappa), so dA/dkappa v is A with the
  // conductivities exp(kappa) v.
  if (!ok()) return Matrix::Constant(problem_->num_nodes(), v.cols(), nan);
  constexpr Eigen::Index block = 32;
  const Index num_free = problem_->num_free();
  Matrix result = Matrix::Zero(problem_->num_nodes(), v.cols());
  for (Eigen::Index first = 0; first < v.cols(); first += block) {
    throw_if_interrupted();
    const Eigen::Index columns = std::min(block, v.cols() - first);
    Matrix tangent(num_free, columns);
    for (Eigen::Index c = 0; c < columns; ++c) {
      const auto& means = problem_->exponents();
      const Vector change = means ? Vector(*means * v.col(first + c)) : Vector(v.col(first + c));
      tangent.col(c) = -problem_->network().apply_change(conductivity().cwiseProduct(change), u()).head(num_free);
    }
    workspace_->factor->solve_many(tangent);
    result.block(0, first, num_free, columns) = tangent;
  }
  return result;
}

Vector EllipticSolution::extension(const Vector& fixed, const Vector& load) const {
  const Index num_free = problem_->num_free();
  Vector lambda = Vector::Zero(problem_->num_nodes());
  if (!ok()) return Vector::Constant(lambda.size(), nan);
  lambda.tail(fixed.size()) = fixed;
  // A_ff lambda_f = load_f - A_fd lambda_d
  Vector free_part = (load - problem_->network().apply(conductivity(), lambda)).head(num_free);
  workspace_->factor->solve(free_part.data());
  lambda.head(num_free) = free_part;
  return lambda;
}

}  // namespace varimesh::fem
