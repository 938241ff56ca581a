#include "varimesh/run/build_observable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "varimesh/error.h"
#include "varimesh/fem/boundary_flux.h"
#include "varimesh/fem/element.h"
#include "varimesh/mesh/measure.h"
#include "varimesh/number_words.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/sensor_columns.h"

namespace varimesh::run {
namespace {

/// The cells of a region, or all of the whole mesh.
std::vector<Index> cells_of_region(const mesh::Mesh& mesh, const std::string& name) {
  const bool is_region = std::ranges::count(mesh.regions, name, &mesh::Region::name) > 0;
  if (name != whole_mesh || is_region) return mesh.region(name).cells;
  std::vector<Index> all(static_cast<std::size_t>(mesh.num_cells()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The amplitude of the first unknown scalar, behind those of fields.
Index first_scalar(const Equation& equation) {
  Index first = 0;
  for (const NamedField& field : equation.fields) first += field.map.num_coefficients;
  return first;
}

int component(const QuantityConfig& config, int dimension) {
  if (config.axis >= dimension)
    throw InputError(fmt::format("expected a component of a mesh in {}D, found '{}'", dimension,
                                 axis_names[static_cast<std::size_t>(config.axis)]));
  return config.axis;
}

fem::Observable build(const QuantityConfig& config, const Equation& equation) {
  const mesh::Mesh& mesh = equation.mesh;
  const fem::CoefficientMap& map = equation.coefficients;
  const fem::EllipticProblem& problem = *equation.problem;
  const int dimension = mesh.dimension();
  const auto scale = config.of == "kappa" ? fem::CoefficientScale::kappa : fem::CoefficientScale::conductivity;
  switch (config.kind) {
    case QuantityKind::flux:
      return fem::boundary_flux(mesh, map, equation.conditions, problem, config.part, equation.inputs);
    case QuantityKind::unknown:
      return fem::input_value(first_scalar(equation) + config.unknown);
    case QuantityKind::value: {
      const Point point = build_point(config.point, dimension);
      return config.of == "u" ? fem::value_at(mesh, problem, point) : fem::coefficient_at(mesh, map, scale, point);
    }
    case QuantityKind::mean: {
      const std::vector<Index> cells = cells_of_region(mesh, config.part);
      return config.of == "u" ? fem::mean_over_cells(mesh, problem, cells)
                              : fem::mean_coefficient(mesh, map, scale, cells);
    }
    case QuantityKind::boundary_mean:
      return fem::mean_over_boundary(mesh, problem, config.part);
    case QuantityKind::gradient:
      return fem::gradient_at(mesh, problem, build_point(config.point, dimension), component(config, dimension));
    case QuantityKind::flux_density:
      return fem::flux_at(mesh, map, problem, build_point(config.point, dimension), component(config, dimension));
    case QuantityKind::max:
    case QuantityKind::min:
      break;
  }
  throw std::invalid_argument("not an observable");
}

}  // namespace

Point build_point(const std::vector<double>& coordinates, int dimension) {
  if (std::ssize(coordinates) != dimension)
    throw InputError(fmt::format("expected {} of a point, as the mesh has dimensions, found {}",
                                 counted(dimension, "coordinate"), coordinates.size()));
  Point point = Point::Zero();
  std::ranges::copy(coordinates, point.data());
  return point;
}

fem::Observable build_observable(const QuantityConfig& config, const Equation& equation) {
  return at(config.origin, [&] {
    fem::Observable result = build(config, equation);
    result.logarithm = config.logarithm;
    return result;
  });
}

Quantity build_quantity(const QuantityConfig& config, const Equation& equation) {
  using Extreme = fem::Extreme;
  if (config.kind != QuantityKind::max && config.kind != QuantityKind::min)
    return {config.name, build_observable(config, equation)};
  const auto field = config.of == "u"       ? Extreme::Field::u
                     : config.of == "kappa" ? Extreme::Field::kappa
                                            : Extreme::Field::conductivity;
  const auto which = config.kind == QuantityKind::max ? Extreme::Which::largest : Extreme::Which::smallest;
  return {config.name, at(config.origin, [&] {
            return Extreme(equation.mesh, equation.coefficients, *equation.problem, field,
                           cells_of_region(equation.mesh, config.part), which);
          })};
}

Point position(const QuantityConfig& config, const mesh::Mesh& mesh) {
  Point sum = Point::Zero();
  double total = 0;
  if (config.kind == QuantityKind::mean) {
    for (const Index c : cells_of_region(mesh, config.part)) {
      const double measure = mesh::signed_measure(mesh, c);
      sum += measure * mesh::centroid(mesh, c);
      total += measure;
    }
    return sum / total;
  }
  if (config.kind != QuantityKind::flux && config.kind != QuantityKind::boundary_mean)
    return build_point(config.point, mesh.dimension());
  for_each_facet(mesh, mesh.boundary(config.part), [&](std::span<const Index> facet) {
    const double measure = fem::facet_measure(mesh, facet) / static_cast<double>(facet.size());
    for (const Index node : facet) {
      sum += measure * mesh.nodes[node];
      total += measure;
    }
  });
  return sum / total;
}

}  // namespace varimesh::run
