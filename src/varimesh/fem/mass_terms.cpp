#include "varimesh/fem/mass_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "varimesh/error.h"

namespace varimesh::fem {
namespace {

/// A function that complains where it is negative or not finite.
ScalarFunction nowhere_negative(const ScalarFunction& function, std::string what, int dimension) {
  return [&function, what = std::move(what), dimension](const Point& x) {
    const double value = function(x);
    if (!(value >= 0 && std::isfinite(value)))
      throw InputError(fmt::format("expected {} of at least 0, found {} at ({:.6g})", what, value,
                                   fmt::join(x.data(), x.data() + dimension, ", ")));
    return value;
  };
}

std::vector<Index> cells_of(const mesh::Mesh& mesh, const ReactionTerm& reaction) {
  if (!reaction.region.empty()) return mesh.region(reaction.region).cells;
  std::vector<Index> all(static_cast<std::size_t>(mesh.num_cells()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

void for_each_mass(const mesh::Mesh& mesh, const std::vector<ReactionTerm>& reactions,
                   const std::vector<BoundaryCondition>& conditions,
                   const std::function<void(std::span<const Index> nodes, const ElementMatrix& mass)>& visit) {
  for (const ReactionTerm& reaction : reactions) {
    const ScalarFunction c = nowhere_negative(reaction.value, "a reaction", mesh.dimension());
    for (const Index cell : cells_of(mesh, reaction)) visit(mesh.cell(cell), element_mass(mesh, cell, c));
  }
  for (const BoundaryCondition& condition : conditions) {
    if (condition.kind != BoundaryCondition::Kind::robin) continue;
    const ScalarFunction h =
        nowhere_negative(condition.coefficient, fmt::format("a Robin coefficient on boundary '{}'", condition.boundary),
                         mesh.dimension());
    for_each_facet(mesh, mesh.boundary(condition.boundary),
                   [&](std::span<const Index> facet) { visit(facet, facet_mass(mesh, facet, h)); });
  }
}

Vector mass_row_sums(const mesh::Mesh& mesh, const std::vector<ReactionTerm>& reactions,
                     const std::vector<BoundaryCondition>& conditions) {
  const bool robin = std::ranges::any_of(
      conditions, [](const BoundaryCondition& c) { return c.kind == BoundaryCondition::Kind::robin; });
  if (reactions.empty() && !robin) return {};
  Vector sums = Vector::Zero(mesh.num_nodes());
  for_each_mass(mesh, reactions, conditions, [&](std::span<const Index> nodes, const ElementMatrix& mass) {
    for (std::size_t a = 0; a < nodes.size(); ++a) sums[nodes[a]] += mass.row(static_cast<Eigen::Index>(a)).sum();
  });
  return sums;
}

}  // namespace varimesh::fem
