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

}  // namespace

BoundaryFlux::BoundaryFlux(const mesh::Mesh& mesh, const CoefficientMap& map,
                           const std::vector<BoundaryCondition>& conditions, const EllipticProblem& problem,
                           const std::string& boundary)
    : problem_(&problem), share_(Vector::Zero(problem.num_nodes() - problem.num_free())) {
  const mesh::BoundaryPart& part = mesh.boundary(boundary);
  for (const auto& cells : cells_of_facets(mesh, part.facet_nodes)) {
    if (cells[1] >= 0)
      throw InputError(fmt::format("{} lies inside the mesh, between cells {} and {}: expected a part of its boundary",
                                   quote(boundary), cells[0], cells[1]));
  }
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
        prescribed_ -= facet_load(mesh, facet, condition.value).sum();
      } else if (inside) {
        // int h (u - ambient)
        const ElementVector exchange = facet_load(mesh, facet, condition.coefficient);
        for (std::size_t a = 0; a < facet.size(); ++a)
          exchange_.emplace_back(problem.position()[facet[a]], exchange[static_cast<Eigen::Index>(a)]);
        prescribed_ -= facet_load(mesh, facet, [&](const Point& x) {
                         return condition.coefficient(x) * condition.value(x);
                       }).sum();
      }
    });
  }
  const auto width = static_cast<std::size_t>(topology(mesh.cell_type).nodes_per_facet);
  const auto facet = [&](std::size_t f) { return std::span(dirichlet.nodes).subspan(f * width, width); };
  const auto fixed_number = [&](Index node) { return problem.position()[node] - problem.num_free(); };
  Vector total = Vector::Zero(share_.size());
  for (std::size_t f = 0; f < dirichlet.inside.size(); ++f) {
    const double measure = facet_measure(mesh, facet(f));
    for (const Index node : facet(f)) {
      total[fixed_number(node)] += measure;
      if (dirichlet.inside[f]) share_[fixed_number(node)] += measure;
    }
  }
  share_ = share_.cwiseQuotient(total);

  // At corners, flux in = sum over own facets of s + share (r - sum over all facets of s), s = int exp(kappa) du/dn
  // phi_d.
  const std::vector<mesh::FacetCells> cells = cells_of_facets(mesh, dirichlet.nodes);
  for (std::size_t f = 0; f < dirichlet.inside.size(); ++f) {
    const auto is_corner = [&](Index node) { return share_[fixed_number(node)] > 0 && share_[fixed_number(node)] < 1; };
    if (std::ranges::none_of(facet(f), is_corner)) continue;
    const Matrix normal_derivative = facet_normal_derivatives(mesh, cells[f][0], facet(f));
    const auto cell_nodes = mesh.cell(cells[f][0]);
    for (std::size_t a = 0; a < width; ++a) {
      if (!is_corner(facet(f)[a])) continue;
      const double weight = (dirichlet.inside[f] ? 1.0 : 0.0) - share_[fixed_number(facet(f)[a])];
      for (std::size_t b = 0; b < cell_nodes.size(); ++b) {
        const double value = weight * normal_derivative(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
        const Index coefficient = map.on_nodes() ? cells[f][0] : map.of_cell[cells[f][0]];
        corner_terms_.push_back({coefficient, problem.position()[cell_nodes[b]], value});
      }
    }
  }
}

double BoundaryFlux::value(const EllipticSolution& solution) const {
  const Vector reaction = problem_->network().apply(solution.conductivity(), solution.u()) - problem_->load();
  double flux_in = share_.dot(reaction.tail(share_.size()));
  for (const CornerTerm& t : corner_terms_)
    flux_in += solution.conductivity()[t.coefficient] * t.value * solution.u()[t.column];
  for (const auto& [node, value] : exchange_) flux_in -= value * solution.u()[node];
  return prescribed_ - flux_in;
}

double BoundaryFlux::value_and_gradient(const EllipticSolution& solution, Vector& gradient) const {
  // F = prescribed - w'(A u - f) - h'u with h the corner and exchange terms, for any w that equals the shares on fixed
  // nodes, since free rows of the residual vanish. With A w = -h on the free nodes, du/dkappa drops out:  dF/dkappa_c =
  // -w' (dA/dkappa_c) u - (dh/dkappa_c)' u.
  Vector h = Vector::Zero(problem_->num_nodes());
  for (const CornerTerm& t : corner_terms_) h[t.column] += solution.conductivity()[t.coefficient] * t.value;
  for (const auto& [node, value] : exchange_) h[node] -= value;
  const Vector w = solution.extension(share_, -h);
  gradient.resize(problem_->network().num_coefficients());
  problem_->network().sensitivity(solution.conductivity(), w.data(), solution.u(), gradient.data());
  for (const CornerTerm& t : corner_terms_)
    gradient[t.coefficient] -= solution.conductivity()[t.coefficient] * t.value * solution.u()[t.column];
  problem_->pull_back(gradient);
  return value(solution);
}

}  // namespace varimesh::fem
