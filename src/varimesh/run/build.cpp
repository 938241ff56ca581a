#include "varimesh/run/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include "varimesh/run/build_inputs.h"
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

using InputKind = fem::InputTerm::Kind;

/// What of a function has no unknowns; the rest goes to the inputs.
ScalarFunction build_term(const FunctionConfig& config, InputKind kind, const std::string& part, int dimension,
                          InputBuilder& inputs) {
  return config.formula ? inputs.add(kind, part, *config.formula) : build_function(config, dimension);
}

std::vector<fem::SourceTerm> build_sources(const SourceConfig& config, InputKind kind, const mesh::Mesh& mesh,
                                           InputBuilder& inputs) {
  if (const auto* everywhere = std::get_if<FunctionConfig>(&config.value))
    return {{"", build_term(*everywhere, kind, "", mesh.dimension(), inputs)}};
  std::vector<fem::SourceTerm> terms;
  for (const auto& [region, function] : std::get<std::map<std::string, FunctionConfig>>(config.value)) {
    at(function.origin, [&]() -> const mesh::Region& { return mesh.region(region); });
    terms.push_back({region, build_term(function, kind, region, mesh.dimension(), inputs)});
  }
  return terms;
}

Formula formula_of(const FunctionConfig& config, int dimension) {
  return config.formula ? *config.formula : Formula(build_function(config, dimension));
}

/// h (u - ambient): what of h and of h ambient has unknowns goes to the inputs.
fem::BoundaryCondition build_robin(const BoundaryConfig& config, int dimension, InputBuilder& inputs) {
  fem::BoundaryCondition result{fem::BoundaryCondition::Kind::robin, config.name, nullptr, nullptr};
  result.coefficient = build_term(config.coefficient, InputKind::robin, config.name, dimension, inputs);
  if (!config.coefficient.formula && !config.value.formula) {
    result.value = build_function(config.value, dimension);
    return result;
  }
  const ScalarFunction known = inputs.add(
      InputKind::neumann, config.name, formula_of(config.coefficient, dimension) * formula_of(config.value, dimension));
  // The known part of h ambient, as the ambient of the known part of h; where that is 0, there is none.
  result.value = [known, coefficient = result.coefficient](const Point& x) {
    const double h = coefficient(x);
    return h > 0 ? known(x) / h : 0;
  };
  return result;
}

/// Where two parts meet, both have the same value, whatever the unknowns are.
void require_agreement(const std::vector<BoundaryConfig>& configs, const mesh::Mesh& mesh, const InputBuilder& inputs) {
  struct Owner {
    const BoundaryConfig* config;
    std::array<double, 2> values;
  };
  if (std::ranges::none_of(configs, [](const BoundaryConfig& c) { return c.value.formula.has_value(); })) return;
  std::map<Index, Owner> owners;
  for (const BoundaryConfig& config : configs) {
    if (config.kind != BoundaryConfig::Kind::dirichlet) continue;
    const Formula formula = formula_of(config.value, mesh.dimension());
    for (const Index node : mesh.boundary(config.name).facet_nodes) {
      const Point& x = mesh.nodes[node];
      const Owner found{&config, {inputs.value_at(formula, x, 0.1), inputs.value_at(formula, x, 0.7)}};
      const Owner& owner = owners.try_emplace(node, found).first->second;
      for (std::size_t k = 0; k < found.values.size(); ++k) {
        if (std::abs(found.values[k] - owner.values[k]) > 1e-10 * (1 + std::abs(owner.values[k])))
          throw InputError(fmt::format(
              "{}: meets '{}' at ({:.6g}) with another value, which depends on unknowns: expected the same whatever "
              "these are",
              config.value.origin, owner.config->name, fmt::join(x.data(), x.data() + mesh.dimension(), ", ")));
      }
    }
  }
}

std::vector<fem::BoundaryCondition> build_conditions(const std::vector<BoundaryConfig>& configs, const mesh::Mesh& mesh,
                                                     InputBuilder& inputs) {
  using Kind = fem::BoundaryCondition::Kind;
  std::vector<fem::BoundaryCondition> conditions;
  for (const BoundaryConfig& config : configs) {
    at(config.origin, [&]() -> const mesh::BoundaryPart& { return mesh.boundary(config.name); });
    if (config.kind == BoundaryConfig::Kind::robin) {
      conditions.push_back(build_robin(config, mesh.dimension(), inputs));
      continue;
    }
    const bool fixes = config.kind == BoundaryConfig::Kind::dirichlet;
    conditions.push_back({fixes ? Kind::dirichlet : Kind::neumann, config.name,
                          build_term(config.value, fixes ? InputKind::dirichlet : InputKind::neumann, config.name,
                                     mesh.dimension(), inputs),
                          nullptr});
  }
  require_agreement(configs, mesh, inputs);
  return conditions;
}

/// A term of f with unknowns: what of it has none is added to the sources.
void add_unknown_source(const SourceTermConfig& config, const mesh::Mesh& mesh, InputBuilder& inputs,
                        std::vector<fem::SourceTerm>& sources) {
  at(config.origin, [&] {
    if (config.point) {
      inputs.add_total(build_point(*config.point, mesh.dimension()), *config.total->formula);
      return;
    }
    const double extent =
        config.region.empty() ? mesh::measure(mesh) : mesh::measure(mesh, mesh.region(config.region).cells);
    const Formula density = config.total
                                ? *config.total->formula * Formula([extent](const Point&) { return 1 / extent; })
                                : *config.density.formula;
    sources.push_back({config.region, inputs.add(InputKind::source, config.region, density)});
  });
}

Equation build_equation(const Config& config, mesh::Mesh mesh, fem::CoefficientMap coefficients,
                        std::vector<NamedField> fields) {
  Equation equation{std::move(mesh), std::move(coefficients), {}, {}, std::move(fields), nullptr};
  std::vector<fem::CoefficientMap> maps;
  for (const NamedField& field : equation.fields) maps.push_back(field.map);
  InputBuilder inputs(config.unknowns, maps);
  equation.conditions = build_conditions(config.boundaries, equation.mesh, inputs);
  std::vector<fem::SourceTerm> sources = build_sources(config.source, InputKind::source, equation.mesh, inputs);
  const std::vector<fem::ReactionTerm> reactions =
      config.reaction ? build_sources(*config.reaction, InputKind::reaction, equation.mesh, inputs)
                      : std::vector<fem::ReactionTerm>{};
  std::vector<fem::PointSource> points;
  for (const SourceTermConfig& term : config.source_terms) {
    if (has_unknowns(term)) {
      add_unknown_source(term, equation.mesh, inputs, sources);
      continue;
    }
    const NamedSource named = build_source_term(term, equation.mesh);
    if (const auto* spread = std::get_if<fem::SourceTerm>(&named.term)) sources.push_back(*spread);
    if (const auto* point = std::get_if<fem::PointSource>(&named.term)) points.push_back(*point);
  }
  equation.inputs = inputs.take();
  equation.problem = at(config.file.string(), [&] {
    return std::make_shared<const fem::EllipticProblem>(equation.mesh, equation.coefficients, sources,
                                                        equation.conditions, points, reactions, equation.inputs);
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

/// Of the heaviest component of a mixture.
const FieldConfig& mean_of(const PriorConfig& config) {
  return std::visit(Overloaded{[](const MixturePriorConfig& mixture) -> const FieldConfig& {
                                 return std::ranges::max_element(mixture.components, {},
                                                                 &MixturePriorConfig::Component::weight)
                                     ->normal.mean;
                               },
                               [](const auto& normal) -> const FieldConfig& { return normal.mean; }},
                    config.value);
}

}  // namespace

bool has_unknowns(const SourceTermConfig& config) {
  return config.total ? config.total->formula.has_value() : config.density.formula.has_value();
}

NamedSource build_source_term(const SourceTermConfig& config, const mesh::Mesh& mesh) {
  const double total = config.total ? std::get<double>(config.total->value) : 0;
  // What is wrong with the density names its own place.
  ScalarFunction density = config.total ? nullptr : build_function(config.density, mesh.dimension());
  return at(config.origin, [&]() -> NamedSource {
    if (config.point) {
      const fem::PointSource source{build_point(*config.point, mesh.dimension()), total};
      if (!mesh::PointLocator(mesh).find(source.point)) throw InputError("the point is outside the mesh");
      return {config.name, source, total};
    }
    const double extent =
        config.region.empty() ? mesh::measure(mesh) : mesh::measure(mesh, mesh.region(config.region).cells);
    if (config.total) density = [value = total / extent](const Point&) { return value; };
    const fem::SourceTerm source{config.region, density};
    return {config.name, source, config.total ? total : fem::integral(mesh, source)};
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
  std::vector<NamedField> fields;
  for (const SourceFieldConfig& field : config.source_fields)
    fields.push_back({field.name, build_unknowns(field.support, mesh)});
  return build_equation(config, std::move(mesh), std::move(coefficients), std::move(fields));
}

FieldProblem field_problem(const Config& config, const Problem& problem, std::size_t field) {
  FieldProblem result{config, {}};
  result.config.coefficient = config.source_fields[field].support;
  result.config.prior = config.source_fields[field].prior;
  result.problem.equation.mesh = problem.equation.mesh;
  result.problem.equation.coefficients = problem.equation.fields[field].map;
  return result;
}

Vector complete(const Config& config, const Problem& problem, const Vector& kappa) {
  Vector x(problem.num_unknowns());
  x.head(kappa.size()) = kappa;
  Eigen::Index next = kappa.size();
  for (std::size_t k = 0; k < config.source_fields.size(); ++k) {
    const FieldProblem field = field_problem(config, problem, k);
    const Vector values =
        build_mean(config.truth_of_fields.empty() ? mean_of(config.source_fields[k].prior) : config.truth_of_fields[k],
                   field.problem.equation);
    x.segment(next, values.size()) = values;
    next += values.size();
  }
  for (std::size_t k = 0; k < config.unknowns.size(); ++k) {
    const UnknownConfig& unknown = config.unknowns[k];
    const auto heaviest = std::ranges::max_element(unknown.prior.normals, {}, &ScalarPrior::Normal::weight);
    x[next++] =
        config.truth_of_scalars.empty() ? heaviest->mean : unknown.prior.transform.inverse(config.truth_of_scalars[k]);
  }
  return x;
}

Equation build_refined_equation(const Config& config, const Equation& coarse, int refinements) {
  mesh::Mesh mesh = coarse.mesh;
  fem::CoefficientMap coefficients = coarse.coefficients;
  std::vector<NamedField> fields = coarse.fields;
  for (int level = 0; level < refinements; ++level) {
    mesh::RefinedMesh fine = mesh::refine(mesh);
    coefficients = fem::refine(coefficients, fine);
    for (NamedField& field : fields) field.map = fem::refine(field.map, fine);
    mesh = std::move(fine.mesh);
  }
  return build_equation(config, std::move(mesh), std::move(coefficients), std::move(fields));
}

}  // namespace varimesh::run
