#include "varimesh/run/build.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "varimesh/file.h"
#include "varimesh/mesh/gmsh.h"
#include "varimesh/mesh/refine.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/expression.h"
#include "varimesh/run/size_checks.h"

namespace varimesh::run {
namespace {

ScalarFunction build_function(const FunctionConfig& config, int dimension) {
  return std::visit(
      Overloaded{[](double value) -> ScalarFunction { return [value](const Point&) { return value; }; },
                 [&](const std::string& text) { return parse_expression(text, config.origin, dimension); }},
      config.value);
}

mesh::Mesh build_mesh(const MeshConfig& config) {
  return std::visit(
      Overloaded{[&](const GmshMesh& m) {
                   require_file(m.file, m.origin);
                   return mesh::read_gmsh(m.file);  // its messages name the mesh file
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

fem::CoefficientMap build_coefficients(const CoefficientConfig& config, const mesh::Mesh& mesh) {
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
  std::vector<fem::BoundaryCondition> conditions;
  for (const BoundaryConfig& config : configs) {
    at(config.origin, [&]() -> const mesh::BoundaryPart& { return mesh.boundary(config.name); });
    const auto kind = config.kind == BoundaryConfig::Kind::dirichlet ? fem::BoundaryCondition::Kind::dirichlet
                                                                     : fem::BoundaryCondition::Kind::neumann;
    conditions.push_back({kind, config.name, build_function(config.value, mesh.dimension())});
  }
  return conditions;
}

Equation build_equation(const Config& config, mesh::Mesh mesh, fem::CoefficientMap coefficients) {
  Equation equation{std::move(mesh), std::move(coefficients), {}, nullptr};
  equation.conditions = build_conditions(config.boundaries, equation.mesh);
  const auto sources = build_sources(config.source, equation.mesh);
  equation.problem = at(config.file.string(), [&] {
    return std::make_shared<const fem::EllipticProblem>(equation.mesh, equation.coefficients, sources,
                                                        equation.conditions);
  });
  return equation;
}

void build_observations(const ObservationConfig& config, Data data, Problem& problem) {
  const mesh::Mesh& mesh = problem.equation.mesh;
  const bool present = config.data && file_exists(*config.data);
  // Without sensors to fall back on, data that are named must be there.
  if (config.data && (data == Data::required || (data == Data::if_present && !config.sensors)))
    require_file(*config.data, config.data_origin, ": 'varimesh simulate' can make one");
  if (present && data != Data::ignored) {
    SensorData read = read_sensor_data(io::read_csv(*config.data), mesh, config.sigma, config.replicates);
    problem.sensors = std::move(read.sensors);
    problem.observations = std::move(read.observations);
  } else if (config.sensors && config.sensors->file) {
    require_file(*config.sensors->file, config.sensors->origin);
    problem.sensors = read_sensors(io::read_csv(*config.sensors->file), mesh);
  } else if (config.sensors) {
    problem.sensors = sensors_at_every_node(mesh);
  } else if (present) {
    problem.sensors = read_sensors(io::read_csv(*config.data), mesh);
  } else {
    return;
  }
  problem.model = std::make_shared<const inverse::EllipticModel>(
      problem.equation.problem, sensor_functionals(*problem.sensors, mesh, *problem.equation.problem));
}

double log_or_nan(double value) { return value > 0 ? std::log(value) : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

double Quantity::value(const fem::EllipticSolution& solution) const {
  const double outflow = flux.value(solution);
  return logarithm ? log_or_nan(outflow) : outflow;
}

double Quantity::value_and_gradient(const fem::EllipticSolution& solution, Vector& gradient) const {
  const double outflow = flux.value_and_gradient(solution, gradient);
  if (!logarithm) return outflow;
  gradient /= outflow;  // d log F = dF / F
  return log_or_nan(outflow);
}

Problem build_problem(const Config& config, Data data) {
  require_mesh_size(config, data);
  mesh::Mesh mesh = build_mesh(config.mesh);
  fem::CoefficientMap coefficients = build_coefficients(config.coefficient, mesh);
  Problem problem;
  problem.equation = build_equation(config, std::move(mesh), std::move(coefficients));
  if (config.observations) build_observations(*config.observations, data, problem);
  problem.quantities = build_quantities(config, problem.equation);
  return problem;
}

std::vector<Quantity> build_quantities(const Config& config, const Equation& equation) {
  std::vector<Quantity> quantities;
  for (const QuantityConfig& quantity : config.quantities) {
    quantities.push_back(at(quantity.origin, [&] {
      return Quantity{quantity.name,
                      fem::BoundaryFlux(equation.mesh, equation.coefficients, equation.conditions, *equation.problem,
                                        quantity.boundary),
                      quantity.logarithm};
    }));
  }
  return quantities;
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
