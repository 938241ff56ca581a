#include "varimesh/fem/boundary_flux.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/mesh/facets.h"
#include "varimesh/quote.h"

namespace varimesh::fem {
namespace {

/// The facets of all Dirichlet parts, and whether each belongs to the part asked for.
struct DirichletFacets {
  std::vector<Index> nodes;
  std::vector<char> inside;
};

/// Adds what conditions prescribe on the part; gives the facets where u is held.
DirichletFacets add_prescribed(const mesh::Mesh& mesh, const mesh::BoundaryPart& part,
                               const std::vector<BoundaryCondition>& conditions, const EllipticProblem& problem,
                               Observable& result) {
  std::set<mesh::FacetKey> keys;
  for_each_facet(mesh, part, [&](std::span<const Index> facet) { keys.insert(mesh::facet_key(facet)); });

  DirichletFacets dirichlet;
  for (const BoundaryCondition& condition : conditions) {
    for_each_facet(mesh, mesh.boundary(condition.boundary), [&](std::span<const Index> facet) {
      const bool inside = keys.contains(mesh::facet_key(facet));
      if (condition.kind == BoundaryCondition::Kind::dirichlet) {
        dirichlet.nodes.insert(dirichlet.nodes.end(), facet.begin(), facet.end());
        dirichlet.inside.push_back(inside);
      } else if (inside && condition.kind == BoundaryCondition::Kind::neumann) {
        result.constant -= facet_load(mesh, facet, condition.value).sum();
      } else if (inside) {
        // int h (u - ambient)
        const ElementVector exchange = facet_load(mesh, facet, condition.coefficient);
        for (std::size_t a = 0; a < facet.size(); ++a)
          result.state.push_back({problem.position()[facet[a]], exchange[static_cast<Eigen::Index>(a)]});
        result.constant -= facet_load(mesh, facet, [&](const Point& x) {
                             return condition.coefficient(x) * condition.value(x);
                           }).sum();
      }
    });
  }
  return dirichlet;
}

/// Adds what facets at corners need beside the shares of fixed nodes: flux in = sum over own facets of s + share (r -
/// sum over all facets of s), s = int exp(kappa) du/dn phi_d, where the coefficients of u in s sum to zero.
void add_corners(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                 const DirichletFacets& dirichlet, const Vector& share, Observable& result) {
  const auto width = static_cast<std::size_t>(topology(mesh.cell_type).nodes_per_facet);
  const auto facet = [&](std::size_t f) { return std::span(dirichlet.nodes).subspan(f * width, width); };
  const auto fixed_number = [&](Index node) { return problem.position()[node] - problem.num_free(); };
  const std::vector<mesh::FacetCells> cells = cells_of_facets(mesh, dirichlet.nodes);
  for (std::size_t f = 0; f < dirichlet.inside.size(); ++f) {
    const auto is_corner = [&](Index node) { return share[fixed_number(node)] > 0 && share[fixed_number(node)] < 1; };
    if (std::ranges::none_of(facet(f), is_corner)) continue;
    const Matrix normal_derivative = facet_normal_derivatives(mesh, cells[f][0], facet(f), map.tensor(cells[f][0]));
    const auto cell_nodes = mesh.cell(cells[f][0]);
    const Index coefficient = map.on_nodes() ? cells[f][0] : map.of_cell[cells[f][0]];
    const auto number = [&](std::size_t b) { return problem.position()[cell_nodes[b]]; };
    for (std::size_t a = 0; a < width; ++a) {
      if (!is_corner(facet(f)[a])) continue;
      const double weight = (dirichlet.inside[f] ? 1.0 : 0.0) - share[fixed_number(facet(f)[a])];
      for (std::size_t b = 1; b < cell_nodes.size(); ++b) {
        const double value = weight * normal_derivative(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
        result.flux.push_back({coefficient, number(b), number(0), -value});
      }
    }
  }
}

/// share' (M u - B a) over the fixed nodes, with what inputs add to the matrix and the load, the latter taken away.
void add_input_shares(const EllipticProblem& problem, const Vector& share, Observable& result) {
  const auto share_of = [&](Index node) { return node < problem.num_free() ? 0 : share[node - problem.num_free()]; };
  for (const auto& [node, amplitude, value] : problem.inputs().load) {
    if (share_of(node) != 0) result.input.push_back({amplitude, share_of(node) * value});
  }
  for (const auto& [i, j, amplitude, value] : problem.inputs().mass) {
    if (share_of(i) != 0) result.exchange.push_back({amplitude, j, -share_of(i) * value});
    if (i != j && share_of(j) != 0) result.exchange.push_back({amplitude, i, -share_of(j) * value});
  }
}

/// What Neumann and Robin terms of inputs let out through the part.
void add_input_exchange(const mesh::Mesh& mesh, const mesh::BoundaryPart& part, const Inputs& inputs,
                        const EllipticProblem& problem, Observable& result) {
  if (inputs.terms.empty()) return;
  std::set<mesh::FacetKey> keys;
  for_each_facet(mesh, part, [&](std::span<const Index> facet) { keys.insert(mesh::facet_key(facet)); });
  const NodeInputs found = assemble_exchange(
      mesh, inputs, [&](std::span<const Index> facet) { return keys.contains(mesh::facet_key(facet)); });
  for (const auto& [node, amplitude, value] : found.load) result.input.push_back({amplitude, -value});
  for (const auto& [i, j, amplitude, value] : found.mass) {
    result.exchange.push_back({amplitude, problem.position()[j], value});
    if (i != j) result.exchange.push_back({amplitude, problem.position()[i], value});
  }
}

}  // namespace

Observable boundary_flux(const mesh::Mesh& mesh, const CoefficientMap& map,
                         const std::vector<BoundaryCondition>& conditions, const EllipticProblem& problem,
                         const std::string& boundary, const Inputs& inputs) {
  Observable result;
  Vector share = Vector::Zero(problem.num_nodes() - problem.num_free());
  const mesh::BoundaryPart& part = mesh.boundary(boundary);
  for (const auto& cells : cells_of_facets(mesh, part.facet_nodes)) {
    if (cells[1] >= 0)
      throw InputError(fmt::format("{} lies inside the mesh, between cells {} and {}: expected a part of its boundary",
                                   quote(boundary), cells[0], cells[1]));
  }
  const DirichletFacets dirichlet = add_prescribed(mesh, part, conditions, problem, result);
  const auto width = static_cast<std::size_t>(topology(mesh.cell_type).nodes_per_facet);
  const auto facet = [&](std::size_t f) { return std::span(dirichlet.nodes).subspan(f * width, width); };
  const auto fixed_number = [&](Index node) { return problem.position()[node] - problem.num_free(); };
  Vector total = Vector::Zero(share.size());
  for (std::size_t f = 0; f < dirichlet.inside.size(); ++f) {
    const double measure = facet_measure(mesh, facet(f));
    for (const Index node : facet(f)) {
      total[fixed_number(node)] += measure;
      if (dirichlet.inside[f]) share[fixed_number(node)] += measure;
    }
  }
  share = share.cwiseQuotient(total);

  // What enters through the Dirichlet facets of the part: share' (A u - f) over the fixed nodes
  result.constant += share.dot(problem.load().tail(share.size()));
  add_input_shares(problem, share, result);
  add_input_exchange(mesh, part, inputs, problem, result);
  const auto share_of = [&](Index number) {
    return number < problem.num_free() ? 0 : share[number - problem.num_free()];
  };
  problem.network().for_each_conductance([&](Index i, Index j, Index coefficient, double value) {
    const double taken = -(share_of(i) - share_of(j)) * value;
    if (taken == 0) return;
    if (coefficient >= 0) {
      result.flux.push_back({coefficient, i, j, taken});
    } else {
      result.state.push_back({i, taken});
      result.state.push_back({j, -taken});
    }
  });
  const Vector& ground = problem.network().ground();
  for (Index i = problem.num_free(); i < problem.num_nodes(); ++i) {
    if (ground.size() > 0 && share_of(i) * ground[i] != 0) result.state.push_back({i, -share_of(i) * ground[i]});
  }

  add_corners(mesh, map, problem, dirichlet, share, result);
  return result;
}

}  // namespace varimesh::fem
