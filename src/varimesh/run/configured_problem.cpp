#include "varimesh/run/configured_problem.h"

#include <algorithm>

#include "varimesh/constants.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/mesh/cell_graph.h"
#include "varimesh/run/coarse_start.h"
#include "varimesh/run/mesh_check.h"
#include "varimesh/run/prior_alternatives.h"
#include "varimesh/run/record_problem.h"

namespace varimesh::run {
namespace {

Vector values_of(const std::vector<Quantity>& quantities, const fem::EllipticSolution& solution) {
  Vector values(std::ssize(quantities));
  for (std::size_t q = 0; q < quantities.size(); ++q)
    values[static_cast<Eigen::Index>(q)] = quantities[q].value(solution);
  return values;
}

/// Nodes of a cell are neighbours.
linalg::Graph node_graph(const mesh::Mesh& mesh) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    for (const Index v : mesh.cell(c)) {
      for (const Index w : mesh.cell(c)) {
        if (v < w) edges.emplace_back(v, w);
      }
    }
  }
  return linalg::create_graph(mesh.num_nodes(), edges);
}

/// Unknowns are neighbours if they have cells that share a node, or nodes that share a cell.
linalg::Graph graph_of(const mesh::Mesh& mesh, const fem::CoefficientMap& coefficients) {
  if (coefficients.on_nodes()) return node_graph(mesh);
  const mesh::CellLabels cells = mesh::cell_labels(mesh, mesh::CellNeighbours::sharing_node);
  linalg::Graph graph = linalg::sharing_graph(cells.labels, cells.labels_per_cell, cells.num_labels);
  const std::vector<Index>& unknown = coefficients.of_cell;
  if (coefficients.num_coefficients == mesh.num_cells()) return graph;
  std::vector<std::pair<Index, Index>> edges;
  for (Index c = 0; c < graph.size(); ++c) {
    for (const Index other : graph.neighbours(c))
      if (!coefficients.is_known(c) && !coefficients.is_known(other)) edges.emplace_back(unknown[c], unknown[other]);
  }
  return linalg::create_graph(coefficients.num_coefficients, edges);
}

/// The unknowns of a field that a cell has.
std::vector<Index> unknowns_of_cell(const mesh::Mesh& mesh, const fem::CoefficientMap& map, Index cell) {
  if (map.on_nodes()) return {mesh.cell(cell).begin(), mesh.cell(cell).end()};
  if (map.is_known(cell)) return {};
  return {map.of_cell[static_cast<std::size_t>(cell)]};
}

/// Of all fields, one behind the other; those of different fields are neighbours if they have a cell in common.
linalg::Graph graph_of(const Equation& equation) {
  if (equation.fields.empty()) return graph_of(equation.mesh, equation.coefficients);
  std::vector<std::pair<Index, const fem::CoefficientMap*>> maps{{0, &equation.coefficients}};
  for (const NamedField& field : equation.fields)
    maps.emplace_back(maps.back().first + maps.back().second->num_coefficients, &field.map);
  std::vector<std::pair<Index, Index>> edges;
  for (const auto& [first, map] : maps) {
    const linalg::Graph own = graph_of(equation.mesh, *map);
    for (Index v = 0; v < own.size(); ++v)
      for (const Index w : own.neighbours(v)) edges.emplace_back(first + v, first + w);
    for (const auto& [other_first, other] : maps) {
      for (Index c = 0; other_first < first && c < equation.mesh.num_cells(); ++c)
        for (const Index v : unknowns_of_cell(equation.mesh, *map, c))
          for (const Index w : unknowns_of_cell(equation.mesh, *other, c))
            edges.emplace_back(first + v, other_first + w);
    }
  }
  return linalg::create_graph(maps.back().first + maps.back().second->num_coefficients, edges);
}

}  // namespace

ConfiguredProblem::ConfiguredProblem(const Config& config, const Problem& problem)
    : InverseProblem(record_problem(config, problem), problem.observations), config_(config), problem_(problem) {}

Prediction ConfiguredProblem::predict(const Vector& unknowns) const {
  const fem::EllipticProblem& equation = *problem_.equation.problem;
  const fem::EllipticSolution solution = equation.solve(unknowns);
  Prediction found;
  found.ok = solution.ok();
  found.u = equation.in_mesh_order(solution.u());
  if (problem_.model) found.readings = problem_.model->readings(solution);
  found.quantities = values_of(problem_.quantities, solution);
  return found;
}

Vector ConfiguredProblem::quantities(const Vector& unknowns) const {
  const fem::EllipticSolution solution = problem_.equation.problem->solve(unknowns);
  if (!solution.ok()) return Vector::Constant(std::ssize(problem_.quantities), nan);
  return values_of(problem_.quantities, solution);
}

Vector ConfiguredProblem::quantity_slopes(const Vector& unknowns, const Vector& direction) const {
  Vector slopes(std::ssize(problem_.quantities));
  const fem::EllipticSolution solution = problem_.equation.problem->solve(unknowns);
  for (std::size_t q = 0; q < problem_.quantities.size(); ++q) {
    Vector gradient;
    problem_.quantities[q].value_and_gradient(solution, gradient);
    slopes[static_cast<Eigen::Index>(q)] = gradient.dot(direction);
  }
  return slopes;
}

std::optional<linalg::Graph> ConfiguredProblem::neighbour_graph() const { return graph_of(problem_.equation); }

double ConfiguredProblem::workspace_bytes() const { return problem_.equation.problem->workspace_bytes(); }

EvaluationCost ConfiguredProblem::cost() const {
  const fem::EllipticProblem& fem = *problem_.equation.problem;
  const double entries = fem.cholesky().factor_entries();
  // A factorisation takes about entries^2 / n, a solve with two triangles 2 entries, the assembly of a row some more.
  return {entries * entries / std::max<double>(fem.num_free(), 1) + 4 * entries,
          2 * entries + 8.0 * problem_.num_unknowns()};
}

CoarseStart ConfiguredProblem::fit_coarse(const inverse::Posterior& posterior, const variational::FitOptions& options,
                                          const result::FitObserver& observer) const {
  return run::fit_coarse(config_, problem_, posterior, options, observer);
}

result::MeshCheck ConfiguredProblem::check_mesh(const Matrix& fields, double available) const {
  return run::check_mesh(config_, problem_, fields, available);
}

std::vector<NamedPrior> ConfiguredProblem::alternative_priors() const {
  std::vector<NamedPrior> named;
  for (AlternativePrior& alternative : run::alternative_priors(config_, problem_)) {
    named.push_back({alternative.change, alternative.name, [this, prior = std::move(alternative.prior)] {
                       Config other = config_;
                       other.prior = prior;
                       return build_prior(other, problem_);
                     }});
  }
  return named;
}

}  // namespace varimesh::run
