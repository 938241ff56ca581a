#include "varimesh/fem/extreme.h"

#include <algorithm>
#include <cmath>

#include "varimesh/constants.h"

namespace varimesh::fem {

Extreme::Extreme(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem, Field field,
                 const std::vector<Index>& cells, Which which)
    : field_(field), which_(which) {
  for (const Index c : cells) {
    if (field != Field::u) entries_.push_back(map.on_nodes() ? c : map.of_cell[c]);
    for (const Index node : mesh.cell(c))
      if (field == Field::u) entries_.push_back(problem.position()[node]);
  }
  std::ranges::sort(entries_);
  entries_.erase(std::ranges::unique(entries_).begin(), entries_.end());
}

double Extreme::entry(const EllipticSolution& solution, Index k) const {
  if (!solution.ok()) return nan;
  switch (field_) {
    case Field::u:
      return solution.u()[k];
    case Field::kappa:
      return std::log(solution.conductivity()[k]);
    case Field::conductivity:
      return solution.conductivity()[k];
  }
  return nan;
}

Index Extreme::place(const EllipticSolution& solution) const {
  Index best = entries_.front();
  for (const Index k : entries_) {
    const double difference = entry(solution, k) - entry(solution, best);
    if (which_ == Which::largest ? difference > 0 : difference < 0) best = k;
  }
  return best;
}

double Extreme::value(const EllipticSolution& solution) const { return entry(solution, place(solution)); }

double Extreme::value_and_gradient(const EllipticSolution& solution, Vector& gradient) const {
  const EllipticProblem& problem = solution.problem();
  // The value at one place, where it is.
  Vector weight = Vector::Zero(field_ == Field::u ? problem.num_nodes()
                                                  : problem.network().num_coefficients() + problem.num_amplitudes());
  weight[place(solution)] = 1;
  if (field_ == Field::u) {
    solution.gradient(weight, gradient);
  } else {
    // d kappa_c / d kappa_c = 1,  d exp(kappa_c) / d kappa_c = exp(kappa_c)
    gradient = weight;
    const Vector& theta = solution.conductivity();
    if (field_ == Field::conductivity) gradient.head(theta.size()).array() *= theta.array();
    solution.pull_back(gradient);
  }
  return value(solution);
}

}  // namespace varimesh::fem
