#include "varimesh/run/record_problem.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "varimesh/checksum.h"
#include "varimesh/number_words.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/truth.h"

namespace varimesh::run {
namespace {

std::string write(const FunctionConfig& function) {
  return std::visit(
      Overloaded{[](double value) { return fmt::format("{:.6g}", value); },
                 [](const std::string& text) { return text; },
                 [](const FileFunctionConfig& file) { return "as in " + file.file.path().filename().string(); }},
      function.value);
}

/// "f = 10 in core, f = 0 in shell", with the symbol "f = "
std::string write_by_region(const SourceConfig& config, const char* symbol) {
  std::string words;
  for (const auto& [region, function] : std::get<std::map<std::string, FunctionConfig>>(config.value))
    words += fmt::format("{}{}{} in {}", words.empty() ? "" : ", ", symbol, write(function), region);
  return words;
}

/// " D = ... in sand." for each tensor.
std::string describe_tensors(const CoefficientConfig& config) {
  std::string words;
  for (const auto& [origin, region, value] : config.tensors) {
    const std::string tensor = std::visit(
        Overloaded{[](const AnisotropyConfig& axial) {
                     return axial.angle ? fmt::format(
                                              "D is {:.4g} along an axis at {:.4g} degrees to the x axis and 1 "
                                              "across",
                                              axial.ratio, *axial.angle)
                                        : fmt::format("D is {:.4g} along ({:.4g}) and 1 across", axial.ratio,
                                                      fmt::join(*axial.direction, ", "));
                   },
                   [](const std::vector<std::vector<double>>& rows) {
                     std::string text;
                     for (const std::vector<double>& row : rows)
                       text += fmt::format("{}{:.4g}", text.empty() ? "" : "; ", fmt::join(row, ", "));
                     return fmt::format("D = [{}]", text);
                   }},
        value);
    words += fmt::format(" {}{}.", tensor, region.empty() ? "" : " in " + region);
  }
  return words;
}

std::string describe_equation(const Config& config) {
  std::string source;
  if (const auto* everywhere = std::get_if<FunctionConfig>(&config.source.value)) {
    const double* number = std::get_if<double>(&everywhere->value);
    const bool more = !config.source_terms.empty() || !config.source_fields.empty();
    if (!more || !number || *number != 0) source = write(*everywhere);
  } else {
    source = "f, with " + write_by_region(config.source, "f = ");
  }
  for (const SourceTermConfig& term : config.source_terms) {
    const std::string where = term.point            ? fmt::format("at ({:.6g})", fmt::join(*term.point, ", "))
                              : term.region.empty() ? "everywhere"
                                                    : "in " + term.region;
    source += source.empty() ? "" : " + ";
    source += term.total ? fmt::format("{} in all {} ({})", write(*term.total), where, term.name)
                         : fmt::format("{} {} ({})", write(term.density), where, term.name);
  }
  for (const SourceFieldConfig& field : config.source_fields)
    source += fmt::format("{}{}, a field", source.empty() ? "" : " + ", field.name);
  std::string reaction;
  if (config.reaction) {
    const auto* everywhere = std::get_if<FunctionConfig>(&config.reaction->value);
    const bool number = everywhere && std::holds_alternative<double>(everywhere->value);
    reaction = number ? fmt::format(" + {} u", write(*everywhere)) : " + c u";
    if (!number) source += ", c = " + (everywhere ? write(*everywhere) : write_by_region(*config.reaction, ""));
  }
  std::string conditions;
  for (const BoundaryConfig& boundary : config.boundaries) {
    const std::string condition =
        boundary.kind == BoundaryConfig::Kind::dirichlet ? "u = " + write(boundary.value)
        : boundary.kind == BoundaryConfig::Kind::neumann
            ? "inflow " + write(boundary.value)
            : fmt::format("outflow {} times u less {}", write(boundary.coefficient), write(boundary.value));
    conditions += fmt::format("{} on {}; ", condition, boundary.name);
  }
  const std::string tensor = config.coefficient.tensors.empty() ? "" : "D ";
  return fmt::format("-div(exp(kappa) {}grad u){} = {}; {}insulated elsewhere.{}", tensor, reaction, source, conditions,
                     describe_tensors(config.coefficient));
}

std::string describe_mesh(const Config& config, const Problem& problem) {
  const mesh::Mesh& mesh = problem.equation.mesh;
  const char* per[] = {"cell", "node", "block", "region"};
  std::string known;
  for (const auto& [region, conductivity] : config.coefficient.known)
    known += fmt::format("{}{} in {}",
                         known.empty() ? " The conductivity is known (grey in maps), and nothing is inferred: " : ", ",
                         write(conductivity), region);
  return fmt::format("{} and {} nodes in {}D; one unknown kappa for each {}, {} in all.{}{}",
                     counted(mesh.num_cells(), topology(mesh.cell_type).name, topology(mesh.cell_type).plural),
                     mesh.num_nodes(), mesh.dimension(), per[static_cast<std::size_t>(config.coefficient.per)],
                     problem.num_field_unknowns(), known, known.empty() ? "" : ".");
}

std::string range(const Vector& values) {
  return values.minCoeff() == values.maxCoeff() ? fmt::format("{:.4g}", values[0])
                                                : fmt::format("{:.4g} to {:.4g}", values.minCoeff(), values.maxCoeff());
}

std::string describe_sensors(const Problem& problem) {
  if (!problem.sensors) return "None.";
  const Index sensors = problem.sensors->num_at_points();
  const std::string at_points =
      sensors == 0 ? ""
                   : "u at " + (problem.sensors->nodes.empty() ? counted(sensors, "point")
                                                               : counted(sensors, "node") + " of the mesh");
  const std::string moved =
      problem.sensors->moved == 0
          ? ""
          : fmt::format(
                " {} outside the mesh, by up to {:.3g}, and taken on its surface.",
                problem.sensors->moved == 1 ? "One was" : fmt::format("{} of them were", problem.sensors->moved),
                problem.sensors->furthest);
  std::string where = at_points;
  std::map<std::string, Index> kinds;
  for (const QuantityConfig& further : problem.sensors->further) ++kinds[kind_of(further, {})];
  for (const auto& [kind, count] : kinds)
    where += fmt::format("{}{}{}", where.empty() ? "" : ", ", kind, count == 1 ? "" : fmt::format(" ({})", count));
  if (!problem.observations) return fmt::format("{}, not measured.{}", where, moved);
  const Vector& count = problem.observations->count;
  return fmt::format("{}, {} measurement{} at each, {:.0f} in all.{}", where, range(count),
                     count.maxCoeff() == 1 ? "" : "s", count.sum(), moved);
}

std::string field_words(const FieldConfig& field) {
  return std::visit(
      Overloaded{[](double value) { return fmt::format("{:.4g}", value); },
                 [](const std::vector<double>&) { return std::string("given for each unknown"); },
                 [](const InputFile&) { return std::string("given for each unknown"); },
                 [](const FileFunctionConfig& file) { return "as in " + file.file.path().filename().string(); }},
      field.value);
}

/// A checksum of the problem file and of every file that it names.
std::string fingerprint(const Config& config) {
  std::vector<std::uint64_t> sums{config.digest};
  for (const InputFile& file : config.files) sums.push_back(file.checksum().value_or(0));
  return fmt::format("{:016x}", checksum(std::as_bytes(std::span(sums))));
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
                   for (const AnisotropyConfig& a : p.anisotropy)
                     words += fmt::format(", {:.4g} times as long along an axis {}", a.ratio,
                                          a.region.empty() ? "everywhere" : "in " + a.region);
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

result::SensorRecord record_sensors(const Config& config, const Problem& problem) {
  result::SensorRecord sensors;
  if (problem.sensors) {
    sensors.points = problem.sensors->points;
    sensors.labels = problem.sensors->labels;
    if (!problem.sensors->further.empty()) {
      sensors.kinds.resize(static_cast<std::size_t>(problem.sensors->num_at_points()));
      for (const QuantityConfig& further : problem.sensors->further)
        sensors.kinds.push_back(kind_of(further, config.labels));
    }
  }
  if (problem.observations) {
    sensors.mean = problem.observations->mean;
    sensors.sigma = problem.observations->sigma;
    sensors.count = problem.observations->count;
    sensors.noise = problem.observations->noise;
  }
  return sensors;
}

result::ProblemRecord record_problem(const Config& config, const Problem& problem) {
  result::ProblemRecord record;
  record.labels = config.labels;
  if (record.labels.title.empty()) record.labels.title = config.file.stem().string();
  const std::string noise =
      problem.observations ? describe_noise(config.noise(), problem.observations->sigma) : "None.";
  std::string prior = describe_prior(config);
  for (const SourceFieldConfig& field : config.source_fields) {
    Config own = config;
    own.prior = field.prior;
    prior += fmt::format(" The source {}: {}", field.name, describe_prior(own));
  }
  for (const UnknownConfig& unknown : config.unknowns)
    prior += fmt::format(" {}: {}.", unknown.name, describe_prior(unknown));
  record.words = {
      describe_equation(config), describe_mesh(config, problem), describe_sensors(problem), prior, noise, ""};
  record.fingerprint = fingerprint(config);
  record.mesh = problem.equation.mesh;
  const bool on_nodes = problem.equation.coefficients.on_nodes();
  record.support = on_nodes ? result::Support::nodes : result::Support::cells;
  const fem::CoefficientMap& coefficients = problem.equation.coefficients;
  record.unknown_of_cell = coefficients.of_cell;
  if (!coefficients.tensors.values.empty()) {
    const auto d = static_cast<Eigen::Index>(problem.equation.mesh.dimension());
    for (Index c = 0; c < problem.equation.mesh.num_cells(); ++c) {
      const Matrix tensor = coefficients.tensor(c).topLeftCorner(d, d);
      record.conductivity_tensor.insert(record.conductivity_tensor.end(), tensor.data(), tensor.data() + tensor.size());
    }
  }
  if (coefficients.known.size() > 0) {
    record.known_kappa.setConstant(problem.equation.mesh.num_cells(), std::numeric_limits<double>::quiet_NaN());
    for (Index c = 0; c < problem.equation.mesh.num_cells(); ++c) {
      if (!coefficients.is_known(c)) continue;
      record.known_kappa[c] = coefficients.known[coefficients.of_cell[c] - coefficients.num_coefficients];
      record.unknown_of_cell[c] = -1;
    }
  }
  for (std::size_t k = 0; k < config.source_fields.size(); ++k) {
    const fem::CoefficientMap& map = problem.equation.fields[k].map;
    record.fields.push_back({config.source_fields[k].name, config.source_fields[k].unit,
                             map.on_nodes() ? result::Support::nodes : result::Support::cells, map.of_cell,
                             map.num_coefficients});
  }
  for (const UnknownConfig& unknown : config.unknowns)
    record.scalars.push_back({unknown.name, unknown.unit, unknown.prior, describe_prior(unknown)});
  record.positions = fem::coefficient_positions(problem.equation.mesh, problem.equation.coefficients);
  record.sensors = record_sensors(config, problem);
  for (const QuantityConfig& quantity : config.quantities)
    record.quantities.push_back({quantity.name, describe_quantity(quantity, config.labels)});
  record.truth = build_truth(config, problem);
  return record;
}

}  // namespace varimesh::run
