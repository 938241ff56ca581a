#include "varimesh/fem/boundary_flux.h"

#include <set>

#include "varimesh/fem/element.h"

namespace varimesh::fem {
namespace {

std::vector<Index> sorted(std::span<const Index> facet) {
  std::vector<Index> key(facet.begin(), facet.end());
  std::sort(key.begin(), key.end());
  return key;
}

}  // namespace

BoundaryFlux::BoundaryFlux(const mesh::Mesh& mesh, const std::vector<BoundaryCondition>& conditions,
                           const EllipticProblem& problem, const std::string& boundary)
    : problem_(&problem), share_(Vector::Zero(problem.num_nodes() - problem.num_free())) {
  std::set<std::vector<Index>> inside;
  for_each_facet(mesh, mesh.boundary(boundary), [&](std::span<const Index> facet) { inside.insert(sorted(facet)); });

  // A fixed node's reaction belongs to the Dirichlet facets around it, in proportion to their measure.
  Vector total = Vector::Zero(share_.size());
  for (const BoundaryCondition& condition : conditions) {
    for_each_facet(mesh, mesh.boundary(condition.boundary), [&](std::span<const Index> facet) {
      const bool counts = inside.contains(sorted(facet));
      if (condition.kind == BoundaryCondition::Kind::neumann) {
        if (counts) prescribed_ -= facet_load(mesh, facet, condition.value).sum();
        return;
      }
      const double measure = facet_measure(mesh, facet);
      for (const Index node : facet) {
        const Index d = problem.position()[node] - problem.num_free();
        total[d] += measure;
        if (counts) share_[d] += measure;
      }
    });
  }
  share_ = share_.cwiseQuotient(total);
}

double BoundaryFlux::value(const EllipticSolution& solution) const {
  // reaction_d = (A u - f)_d = int exp(kappa) du/dn phi_d
  const Vector reaction = problem_->network().apply(solution.conductivity(), solution.u()) - problem_->load();
  return prescribed_ - share_.dot(reaction.tail(share_.size()));
}

double BoundaryFlux::value_and_gradient(const EllipticSolution& solution, Vector& gradient) const {
  // F = prescribed - w'(A u - f) for any w that equals the shares on fixed nodes, since free rows of the residual
  // vanish. With A w = 0 on the free nodes, du/dkappa drops out:  dF/dkappa_c = -w' (dA/dkappa_c) u.
  const Vector w = solution.harmonic_extension(share_);
  gradient.resize(problem_->num_coefficients());
  problem_->network().sensitivity(solution.conductivity(), w.data(), solution.u(), gradient.data());
  return value(solution);
}

}  // namespace varimesh::fem
