#include "varimesh/run/record_problem.h"

#include <fmt/format.h>

#include <map>

#include "varimesh/checksum.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/number_words.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/truth.h"

namespace varimesh::run {
namespace {

std::string write(const FunctionConfig& function) {
  return std::visit(Overloaded{[](double value) { return fmt::format("{:.6g}", value); },
                               [](const std::string& text) { return text; },
                               [](const FileFunctionConfig& file) { return "as in " + file.file.filename().string(); }},
                    function.value);
}

std::string describe_equation(const Config& config) {
  std::string source;
  if (const auto* everywhere = std::get_if<FunctionConfig>(&config.source.value)) {
    const double* number = std::get_if<double>(&everywhere->value);
    if (config.source_terms.empty() || !number || *number != 0) source = write(*everywhere);
  } else {
    source = "f, with ";
    for (const auto& [region, function] : std::get<std::map<std::string, FunctionConfig>>(config.source.value))
      source += fmt::format("{}f = {} in {}", source.back() == ' ' ? "" : ", ", write(function), region);
  }
  for (const SourceTermConfig& term : config.source_terms) {
    const std::string where = term.point            ? fmt::format("at ({:.6g})", fmt::join(*term.point, ", "))
                              : term.region.empty() ? "everywhere"
                                                    : "in " + term.region;
    source += source.empty() ? "" : " + ";
    source += term.total ? fmt::format("{:.6g} in all {} ({})", *term.total, where, term.name)
                         : fmt::format("{} {} ({})", write(term.density), where, term.name);
  }
  std::string conditions;
  for (const BoundaryConfig& boundary : config.boundaries) {
    const bool fixed = boundary.kind == BoundaryConfig::Kind::dirichlet;
    conditions += fmt::format("{}{} {} on {}", conditions.empty() ? "" : ", ", fixed ? "u =" : "inflow",
                              write(boundary.value), boundary.name);
  }
  return fmt::format("-div(exp(kappa) grad u) = {}; {}; insulated elsewhere.", source, conditions);
}

std::string describe_mesh(const Config& config, const Problem& problem) {
  const mesh::Mesh& mesh = problem.equation.mesh;
  const char* per[] = {"cell", "node", "block", "region"};
  return fmt::format("{} {} and {} nodes in {}D; one unknown kappa for each {}, {} in all.", mesh.num_cells(),
                     topology(mesh.cell_type).plural, mesh.num_nodes(), mesh.dimension(),
                     per[static_cast<std::size_t>(config.coefficient.per)], problem.num_unknowns());
}

std::string range(const Vector& values) {
  return values.minCoeff() == values.maxCoeff() ? fmt::format("{:.4g}", values[0])
                                                : fmt::format("{:.4g} to {:.4g}", values.minCoeff(), values.maxCoeff());
}

std::string describe_sensors(const Problem& problem) {
  if (!problem.sensors) return "None.";
  const Index sensors = problem.sensors->size();
  const std::string where =
      problem.sensors->nodes.empty() ? counted(sensors, "point") : counted(sensors, "node") + " of the mesh";
  const std::string moved =
      problem.sensors->moved == 0
          ? ""
          : fmt::format(
                " {} outside the mesh, by up to {:.3g}, and taken on its surface.",
                problem.sensors->moved == 1 ? "One was" : fmt::format("{} of them were", problem.sensors->moved),
                problem.sensors->furthest);
  if (!problem.observations) return fmt::format("u at {}, not measured.{}", where, moved);
  const Vector& count = problem.observations->count;
  return fmt::format("u at {}, {} measurement{} at each, {:.0f} in all.{}", where, range(count),
                     count.maxCoeff() == 1 ? "" : "s", count.sum(), moved);
}

std::string describe_quantity(const QuantityConfig& quantity, const result::Labels& labels) {
  using Kind = QuantityConfig::Kind;
  const std::string field = quantity.of == "u" && !labels.u.empty() ? labels.u : quantity.of;
  const auto in = [&](const char* preposition) {
    return quantity.part == whole_mesh ? "" : fmt::format(" {} {}", preposition, quantity.part);
  };
  switch (quantity.kind) {
    case Kind::flux:
      return "flux out through " + quantity.part;
    case Kind::log_flux:
      return "log flux out through " + quantity.part;
    case Kind::value:
      return fmt::format("{} at ({:.6g})", field, fmt::join(quantity.point, ", "));
    case Kind::mean:
      return fmt::format("mean {}{}", field, in("over"));
    case Kind::max:
      return fmt::format("largest {}{}", field, in("in"));
    case Kind::min:
      return fmt::format("smallest {}{}", field, in("in"));
  }
  return quantity.name;
}

std::string field_words(const FieldConfig& field) {
  return std::visit(Overloaded{[](double value) { return fmt::format("{:.4g}", value); },
                               [](const std::vector<double>&) { return std::string("given for each unknown"); },
                               [](const std::filesystem::path&) { return std::string("given for each unknown"); },
                               [](const FileFunctionConfig& file) { return "as in " + file.file.filename().string(); }},
                    field.value);
}

}  // namespace

std::string describe_prior(const Config& config) {
  if (!config.prior) return "None.";
  return std::visit(
      Overloaded{[](const GaussianProcessConfig& p) {
                   std::string kernel = p.kernel;
                   std::replace(kernel.begin(), kernel.end(), '_', '-');
                   return fmt::format("A Gaussian process with {} kernel, mean {}, sd {:.4g}, length-scale {}.", kernel,
                                      field_words(p.mean), p.sigma, fmt::join(p.length_scale, " x "));
                 },
                 [](const SpdePriorConfig& p) {
                   std::string words =
                       fmt::format("A Matern field by its SPDE, mean {}, sd {:.4g}, range {:.4g}, order {}",
                                   field_words(p.mean), p.sigma, p.range, p.order);
                   for (const auto& [origin, region, ratio, angle, direction] : p.anisotropy)
                     words += fmt::format(", {:.4g} times as long along an axis {}", ratio,
                                          region.empty() ? "everywhere" : "in " + region);
                   for (const auto& [origin, region] : p.barriers) words += fmt::format(", not across {}", region);
                   return words + ".";
                 },
                 [](const IndependentPriorConfig& p) {
                   return fmt::format("Independent normals with mean {} and sd {}.", field_words(p.mean),
                                      field_words(p.sigma));
                 },
                 [](const MixturePriorConfig& p) {
                   return fmt::format("A mixture of {} normal distributions.", p.components.size());
                 }},
      config.prior->value);
}

std::string fingerprint(const Config& config) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 40;
  std::uint64_t sum = config.digest;
  const auto add = [&](const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return;  // pipes can be read once, and not here
    const std::string bytes = read_file(file, most_bytes);
    sum = checksum(std::as_bytes(std::span(bytes)), sum);
  };
  const auto add_field = [&](const FieldConfig& field) {
    if (const auto* file = std::get_if<std::filesystem::path>(&field.value)) add(*file);
    if (const auto* function = std::get_if<FileFunctionConfig>(&field.value)) add(function->file);
  };
  const auto add_function = [&](const FunctionConfig& function) {
    if (const auto* file = std::get_if<FileFunctionConfig>(&function.value)) add(file->file);
  };
  if (const auto* everywhere = std::get_if<FunctionConfig>(&config.source.value)) add_function(*everywhere);
  if (const auto* regions = std::get_if<std::map<std::string, FunctionConfig>>(&config.source.value)) {
    for (const auto& [region, function] : *regions) add_function(function);
  }
  for (const SourceTermConfig& term : config.source_terms) add_function(term.density);
  for (const BoundaryConfig& boundary : config.boundaries) add_function(boundary.value);
  const auto add_normal = [&](const IndependentPriorConfig& normal) {
    add_field(normal.mean);
    add_field(normal.sigma);
  };
  if (const auto* gmsh = std::get_if<GmshMesh>(&config.mesh.shape)) {
    add(gmsh->file);
    for (const auto& coarse : gmsh->coarse) add(coarse);
  }
  if (config.observations && config.observations->data) add(*config.observations->data);
  if (config.observations) {
    if (const auto* noise = std::get_if<CovarianceNoiseConfig>(&config.observations->noise.kind)) add(noise->file);
  }
  if (config.prior) {
    if (const auto* normal = std::get_if<IndependentPriorConfig>(&config.prior->value)) add_normal(*normal);
    if (const auto* process = std::get_if<GaussianProcessConfig>(&config.prior->value)) add_field(process->mean);
    if (const auto* field = std::get_if<SpdePriorConfig>(&config.prior->value)) add_field(field->mean);
    if (const auto* mixture = std::get_if<MixturePriorConfig>(&config.prior->value)) {
      for (const auto& component : mixture->components) add_normal(component.normal);
    }
  }
  if (config.truth) add_field(*config.truth);
  return fmt::format("{:016x}", sum);
}

result::ProblemRecord record_problem(const Config& config, const Problem& problem, std::string_view before) {
  result::ProblemRecord record;
  record.labels = config.labels;
  if (record.labels.title.empty()) record.labels.title = config.file.stem().string();
  const std::string noise =
      problem.observations ? describe_noise(config.observations->noise, problem.observations->sigma) : "None.";
  record.words = {describe_equation(config),
                  describe_mesh(config, problem),
                  describe_sensors(problem),
                  describe_prior(config),
                  noise,
                  ""};
  record.fingerprint = fingerprint(config);
  if (!before.empty() && record.fingerprint != before)
    throw InputError(fmt::format("{}: expected files that stay as they are, found one that changed while it was read",
                                 config.file.string()));
  record.mesh = problem.equation.mesh;
  const bool on_nodes = problem.equation.coefficients.on_nodes();
  record.support = on_nodes ? result::Support::nodes : result::Support::cells;
  record.unknown_of_cell = problem.equation.coefficients.of_cell;
  record.positions = fem::coefficient_positions(problem.equation.mesh, problem.equation.coefficients);
  if (problem.sensors) {
    record.sensors.points = problem.sensors->points;
    record.sensors.labels = problem.sensors->labels;
  }
  if (problem.observations) {
    record.sensors.mean = problem.observations->mean;
    record.sensors.sigma = problem.observations->sigma;
    record.sensors.count = problem.observations->count;
    record.sensors.noise = problem.observations->noise;
  }
  for (const QuantityConfig& quantity : config.quantities)
    record.quantities.push_back({quantity.name, describe_quantity(quantity, config.labels)});
  record.truth = build_truth(config, problem);
  return record;
}

}  // namespace varimesh::run
