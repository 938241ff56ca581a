#include "varimesh/fem/observable.h"

#include <Eigen/LU>
#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/measure.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::fem {
namespace {

mesh::Location locate(const mesh::Mesh& mesh, const Point& point) {
  const auto location = mesh::PointLocator(mesh).find(point);
  if (!location) throw InputError("the point is outside the mesh");
  return *location;
}

/// The network's coefficient of a cell.
Index coefficient(const CoefficientMap& map, Index cell) { return map.on_nodes() ? cell : map.of_cell[cell]; }

/// The terms of a dense vector that are not zero.
template <class Term>
std::vector<Term> terms(const Vector& dense) {
  std::vector<Term> result;
  for (Eigen::Index k = 0; k < dense.size(); ++k) {
    if (dense[k] != 0) result.push_back({static_cast<Index>(k), dense[k]});
  }
  return result;
}

/// The shape functions' gradients at a place, one a row.
mesh::ShapeGradients gradients_at(const mesh::Mesh& mesh, const mesh::Location& at) {
  return mesh::shape_gradients(mesh.cell_type, at.reference) * mesh::jacobian(mesh, at.cell, at.reference).inverse();
}

std::vector<Observable::CoefficientTerm>& terms_of(Observable& observable, CoefficientScale scale) {
  return scale == CoefficientScale::kappa ? observable.kappa : observable.conductivity;
}

}  // namespace

double Observable::sum(const EllipticSolution& solution) const {
  const Vector& u = solution.u();
  const Vector& theta = solution.conductivity();
  double result = constant;
  for (const StateTerm& t : state) result += t.value * u[t.node];
  for (const FluxTerm& t : flux) result += t.value * theta[t.coefficient] * (u[t.plus] - u[t.minus]);
  for (const CoefficientTerm& t : kappa) result += t.value * std::log(theta[t.coefficient]);
  for (const CoefficientTerm& t : conductivity) result += t.value * theta[t.coefficient];
  for (const CoefficientTerm& t : input) result += t.value * solution.amplitudes()[t.coefficient];
  for (const ExchangeTerm& t : exchange) result += t.value * solution.amplitudes()[t.amplitude] * u[t.node];
  return result;
}

double Observable::value(const EllipticSolution& solution) const {
  if (!solution.ok()) return nan;
  const double number = sum(solution);
  if (!logarithm) return number;
  return number > 0 ? std::log(number) : nan;
}

Observable::Derivative Observable::derivative(const EllipticSolution& solution) const {
  const Vector& u = solution.u();
  const Vector& theta = solution.conductivity();
  const double weight = logarithm ? 1 / sum(solution) : 1;  // d log F = dF / F
  Derivative result;
  for (const StateTerm& t : state) result.state.push_back({t.node, weight * t.value});
  for (const FluxTerm& t : flux) {
    const double value = weight * t.value * theta[t.coefficient];
    result.state.push_back({t.plus, value});
    result.state.push_back({t.minus, -value});
    result.direct.push_back({t.coefficient, value * (u[t.plus] - u[t.minus])});
  }
  for (const CoefficientTerm& t : kappa) result.direct.push_back({t.coefficient, weight * t.value});
  for (const CoefficientTerm& t : conductivity)
    result.direct.push_back({t.coefficient, weight * t.value * theta[t.coefficient]});
  const auto first = static_cast<Index>(theta.size());
  for (const CoefficientTerm& t : input) result.direct.push_back({first + t.coefficient, weight * t.value});
  for (const ExchangeTerm& t : exchange) {
    result.state.push_back({t.node, weight * t.value * solution.amplitudes()[t.amplitude]});
    result.direct.push_back({first + t.amplitude, weight * t.value * u[t.node]});
  }
  return result;
}

double Observable::value_and_gradient(const EllipticSolution& solution, Vector& gradient) const {
  const EllipticProblem& problem = solution.problem();
  if (!solution.ok()) {
    gradient.setConstant(problem.num_unknowns(), nan);
    return nan;
  }
  const Derivative found = derivative(solution);
  Vector direct = Vector::Zero(problem.network().num_coefficients() + problem.num_amplitudes());
  for (const auto& [coefficient, value] : found.direct) direct[coefficient] += value;
  solution.pull_back(direct);
  if (found.state.empty()) {
    gradient = direct;
  } else {
    Vector functional = Vector::Zero(problem.num_nodes());
    for (const auto& [node, value] : found.state) functional[node] += value;
    solution.gradient(functional, gradient);
    gradient += direct;
  }
  return value(solution);
}

Observable input_value(Index amplitude) {
  Observable result;
  result.input.push_back({amplitude, 1});
  return result;
}

Observable value_at(const mesh::Mesh& mesh, const EllipticProblem& problem, const Point& point) {
  const mesh::Location at = locate(mesh, point);
  const auto values = mesh::shape_values(mesh.cell_type, at.reference);
  Observable result;
  for (std::size_t a = 0; a < mesh.cell(at.cell).size(); ++a)
    result.state.push_back({problem.position()[mesh.cell(at.cell)[a]], values[static_cast<Eigen::Index>(a)]});
  return result;
}

Observable gradient_at(const mesh::Mesh& mesh, const EllipticProblem& problem, const Point& point, int axis) {
  const mesh::Location at = locate(mesh, point);
  const Vector slope = gradients_at(mesh, at).col(axis);
  Observable result;
  for (std::size_t a = 0; a < mesh.cell(at.cell).size(); ++a)
    result.state.push_back({problem.position()[mesh.cell(at.cell)[a]], slope[static_cast<Eigen::Index>(a)]});
  return result;
}

Observable flux_at(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                   const Point& point, int axis) {
  // -exp(kappa) sum_a (D grad phi_a)_axis u_a, where the gradients sum to zero
  const mesh::Location at = locate(mesh, point);
  const Vector slope = gradients_at(mesh, at) * map.tensor(at.cell).col(axis);
  const auto node = [&](std::size_t a) { return problem.position()[mesh.cell(at.cell)[a]]; };
  Observable result;
  for (std::size_t a = 1; a < mesh.cell(at.cell).size(); ++a)
    result.flux.push_back({coefficient(map, at.cell), node(a), node(0), -slope[static_cast<Eigen::Index>(a)]});
  return result;
}

Observable mean_over_cells(const mesh::Mesh& mesh, const EllipticProblem& problem, std::span<const Index> cells) {
  // 1/|R| sum over the cells of int phi_i
  const double total = mesh::measure(mesh, cells);
  Vector weight = Vector::Zero(problem.num_nodes());
  for (const Index c : cells) {
    const ElementVector local = element_load(mesh, c, [](const Point&) { return 1.0; });
    for (Eigen::Index a = 0; a < local.size(); ++a)
      weight[problem.position()[mesh.cell(c)[static_cast<std::size_t>(a)]]] += local[a] / total;
  }
  Observable result;
  result.state = terms<Observable::StateTerm>(weight);
  return result;
}

Observable mean_over_boundary(const mesh::Mesh& mesh, const EllipticProblem& problem, const std::string& boundary) {
  Vector weight = Vector::Zero(problem.num_nodes());
  double total = 0;
  for_each_facet(mesh, mesh.boundary(boundary), [&](std::span<const Index> facet) {
    const ElementVector local = facet_load(mesh, facet, [](const Point&) { return 1.0; });
    for (std::size_t a = 0; a < facet.size(); ++a)
      weight[problem.position()[facet[a]]] += local[static_cast<Eigen::Index>(a)];
    total += local.sum();
  });
  Observable result;
  result.state = terms<Observable::StateTerm>(weight / total);
  return result;
}

Observable coefficient_at(const mesh::Mesh& mesh, const CoefficientMap& map, CoefficientScale scale,
                          const Point& point) {
  Observable result;
  terms_of(result, scale).push_back({coefficient(map, locate(mesh, point).cell), 1});
  return result;
}

Observable mean_coefficient(const mesh::Mesh& mesh, const CoefficientMap& map, CoefficientScale scale,
                            std::span<const Index> cells) {
  const double total = mesh::measure(mesh, cells);
  Vector weight = Vector::Zero(map.on_nodes() ? mesh.num_cells() : map.num_coefficients + map.known.size());
  for (const Index c : cells) weight[coefficient(map, c)] += mesh::signed_measure(mesh, c) / total;
  Observable result;
  terms_of(result, scale) = terms<Observable::CoefficientTerm>(weight);
  return result;
}

}  // namespace varimesh::fem
