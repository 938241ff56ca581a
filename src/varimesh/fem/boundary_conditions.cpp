#include "varimesh/fem/boundary_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/mesh/facets.h"

namespace varimesh::fem {
namespace {

std::string describe(const Point& x, int dimension) {
  return fmt::format("({})", fmt::join(x.data(), x.data() + dimension, ", "));
}

double evaluate(const BoundaryCondition& condition, const Point& x, int dimension) {
  const double value = condition.value(x);
  if (!std::isfinite(value))
    throw InputError(
        fmt::format("the value on boundary '{}' is not finite at {}", condition.boundary, describe(x, dimension)));
  return value;
}

void reject_overlaps(const mesh::Mesh& mesh, const std::vector<BoundaryCondition>& conditions) {
  std::map<mesh::FacetKey, const BoundaryCondition*> owner;
  for (const BoundaryCondition& condition : conditions) {
    for_each_facet(mesh, mesh.boundary(condition.boundary), [&](std::span<const Index> facet) {
      const auto [place, inserted] = owner.emplace(mesh::facet_key(facet), &condition);
      if (!inserted)
        throw InputError(fmt::format("the conditions on '{}' and '{}' overlap: both contain the facet with nodes {}",
                                     place->second->boundary, condition.boundary, fmt::join(facet, ", ")));
    });
  }
}

void reject_floating_parts(const mesh::Mesh& mesh, const std::vector<std::optional<double>>& fixed,
                           const Vector& ground) {
  // Union-find over the nodes of each cell.
  std::vector<Index> parent(fixed.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Index v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    for (const Index node : nodes) parent[root(node)] = root(nodes[0]);
  }
  std::vector<char> held(fixed.size(), 0);
  for (Index v = 0; v < mesh.num_nodes(); ++v) {
    if (fixed[v] || (ground.size() > 0 && ground[v] > 0)) held[root(v)] = 1;
  }
  for (Index v = 0; v < mesh.num_nodes(); ++v) {
    if (!held[root(v)])
      throw InputError(
          fmt::format("no Dirichlet value, Robin condition or reaction holds the part of the mesh with node {} at {}: "
                      "with Neumann conditions only, the solution is determined up to a constant",
                      v, describe(mesh.nodes[v], mesh.dimension())));
  }
}

}  // namespace

NodeConditions apply_conditions(const mesh::Mesh& mesh, const std::vector<BoundaryCondition>& conditions,
                                const Vector& ground) {
  using Kind = BoundaryCondition::Kind;
  const int dimension = mesh.dimension();
  const bool grounded = ground.size() > 0 && ground.maxCoeff() > 0;
  if (!grounded && std::ranges::none_of(conditions, [](const auto& c) { return c.kind == Kind::dirichlet; }))
    throw InputError(
        "no boundary has a Dirichlet value or a Robin condition, and there is no reaction: a pure Neumann problem "
        "determines the solution only up to a constant");
  reject_overlaps(mesh, conditions);

  NodeConditions result{std::vector<std::optional<double>>(static_cast<std::size_t>(mesh.num_nodes())),
                        Vector::Zero(mesh.num_nodes())};
  std::vector<const BoundaryCondition*> owner(result.fixed.size(), nullptr);
  for (const BoundaryCondition& condition : conditions) {
    const mesh::BoundaryPart& part = mesh.boundary(condition.boundary);
    if (condition.kind != Kind::dirichlet) {
      // exp(kappa) du/dn = value, or coefficient (value - u), of which the part with u is in the matrix
      const bool robin = condition.kind == Kind::robin;
      for_each_facet(mesh, part, [&](std::span<const Index> facet) {
        const auto load = facet_load(mesh, facet, [&](const Point& x) {
          return evaluate(condition, x, dimension) * (robin ? condition.coefficient(x) : 1);
        });
        for (std::size_t a = 0; a < facet.size(); ++a) result.load[facet[a]] += load[static_cast<Eigen::Index>(a)];
      });
      continue;
    }
    for (const Index node : part.facet_nodes) {
      const double value = evaluate(condition, mesh.nodes[node], dimension);
      if (!result.fixed[node]) {
        result.fixed[node] = value;
        owner[node] = &condition;
      }
      // Expressions that agree on paper may differ by rounding where two parts meet.
      const double agreed = *result.fixed[node];
      if (std::abs(agreed - value) > 1e-10 * (1 + std::abs(agreed)))
        throw InputError(fmt::format("boundaries '{}' and '{}' meet at node {} at {} with different values, {} and {}",
                                     owner[node]->boundary, condition.boundary, node,
                                     describe(mesh.nodes[node], dimension), agreed, value));
    }
  }
  reject_floating_parts(mesh, result.fixed, ground);
  return result;
}

}  // namespace varimesh::fem
