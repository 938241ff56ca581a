#include "varimesh/fem/elliptic_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <tuple>

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
                                 const std::vector<PointSource>& points, const std::vector<ReactionTerm>& reactions,
                                 const Inputs& inputs)
    : num_coefficients_(map.num_coefficients),
      known_(map.known),
      amplitudes_(inputs.amplitudes),
      inputs_(assemble_inputs(mesh, inputs)) {
  require_countable_pairs(mesh);
  Vector held = mass_row_sums(mesh, reactions, conditions);
  if (const Vector more = inputs_.row_sums(mesh.num_nodes()); more.size() > 0)
    held = held.size() > 0 ? Vector(held + more.cwiseAbs()) : Vector(more.cwiseAbs());
  const NodeConditions nodes = apply_conditions(mesh, conditions, held);
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
  number_inputs();
  cholesky_ = linalg::create_cholesky(elimination.kernel, network_->pattern());
}

void EllipticProblem::number_inputs() {
  for (LoadEntry& entry : inputs_.load) entry.node = position_[entry.node];
  for (LoadEntry& entry : inputs_.fixed) entry.node = position_[entry.node];
  const linalg::LowerPattern& pattern = network_->pattern();
  for (MassEntry& entry : inputs_.mass) {
    std::tie(entry.i, entry.j) = std::minmax({position_[entry.i], position_[entry.j]});
    if (entry.j >= num_free()) {
      mass_slot_.push_back(-1);
      continue;
    }
    const auto first = pattern.row.begin() + pattern.start[entry.i],
               last = pattern.row.begin() + pattern.start[entry.i + 1];
    mass_slot_.push_back(static_cast<Index>(std::lower_bound(first, last, entry.j) - pattern.row.begin()));
  }
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

Vector EllipticProblem::in_mesh_order(const Vector& v) const {
  Vector result(v.size());
  for (Index node = 0; node < num_nodes(); ++node) result[node] = v[position_[node]];
  return result;
}

EllipticSolution EllipticProblem::solve(const Vector& x) const {
  if (x.size() != num_unknowns())
    throw std::invalid_argument(fmt::format("expected {} unknowns, found {}", num_unknowns(), x.size()));
  const auto kappa = x.head(num_coefficients());
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
  if (!exponents_) w.conductivity = kappa;
  w.ok = (w.conductivity.array().abs() <= largest_exponent).all();
  w.conductivity = w.conductivity.array().exp();
  // A_ff u_f = f_f - A_fd u_d
  w.u.head(num_free()) = load_.head(num_free());
  w.u.tail(u_fixed_.size()) = u_fixed_;
  if (num_amplitudes() == 0) {
    network_->assemble(w.conductivity, u_fixed_, w.values, w.u);
  } else {
    assemble_with_inputs(x, w);
  }
  w.ok = w.ok && w.factor->factorize(w.values.data());
  if (w.ok) {
    w.factor->solve(w.u.data());
  } else {
    w.u.setConstant(nan);
  }
  return {*this, std::move(workspace)};
}

void EllipticProblem::assemble_with_inputs(const Vector& x, Workspace& w) const {
  amplitudes_->evaluate(x.tail(amplitudes_->num_unknowns()), w.amplitudes, w.amplitude_slope);
  const Vector& a = w.amplitudes;
  w.ok = w.ok && a.allFinite();
  for (const LoadEntry& entry : inputs_.load)
    w.u[entry.node] += entry.node < num_free() ? entry.value * a[entry.amplitude] : 0;
  for (const LoadEntry& entry : inputs_.fixed) w.u[entry.node] += entry.value * a[entry.amplitude];
  const Vector u_fixed = w.u.tail(u_fixed_.size());
  network_->assemble(w.conductivity, u_fixed, w.values, w.u);
  for (std::size_t k = 0; k < inputs_.mass.size(); ++k) {
    const MassEntry& entry = inputs_.mass[k];
    const double mass = entry.value * a[entry.amplitude];
    if (mass_slot_[k] >= 0) {
      w.values[mass_slot_[k]] += mass;
    } else if (entry.i < num_free()) {
      w.u[entry.i] -= mass * w.u[entry.j];
    }
  }
}

void EllipticSolution::pull_back(Vector& gradient) const {
  const auto& means = problem_->exponents();
  const Index inputs = problem_->num_amplitudes();
  if (inputs == 0) {
    if (means) gradient = means->transpose() * gradient;
    return;
  }
  Vector result(problem_->num_unknowns());
  const auto of_network = gradient.head(gradient.size() - inputs);
  if (means) {
    result.head(problem_->num_coefficients()) = means->transpose() * of_network;
  } else {
    result.head(problem_->num_coefficients()) = of_network;
  }
  const SparseRows& slope = workspace_->amplitude_slope;
  result.tail(slope.cols()) = slope.transpose() * gradient.tail(inputs);
  gradient = result;
}

Vector EllipticSolution::push_forward(const Vector& change) const {
  const auto& means = problem_->exponents();
  const Index inputs = problem_->num_amplitudes();
  if (inputs == 0) return means ? Vector(*means * change) : change;
  Vector result(problem_->network().num_coefficients() + inputs);
  const Vector kappa = change.head(problem_->num_coefficients());
  const SparseRows& slope = workspace_->amplitude_slope;
  result.head(result.size() - inputs) = means ? Vector(*means * kappa) : kappa;
  result.tail(inputs) = slope * change.tail(slope.cols());
  return result;
}

Vector EllipticSolution::apply(const Vector& v) const {
  Vector result = problem_->network().apply(conductivity(), v);
  for (const auto& [i, j, amplitude, value] : problem_->inputs().mass) {
    const double mass = value * amplitudes()[amplitude];
    result[i] += mass * v[j];
    if (i != j) result[j] += mass * v[i];
  }
  return result;
}

Vector EllipticSolution::load() const {
  Vector result = problem_->load();
  for (const auto& [node, amplitude, value] : problem_->inputs().load) result[node] += value * amplitudes()[amplitude];
  return result;
}

Vector EllipticSolution::ground() const {
  const Vector& known = problem_->network().ground();
  Vector result = known.size() > 0 ? known : Vector(Vector::Zero(problem_->num_nodes()));
  for (const auto& [i, j, amplitude, value] : problem_->inputs().mass) {
    result[i] += value * amplitudes()[amplitude];
    if (i != j) result[j] += value * amplitudes()[amplitude];
  }
  return result;
}

template <class OnFixed>
Vector EllipticSolution::amplitude_gradient(const Vector& lambda, const OnFixed& functional) const {
  // With u = u_fixed + D a on fixed nodes and A = A_0 + sum a_k M_k:
  // dF/da = B' lambda + D' (dF/du - A lambda) - lambda' M u
  Vector result = Vector::Zero(problem_->num_amplitudes());
  const NodeInputs& inputs = problem_->inputs();
  for (const auto& [node, amplitude, value] : inputs.load) result[amplitude] += value * lambda[node];
  if (!inputs.fixed.empty()) {
    const Vector reaction = apply(lambda);
    for (const auto& [node, amplitude, value] : inputs.fixed)
      result[amplitude] += value * (functional(node) - reaction[node]);
  }
  for (const auto& [i, j, amplitude, value] : inputs.mass)
    result[amplitude] -= value * (i == j ? lambda[i] * u()[i] : lambda[i] * u()[j] + lambda[j] * u()[i]);
  return result;
}

void EllipticSolution::gradient(const Vector& functional, Vector& gradient) const {
  // A lambda = dF/du on the free nodes, lambda = 0 on the fixed ones;  dF/dkappa_c = -lambda' (dA/dkappa_c) u.
  if (!ok()) {
    gradient.setConstant(problem_->num_unknowns(), nan);
    return;
  }
  const Index inputs = problem_->num_amplitudes();
  gradient.resize(problem_->network().num_coefficients() + inputs);
  thread_local Vector lambda;
  const Index num_free = problem_->num_free();
  lambda = functional;
  lambda.tail(lambda.size() - num_free).setZero();
  workspace_->factor->solve(lambda.data());
  problem_->network().sensitivity(conductivity(), lambda.data(), u(), gradient.data());
  if (inputs > 0) gradient.tail(inputs) = amplitude_gradient(lambda, [&](Index node) { return functional[node]; });
  pull_back(gradient);
}

template <class Fill, class Take>
void EllipticSolution::for_each_gradient(Index count, const Fill& fill, const Take& take) const {
  using linalg::pack_size;
  constexpr Index block = 4 * pack_size;
  using Interleaved = Eigen::Matrix<double, Eigen::Dynamic, pack_size, Eigen::RowMajor>;
  const Index num_free = problem_->num_free(), num_coefficients = problem_->network().num_coefficients();
  const Index inputs = problem_->num_amplitudes();
  Matrix functionals(problem_->num_nodes(), std::min(block, count));  // on the free nodes then their adjoints
  std::vector<double> storage(static_cast<std::size_t>(problem_->num_nodes() + num_coefficients + 2) * pack_size);
  Eigen::Map<Interleaved> lambda(linalg::align(storage.data()), problem_->num_nodes(), pack_size);
  Eigen::Map<Interleaved> gradient(lambda.data() + lambda.size(), num_coefficients, pack_size);
  lambda.setZero();
  for (Index first = 0; first < count; first += block) {
    throw_if_interrupted();
    const Index columns = std::min(block, count - first);
    functionals.setZero();
    fill(first, functionals.leftCols(columns));
    auto adjoint = functionals.topRows(num_free);
    workspace_->factor->solve_many(adjoint.leftCols(columns));
    for (Index c = 0; c < columns; c += pack_size) {
      const Index packed = std::min<Index>(pack_size, columns - c);
      lambda.topLeftCorner(num_free, packed) = adjoint.middleCols(c, packed);
      problem_->network().sensitivity_interleaved(conductivity(), lambda.data(), u(), gradient.data());
      if (inputs > 0) {
        Matrix all(problem_->num_unknowns(), packed);
        for (Index k = 0; k < packed; ++k) {
          Vector one(num_coefficients + inputs);
          one.head(num_coefficients) = gradient.col(k);
          one.tail(inputs) = amplitude_gradient(lambda.col(k), [&](Index node) { return functionals(node, c + k); });
          pull_back(one);
          all.col(k) = one;
        }
        take(first + c, all);
      } else if (const auto& means = problem_->exponents()) {
        take(first + c, Matrix(means->transpose() * gradient.leftCols(packed)));
      } else {
        take(first + c, gradient.leftCols(packed));
      }
    }
  }
}

Matrix EllipticSolution::jacobian(const Functionals& functionals) const {
  Matrix result = Matrix::Constant(functionals.size(), problem_->num_unknowns(), nan);
  if (!ok()) return result;
  for_each_gradient(
      functionals.size(),
      [&](Index first, Eigen::Ref<Matrix> rows) {
        for (Index r = 0; r < rows.cols(); ++r) {
          for (Index k = functionals.start[first + r]; k < functionals.start[first + r + 1]; ++k)
            rows(functionals.column[k], r) += functionals.value[k];
        }
      },
      [&](Index first, const auto& gradients) { result.middleRows(first, gradients.cols()) = gradients.transpose(); });
  return result;
}

Matrix EllipticSolution::gradients(const Matrix& functionals) const {
  Matrix result = Matrix::Constant(problem_->num_unknowns(), functionals.cols(), nan);
  if (!ok()) return result;
  for_each_gradient(
      static_cast<Index>(functionals.cols()),
      [&](Index first, Eigen::Ref<Matrix> some) { some = functionals.middleCols(first, some.cols()); },
      [&](Index first, const auto& gradients) { result.middleCols(first, gradients.cols()) = gradients; });
  return result;
}

Matrix EllipticSolution::derivatives(const Matrix& v) const {
  // A (du/dkappa v) = -(dA/dkappa v) u on the free nodes. A is linear in exp(kappa), so dA/dkappa v is A with the
  // conductivities exp(kappa) v. With a change da of the inputs: A du = B da - (M da) u on the free nodes, du = D da on
  // the fixed ones.
  if (!ok()) return Matrix::Constant(problem_->num_nodes(), v.cols(), nan);
  constexpr Eigen::Index block = 32;
  const Index num_free = problem_->num_free();
  Matrix result = Matrix::Zero(problem_->num_nodes(), v.cols());
  for (Eigen::Index first = 0; first < v.cols(); first += block) {
    throw_if_interrupted();
    const Eigen::Index columns = std::min(block, v.cols() - first);
    Matrix tangent(num_free, columns);
    for (Eigen::Index c = 0; c < columns; ++c) {
      const Vector change = push_forward(v.col(first + c));
      const Vector of_network = change.head(conductivity().size());
      Vector current = -problem_->network().apply_change(conductivity().cwiseProduct(of_network), u());
      if (problem_->num_amplitudes() > 0) {
        const auto da = change.tail(problem_->num_amplitudes());
        const NodeInputs& inputs = problem_->inputs();
        for (const auto& [node, amplitude, value] : inputs.load) current[node] += value * da[amplitude];
        for (const auto& [i, j, amplitude, value] : inputs.mass) {
          current[i] -= value * da[amplitude] * u()[j];
          if (i != j) current[j] -= value * da[amplitude] * u()[i];
        }
        auto du = result.col(first + c);
        for (const auto& [node, amplitude, value] : inputs.fixed) du[node] += value * da[amplitude];
        if (!inputs.fixed.empty()) current -= apply(du);
      }
      tangent.col(c) = current.head(num_free);
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
  Vector free_part = (load - apply(lambda)).head(num_free);
  workspace_->factor->solve(free_part.data());
  lambda.head(num_free) = free_part;
  return lambda;
}

}  // namespace varimesh::fem
