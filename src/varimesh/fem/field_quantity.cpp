#include "varimesh/fem/field_quantity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/measure.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::fem {
namespace {

/// The network's coefficient of a cell.
Index coefficient(const CoefficientMap& map, Index cell) { return map.on_nodes() ? cell : map.of_cell[cell]; }

}  // namespace

void FieldQuantity::add(Index entry, double weight) {
  entries_.push_back(entry);
  weights_.push_back(weight);
}

FieldQuantity FieldQuantity::at_point(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                                      Field field, const Point& point) {
  const auto location = mesh::PointLocator(mesh).find(point);
  if (!location) throw InputError("the point is outside the mesh");
  FieldQuantity result(problem, field, Kind::sum);
  if (field != Field::u) {
    result.add(coefficient(map, location->cell), 1);
    return result;
  }
  const auto nodes = mesh.cell(location->cell);
  const auto values = mesh::shape_values(mesh.cell_type, location->reference);
  for (std::size_t a = 0; a < nodes.size(); ++a)
    result.add(problem.position()[nodes[a]], values[static_cast<Eigen::Index>(a)]);
  return result;
}

FieldQuantity FieldQuantity::mean(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                                  Field field, const std::vector<Index>& cells) {
  FieldQuantity result(problem, field, Kind::sum);
  // 1/|R| sum over the cells of int phi_i, or of their measures
  const double total = mesh::measure(mesh, cells);
  std::vector<double> weight(
      static_cast<std::size_t>(field == Field::u ? problem.num_nodes() : problem.network().num_coefficients()));
  for (const Index c : cells) {
    if (field == Field::u) {
      const ElementVector local = element_load(mesh, c, [](const Point&) { return 1.0; });
      for (Eigen::Index a = 0; a < local.size(); ++a)
        weight[problem.position()[mesh.cell(c)[static_cast<std::size_t>(a)]]] += local[a] / total;
    } else {
      weight[coefficient(map, c)] += mesh::signed_measure(mesh, c) / total;
    }
  }
  for (std::size_t k = 0; k < weight.size(); ++k)
    if (weight[k] != 0) result.add(static_cast<Index>(k), weight[k]);
  return result;
}

FieldQuantity FieldQuantity::extreme(const mesh::Mesh& mesh, const CoefficientMap& map, const EllipticProblem& problem,
                                     Field field, const std::vector<Index>& cells, Extreme which) {
  FieldQuantity result(problem, field, which == Extreme::largest ? Kind::largest : Kind::smallest);
  for (const Index c : cells) {
    if (field != Field::u) result.entries_.push_back(coefficient(map, c));
    for (const Index node : mesh.cell(c))
      if (field == Field::u) result.entries_.push_back(problem.position()[node]);
  }
  std::ranges::sort(result.entries_);
  result.entries_.erase(std::ranges::unique(result.entries_).begin(), result.entries_.end());
  return result;
}

double FieldQuantity::entry(const EllipticSolution& solution, Index k) const {
  if (!solution.ok()) return std::numeric_limits<double>::quiet_NaN();
  switch (field_) {
    case Field::u:
      return solution.u()[k];
    case Field::kappa:
      return std::log(solution.conductivity()[k]);
    case Field::conductivity:
      return solution.conductivity()[k];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::size_t FieldQuantity::extreme_place(const EllipticSolution& solution) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < entries_.size(); ++k) {
    const double difference = entry(solution, entries_[k]) - entry(solution, entries_[best]);
    if (kind_ == Kind::largest ? difference > 0 : difference < 0) best = k;
  }
  return best;
}

double FieldQuantity::value(const EllipticSolution& solution) const {
  if (kind_ != Kind::sum) return entry(solution, entries_[extreme_place(solution)]);
  double sum = 0;
  for (std::size_t k = 0; k < entries_.size(); ++k) sum += weights_[k] * entry(solution, entries_[k]);
  return sum;
}

double FieldQuantity::value_and_gradient(const EllipticSolution& solution, Vector& gradient) const {
  // An extreme is the value at one place, where it is.
  Vector weight = Vector::Zero(field_ == Field::u ? problem_->num_nodes() : problem_->network().num_coefficients());
  if (kind_ == Kind::sum) {
    for (std::size_t k = 0; k < entries_.size(); ++k) weight[entries_[k]] += weights_[k];
  } else {
    weight[entries_[extreme_place(solution)]] = 1;
  }
  if (field_ == Field::u) {
    solution.gradient(weight, gradient);
  } else {
    // d kappa_c / d kappa_c = 1,  d exp(kappa_c) / d kappa_c = exp(kappa_c)
    gradient = field_ == Field::kappa ? weight : Vector(weight.cwiseProduct(solution.conductivity()));
    problem_->pull_back(gradient);
  }
  return value(solution);
}

}  // namespace varimesh::fem
