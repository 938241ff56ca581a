#include "varimesh/run/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>

#include "varimesh/file.h"
#include "varimesh/mesh/gmsh.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/measure.h"
#include "varimesh/mesh/refine.h"
#include "varimesh/number_words.h"
#include "varimesh/run/build_field.h"
#include "varimesh/run/build_observable.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/build_tensors.h"
#include "varimesh/run/expression.h"
#include "varimesh/run/measurements.h"
#include "varimesh/run/sensor_columns.h"
#include "varimesh/run/size_checks.h"
#include "varimesh/run/snap_sensors.h"

namespace varimesh::run {
namespace {

ScalarFunction build_function(const FunctionConfig& config, int dimension) {
  return std::visit(
      Overloaded{[](double value) -> ScalarFunction { return [value](const Point&) { return value; }; },
                 [&](const std::string& text) { return parse_expression(text, config.origin, dimension); },
                 [&](const FileFunctionConfig& file) { return build_file_function(file, config.origin, dimension); }},
      config.value);
}

fem::CoefficientMap build_unknowns(const CoefficientConfig& config, const mesh::Mesh& mesh) {
  return at(config.origin, [&] {
    switch (config.per) {
      case CoefficientConfig::Per::cell:
        return fem::one_per_cell(mesh);
      case CoefficientConfig::Per::node:
        return fem::one_per_node(mesh);
      case CoefficientConfig::Per::block:
        return fem::one_per_block(mesh, config.blocks);
      case CoefficientConfig::Per::region:
        return fem::one_per_region(mesh);
    }
    throw std::invalid_argument("not a CoefficientConfig::Per");
  });
}

fem::CoefficientMap build_coefficients(const CoefficientConfig& config, const mesh::Mesh& mesh) {
  fem::CoefficientMap map = build_unknowns(config, mesh);
  map.tensors = build_tensors(config, mesh);
  if (config.known.empty()) return map;
  std::vector<Index> cells;
  std::vector<double> kappa;
  for (const auto& [name, function] : config.known) {
    const ScalarFunction conductivity = build_function(function, mesh.dimension());
    at(function.origin, [&] {
      for (const Index c : mesh.region(name).cells) {
        const Point x = mesh::centroid(mesh, c);
        const double value = conductivity(x);
        if (!(value > 0) || !std::isfinite(value))
          throw InputError(fmt::format("expected a positive number in each cell, found {:.6g} at ({:.6g})", value,
                                       fmt::join(x.data(), x.data() + mesh.dimension(), ", ")));
        cells.push_back(c);
        kappa.push_back(std::log(value));
      }
    });
  }
  return at(config.origin, [&] {
    return fem::fix(map, cells, Eigen::Map<const Vector>(kappa.data(), static_cast<Eigen::Index>(kappa.size())));
  });
}

std::vector<fem::SourceTerm> build_sources(const SourceConfig& config, const mesh::Mesh& mesh) {
  if (const auto* everywhere = std::get_if<FunctionConfig>(&config.value))
    return {{"", build_function(*everywhere, mesh.dimension())}};
  std::vector<fem::SourceTerm> terms;
  for (const auto& [region, function] : std::get<std::map<std::string, FunctionConfig>>(config.value)) {
    at(function.origin, [&]() -> const mesh::Region& { return mesh.region(region); });
    terms.push_back({region, build_function(function, mesh.dimension())});
  }
  return terms;
}

std::vector<fem::BoundaryCondition> build_conditions(const std::vector<BoundaryConfig>& configs,
                                                     const mesh::Mesh& mesh) {
  using Kind = fem::BoundaryCondition::Kind;
  constexpr Kind kinds[] = {Kind::dirichlet, Kind::neumann, Kind::robin};
  std::vector<fem::BoundaryCondition> conditions;
  for (const BoundaryConfig& config : configs) {
    at(config.origin, [&]() -> const mesh::BoundaryPart& { return mesh.boundary(config.name); });
    conditions.push_back({kinds[static_cast<std::size_t>(config.kind)], config.name,
                          build_function(config.value, mesh.dimension()),
                          build_function(config.coefficient, mesh.dimension())});
  }
  return conditions;
}

Equation build_equation(const Config& config, mesh::Mesh mesh, fem::CoefficientMap coefficients) {
  Equation equation{std::move(mesh), std::move(coefficients), {}, nullptr};
  equation.conditions = build_conditions(config.boundaries, equation.mesh);
  std::vector<fem::SourceTerm> sources = build_sources(config.source, equation.mesh);
  const std::vector<fem::ReactionTerm> reactions =
      config.reaction ? build_sources(*config.reaction, equation.mesh) : std::vector<fem::ReactionTerm>{};
  std::vector<fem::PointSource> points;
  for (const SourceTermConfig& term : config.source_terms) {
    const NamedSource named = build_source_term(term, equation.mesh);
    if (const auto* spread = std::get_if<fem::SourceTerm>(&named.term)) sources.push_back(*spread);
    if (const auto* point = std::get_if<fem::PointSource>(&named.term)) points.push_back(*point);
  }
  equation.problem = at(config.file.string(), [&] {
    return std::make_shared<const fem::EllipticProblem>(equation.mesh, equation.coefficients, sources,
                                                        equation.conditions, points, reactions);
  });
  return equation;
}

void build_observations(const ObservationConfig& config, Data data, Problem& problem) {
  const mesh::Mesh& mesh = problem.equation.mesh;
  const bool present = config.data && file_exists(config.data->path());
  // Without sensors to fall back on, data that are named must be there.
  if (config.data && (data == Data::required || (data == Data::if_present && !config.sensors)))
    require_file(*config.data, config.data_origin, ": 'varimesh simulate' can make one");
  const auto read_table = [&](const InputFile& file) { return read_csv(file, sensor_texts(mesh.dimension())); };
  if (present && data != Data::ignored) {
    SensorData read = read_sensor_data(read_table(*config.data), mesh, config.noise, config.replicates);
    problem.sensors = std::move(read.sensors);
    problem.noise = std::move(read.noise);
    problem.observations = std::move(read.observations);
  } else if (config.sensors && config.sensors->file) {
    require_file(*config.sensors->file, config.sensors->origin);
    problem.sensors = read_sensors(read_table(*config.sensors->file), mesh);
  } else if (config.sensors) {
    problem.sensors = sensors_at_every_node(mesh);
  } else if (present) {
    problem.sensors = read_sensors(read_table(*config.data), mesh);
  } else {
    return;
  }
  if (!problem.noise)
    problem.noise = build_noise(config.noise, problem.sensors->points, problem.sensors->sigma, mesh.dimension());
  snap_sensors(mesh, config.snap, *problem.sensors);
  problem.model = build_model(*problem.sensors, problem.equation);
}

}  // namespace

NamedSource build_source_term(const SourceTermConfig& config, const mesh::Mesh& mesh) {
  // What is wrong with the density names its own place.
  ScalarFunction density = config.total ? nullptr : build_function(config.density, mesh.dimension());
  return at(config.origin, [&]() -> NamedSource {
    if (config.point) {
      const fem::PointSource source{build_point(*config.point, mesh.dimension()), *config.total};
      if (!mesh::PointLocator(mesh).find(source.point)) throw InputError("the point is outside the mesh");
      return {config.name, source, *config.total};
    }
    const double extent =
        config.region.empty() ? mesh::measure(mesh) : mesh::measure(mesh, mesh.region(config.region).cells);
    if (config.total) density = [value = *config.total / extent](const Point&) { return value; };
    const fem::SourceTerm source{config.region, density};
    return {config.name, source, config.total ? *config.total : fem::integral(mesh, source)};
  });
}

mesh::Mesh build_mesh(const MeshConfig& config) {
  return std::visit(
      Overloaded{[&](const GmshMesh& m) {
                   require_file(m.file, m.origin);
                   // Its messages name the mesh file.
                   return mesh::parse_gmsh(*m.file.bytes(mesh::most_gmsh_bytes), m.file.string(), m.corners_only);
                 },
                 [&](const IntervalMesh& m) {
                   return at(config.origin, [&] { return mesh::create_interval(m.cells, m.extent); });
                 },
                 [&](const RectangleMesh& m) {
                   return at(config.origin, [&] { return mesh::create_rectangle(m.cell_type, m.cells, m.extent); });
                 },
                 [&](const BoxMesh& m) {
                   return at(config.origin, [&] { return mesh::create_box(m.cell_type, m.cells, m.extent); });
                 },
                 [&](const mesh::PlateWithHole& m) {
                   return at(config.origin, [&] { return mesh::create_plate_with_hole(m); });
                 }},
      config.shape);
}

double Quantity::value(const fem::EllipticSolution& solution) const {
  return std::visit([&](const auto& known) { return known.value(solution); }, observable);
}

double Quantity::value_and_gradient(const fem::EllipticSolution& solution, Vector& gradient) const {
  return std::visit([&](const auto& known) { return known.value_and_gradient(solution, gradient); }, observable);
}

Problem build_problem(const Config& config, Data data) {
  require_mesh_size(config);
  if (data == Data::required) require_prior_size(config);
  Problem problem;
  problem.equation = build_equation(config, build_mesh(config.mesh));
  if (config.observations) build_observations(*config.observations, data, problem);
  add_measurements(config, data, problem);
  problem.quantities = build_quantities(config, problem.equation);
  return problem;
}

std::vector<Quantity> build_quantities(const Config& config, const Equation& equation) {
  std::vector<Quantity> quantities;
  for (const QuantityConfig& quantity : config.quantities) quantities.push_back(build_quantity(quantity, equation));
  return quantities;
}

Equation build_equation(const Config& config, mesh::Mesh mesh) {
  fem::CoefficientMap coefficients = build_coefficients(config.coefficient, mesh);
  return build_equation(config, std::move(mesh), std::move(coefficients));
}

Equation build_refined_equation(const Config& config, const Equation& coarse, int refinements) {
  mesh::Mesh mesh = coarse.mesh;
  fem::CoefficientMap coefficients = coarse.coefficients;
  for (int level = 0; level < refinements; ++level) {
    mesh::RefinedMesh fine = mesh::refine(mesh);
    coefficients = fem::refine(coefficients, fine);
    mesh = std::move(fine.mesh);
  }
  return build_equation(config, std::move(mesh), std::move(coefficients));
}

}  // namespace varimesh::run
