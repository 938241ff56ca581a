#include "varimesh/run/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <sstream>

#include "varimesh/checksum.h"
#include "varimesh/file.h"
#include "varimesh/inverse/spde_prior.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/expression.h"
#include "varimesh/run/toml_reader.h"

namespace varimesh::run {
namespace {

constexpr std::uintmax_t max_bytes = std::uintmax_t{16} << 20;
constexpr Index max_cells = 50'000'000;
constexpr Index max_replicates = 1'000'000'000;
constexpr Index max_hole_segments = 1'000'000;
constexpr std::size_t max_components = 1000;
constexpr std::size_t max_barriers = 1000;
constexpr double smallest_cell_size = 2e-4;  // about 50 million triangles on the unit square

// How many entries an array with one for each axis may have; a Gmsh file has yet to tell its dimension.
struct Axes {
  std::size_t fewest, most;
};

Axes axes(const MeshConfig& mesh) {
  if (std::holds_alternative<IntervalMesh>(mesh.shape)) return {1, 1};
  if (std::holds_alternative<BoxMesh>(mesh.shape)) return {3, 3};
  if (std::holds_alternative<GmshMesh>(mesh.shape)) return {1, 3};
  return {2, 2};
}

/// The problem file's directory, and the files that it names.
struct Files {
  std::filesystem::path directory;
  InputFiles named;
  std::vector<std::string> unknowns = {};  ///< that expressions may use

  InputFile find(const Setting& setting) { return named.find(directory, setting.string()); }
};

FileFunctionConfig read_file_function(const Setting& table, Files& files) {
  table.allow({"file", "column", "log"});
  FileFunctionConfig result{files.find(table.require("file"))};
  if (const auto column = table.find("column")) result.column = column->string();
  if (const auto logarithm = table.find("log")) result.logarithm = logarithm->boolean();
  return result;
}

FunctionConfig read_function(const Setting& setting, Files& files) {
  if (setting.is_number()) return {setting.origin(), setting.number()};
  if (setting.is_table()) return {setting.origin(), read_file_function(setting, files)};
  if (!setting.is_string()) setting.fail_type("a number, an expression or a table with a file");
  const std::string expression = setting.string();
  parse_expression(expression, setting.origin(), 3, files.unknowns);
  FunctionConfig result{setting.origin(), expression};
  if (!files.unknowns.empty()) {
    result.formula = at(setting.origin(), [&] { return Formula(expression, files.unknowns); });
    if (result.formula->unknowns().empty()) result.formula.reset();
  }
  return result;
}

// Counts along each axis; one count may be written without brackets.
std::vector<Index> read_counts(const Setting& setting, Axes axes) {
  std::vector<Index> counts;
  if (axes.fewest == 1 && !setting.is_array()) {
    counts.push_back(setting.integer(1, max_cells));
  } else {
    for (const Setting& entry : setting.elements(axes.fewest, axes.most)) counts.push_back(entry.integer(1, max_cells));
  }
  std::int64_t product = 1;
  for (const Index count : counts) {
    product *= count;
    if (product > max_cells) setting.fail(fmt::format("expected at most {} in product, found more", max_cells));
  }
  return counts;
}

mesh::Interval read_interval(const Setting& setting) {
  const std::vector<Setting> ends = setting.elements(2, 2);
  const mesh::Interval interval{ends[0].number(), ends[1].number()};
  if (!(interval.from < interval.to) || !std::isfinite(interval.to - interval.from)) {
    setting.fail(fmt::format("expected the first number to be less than the second, found [{}, {}]", interval.from,
                             interval.to));
  }
  return interval;
}

template <std::size_t N>
void read_grid(const Setting& mesh, std::array<Index, N>& cells, std::array<mesh::Interval, N>& extent) {
  const std::vector<Index> counts = read_counts(mesh.require("cells"), {N, N});
  std::copy(counts.begin(), counts.end(), cells.begin());
  if (const auto setting = mesh.find("extent")) {
    const std::vector<Setting> intervals = setting->elements(N, N);
    for (std::size_t i = 0; i < N; ++i) extent[i] = read_interval(intervals[i]);
  }
}

IntervalMesh read_interval_mesh(const Setting& mesh) {
  mesh.allow({"kind", "cells", "extent"});
  IntervalMesh result;
  result.cells = read_counts(mesh.require("cells"), {1, 1}).front();
  if (const auto extent = mesh.find("extent")) result.extent = read_interval(*extent);
  return result;
}

RectangleMesh read_rectangle(const Setting& mesh) {
  mesh.allow({"kind", "cells", "cell_type", "extent"});
  RectangleMesh result;
  if (const auto type = mesh.find("cell_type")) {
    const bool is_quadrilateral = type->choice({"triangle", "quadrilateral"}) == "quadrilateral";
    result.cell_type = is_quadrilateral ? mesh::CellType::quadrilateral : mesh::CellType::triangle;
  }
  read_grid(mesh, result.cells, result.extent);
  return result;
}

BoxMesh read_box(const Setting& mesh) {
  mesh.allow({"kind", "cells", "cell_type", "extent"});
  BoxMesh result;
  if (const auto type = mesh.find("cell_type")) {
    const bool is_hexahedron = type->choice({"tetrahedron", "hexahedron"}) == "hexahedron";
    result.cell_type = is_hexahedron ? mesh::CellType::hexahedron : mesh::CellType::tetrahedron;
  }
  read_grid(mesh, result.cells, result.extent);
  return result;
}

mesh::PlateWithHole read_plate_with_hole(const Setting& mesh) {
  mesh.allow({"kind", "radius", "cell_size", "hole_segments"});
  mesh::PlateWithHole result;
  if (const auto radius = mesh.find("radius")) {
    result.radius = radius->positive_number();
    if (result.radius >= 0.5) {
      radius->fail(
          fmt::format("expected less than 0.5, so that the hole fits the unit square, found {}", result.radius));
    }
  }
  if (const auto size = mesh.find("cell_size")) {
    result.cell_size = size->positive_number();
    if (result.cell_size < smallest_cell_size || result.cell_size > 1) {
      size->fail(fmt::format("expected a number from {} to 1, found {}", smallest_cell_size, result.cell_size));
    }
  }
  if (const auto segments = mesh.find("hole_segments")) result.hole_segments = segments->integer(3, max_hole_segments);
  return result;
}

GmshMesh read_gmsh_mesh(const Setting& mesh, Files& files) {
  constexpr std::size_t most_levels = 20;
  mesh.allow({"kind", "file", "coarse", "corners_only"});
  const Setting path = mesh.require("file");
  GmshMesh result{path.origin(), files.find(path), {}, false};
  if (const auto coarse = mesh.find("coarse")) {
    for (const Setting& level : coarse->elements(1, most_levels)) result.coarse.push_back(files.find(level));
  }
  if (const auto corners = mesh.find("corners_only")) result.corners_only = corners->boolean();
  return result;
}

MeshConfig read_mesh(const Setting& mesh, Files& files) {
  MeshConfig result{mesh.origin(), {}};
  const std::string kind = mesh.require("kind").choice({"interval", "rectangle", "box", "plate_with_hole", "gmsh"});
  if (kind == "interval") result.shape = read_interval_mesh(mesh);
  if (kind == "rectangle") result.shape = read_rectangle(mesh);
  if (kind == "box") result.shape = read_box(mesh);
  if (kind == "plate_with_hole") result.shape = read_plate_with_hole(mesh);
  if (kind == "gmsh") result.shape = read_gmsh_mesh(mesh, files);
  return result;
}

SourceConfig read_source(const Setting& source, Files& files) {
  if (source.is_number() || source.is_string()) return {source.origin(), read_function(source, files)};
  if (!source.is_table()) source.fail_type("a number, an expression, or a table with one of these for each region");
  if (source.find("file")) return {source.origin(), read_function(source, files)};
  std::map<std::string, FunctionConfig> functions;
  for (const Setting& region : source.entries()) functions[region.name()] = read_function(region, files);
  if (functions.empty()) source.fail("expected at least one region");
  return {source.origin(), functions};
}

SourceTermConfig read_source_term(const Setting& term, Files& files) {
  term.allow({"region", "point", "total", "density"});
  SourceTermConfig result;
  result.origin = term.origin();
  result.name = term.name();
  const auto region = term.find("region"), point = term.find("point");
  const auto total = term.find("total"), density = term.find("density");
  if (total.has_value() == density.has_value())
    term.fail(fmt::format("expected either 'total' or 'density', found {}", total ? "both" : "neither"));
  if (region && point) term.fail("expected either 'region' or 'point', found both");
  if (point && density) density->fail("expected a 'total' at a point, which has no extent, found a density");
  if (region) result.region = region->string();
  if (point) {
    result.point.emplace();
    for (const Setting& coordinate : point->elements(1, 3)) result.point->push_back(coordinate.number());
  }
  if (total) {
    if (!total->is_number() && !total->is_string()) total->fail_type("a number or an expression of unknowns");
    result.total = read_function(*total, files);
    if (total->is_string() && !result.total->formula)
      total->fail("expected a number or an expression of unknowns, found an expression without any");
  }
  if (density) result.density = read_function(*density, files);
  return result;
}

BoundaryConfig read_boundary(const Setting& boundary, Files& files) {
  using Kind = BoundaryConfig::Kind;
  boundary.allow({"dirichlet", "neumann", "robin"});
  const std::vector<Setting> conditions = boundary.entries();
  if (conditions.size() != 1)
    boundary.fail(fmt::format("expected one of 'dirichlet', 'neumann' and 'robin', found {}",
                              conditions.empty() ? "none" : "several"));
  const Setting& condition = conditions.front();
  BoundaryConfig result{boundary.origin(), boundary.name(), Kind::dirichlet, {}, {}};
  if (condition.name() == "robin") {
    condition.allow({"coefficient", "ambient"});
    result.kind = Kind::robin;
    result.coefficient = read_function(condition.require("coefficient"), files);
    if (const auto ambient = condition.find("ambient")) result.value = read_function(*ambient, files);
  } else {
    if (condition.name() == "neumann") result.kind = Kind::neumann;
    result.value = read_function(condition, files);
  }
  return result;
}

/// One table for everywhere, which has some of the keys, or one for each region.
template <class Read>
void for_each_region(const Setting& setting, std::initializer_list<const char*> keys, const Read& read) {
  if (!setting.is_table()) setting.fail_type("a table");
  const auto is_key = [&](const char* key) {
    const auto value = setting.find(key);
    return value && !value->is_table();
  };
  if (std::ranges::any_of(keys, is_key)) return read(setting, "");
  for (const Setting& region : setting.entries()) {
    if (!region.is_table()) region.fail_type("a table with the ratio and the axis of a region's anisotropy");
    read(region, region.name());
  }
}

AnisotropyConfig read_anisotropy(const Setting& table, const std::string& region) {
  table.allow({"ratio", "angle", "direction"});
  AnisotropyConfig result{table.origin(), region, table.require("ratio").positive_number(), {}, {}};
  if (const auto angle = table.find("angle")) result.angle = angle->number();
  if (const auto direction = table.find("direction")) {
    const std::vector<Setting> parts = direction->elements(3, 3);
    result.direction = {parts[0].number(), parts[1].number(), parts[2].number()};
  }
  return result;
}

TensorConfig read_tensor(const Setting& table, const std::string& region) {
  const auto tensor = table.find("tensor");
  if (!tensor) return {table.origin(), region, read_anisotropy(table, region)};
  table.allow({"tensor"});
  std::vector<std::vector<double>> rows;
  for (const Setting& row : tensor->elements(2, 3)) {
    rows.emplace_back();
    for (const Setting& entry : row.elements(2, 3)) rows.back().push_back(entry.number());
  }
  return {tensor->origin(), region, rows};
}

/// What has an unknown.
CoefficientConfig read_support(const Setting& coefficient, Axes axes) {
  CoefficientConfig result{coefficient.origin(), CoefficientConfig::Per::cell, {}, {}};
  if (const auto per = coefficient.find("per")) {
    const std::string word = per->choice({"cell", "node", "block", "region"});
    if (word == "node") result.per = CoefficientConfig::Per::node;
    if (word == "block") result.per = CoefficientConfig::Per::block;
    if (word == "region") result.per = CoefficientConfig::Per::region;
  }
  if (result.per == CoefficientConfig::Per::block) {
    result.blocks = read_counts(coefficient.require("blocks"), axes);
  } else if (const auto blocks = coefficient.find("blocks")) {
    blocks->fail("allowed only with per = \"block\"");
  }
  return result;
}

CoefficientConfig read_coefficient(const Setting& coefficient, Axes axes, Files& files) {
  coefficient.allow({"per", "blocks", "known_conductivity", "anisotropy"});
  CoefficientConfig result = read_support(coefficient, axes);
  if (const auto known = coefficient.find("known_conductivity")) {
    if (!known->is_table()) known->fail_type("a table with a number, an expression or a file for each region");
    for (const Setting& region : known->entries()) {
      result.known.push_back({region.name(), read_function(region, files)});
      if (result.known.back().conductivity.formula)
        region.fail("what is known has no unknowns in it: expected an expression of position");
    }
  }
  if (const auto anisotropy = coefficient.find("anisotropy")) {
    for_each_region(
        *anisotropy, {"ratio", "angle", "direction", "tensor"},
        [&](const Setting& table, const std::string& region) { result.tensors.push_back(read_tensor(table, region)); });
  }
  return result;
}

ObservationConfig read_observations(const Setting& observations, Files& files) {
  observations.allow({"data", "sensors", "sigma", "noise", "replicates", "snap", "named"});
  ObservationConfig result;
  result.origin = observations.origin();
  if (const auto data = observations.find("data")) {
    result.data_origin = data->origin();
    result.data = files.find(*data);
  }
  if (const auto sensors = observations.find("sensors")) {
    result.sensors = SensorsConfig{sensors->origin(), std::nullopt};
    if (sensors->string() != "nodes") result.sensors->file = files.find(*sensors);
  }
  if (const auto named = observations.find("named")) {
    result.named_origin = named->origin();
    result.named = files.find(*named);
  }
  result.noise = read_noise(observations, [&](const Setting& path) { return files.find(path); });
  if (const auto replicates = observations.find("replicates"))
    result.replicates = replicates->integer(1, max_replicates);
  if (const auto snap = observations.find("snap")) {
    result.snap = snap->number();
    if (*result.snap < 0) snap->fail(fmt::format("expected a distance of at least 0, found {}", *result.snap));
  }
  return result;
}

std::vector<double> read_length_scale(const Setting& setting, Axes axes) {
  if (!setting.is_array()) {
    if (!setting.is_number()) setting.fail_type("a number or an array");
    return {setting.positive_number()};
  }
  std::vector<double> scales;
  for (const Setting& entry : setting.elements(axes.fewest, axes.most)) scales.push_back(entry.positive_number());
  return scales;
}

using ReadNumber = double (Setting::*)() const;

FieldConfig read_field(const Setting& setting, ReadNumber read_number, Files& files) {
  if (setting.is_number()) return {setting.origin(), (setting.*read_number)()};
  if (setting.is_string()) return {setting.origin(), files.find(setting)};
  if (setting.is_table()) return {setting.origin(), read_file_function(setting, files)};
  if (!setting.is_array()) setting.fail_type("a number, an array, a file name or a table with a file");
  std::vector<double> values;
  for (const Setting& entry : setting.elements(1, max_cells)) values.push_back((entry.*read_number)());
  return {setting.origin(), values};
}

GaussianProcessConfig read_gaussian_process(const Setting& prior, Axes axes, Files& files) {
  prior.allow({"kind", "kernel", "sigma", "length_scale", "mean", "jitter", "period"});
  GaussianProcessConfig result;
  if (const auto kernel = prior.find("kernel")) {
    result.kernel = kernel->choice({"squared_exponential", "matern12", "matern32", "matern52", "periodic"});
  }
  if (const auto sigma = prior.find("sigma")) result.sigma = sigma->positive_number();
  result.length_scale = read_length_scale(prior.require("length_scale"), axes);
  if (const auto mean = prior.find("mean")) result.mean = read_field(*mean, &Setting::number, files);
  if (const auto jitter = prior.find("jitter")) {
    result.jitter = jitter->number();
    if (result.jitter < 0) jitter->fail(fmt::format("expected a number of at least 0, found {}", result.jitter));
  }
  if (result.kernel == "periodic") {
    result.period = prior.require("period").positive_number();
  } else if (const auto period = prior.find("period")) {
    period->fail("allowed only with kernel = \"periodic\"");
  }
  return result;
}

// The mean and sigma of a table.
IndependentPriorConfig read_independent(const Setting& table, Files& files) {
  IndependentPriorConfig result;
  if (const auto mean = table.find("mean")) result.mean = read_field(*mean, &Setting::number, files);
  if (const auto sigma = table.find("sigma")) result.sigma = read_field(*sigma, &Setting::positive_number, files);
  return result;
}

SpdePriorConfig read_spde(const Setting& prior, Files& files) {
  prior.allow({"kind", "sigma", "range", "order", "mean", "anisotropy", "barriers"});
  SpdePriorConfig result;
  if (const auto sigma = prior.find("sigma")) result.sigma = sigma->positive_number();
  result.range = prior.require("range").positive_number();
  if (const auto order = prior.find("order")) result.order = order->integer(1, inverse::SpdePrior::max_order);
  if (const auto mean = prior.find("mean")) result.mean = read_field(*mean, &Setting::number, files);
  if (const auto anisotropy = prior.find("anisotropy")) {
    for_each_region(*anisotropy, {"ratio", "angle", "direction"}, [&](const Setting& table, const std::string& region) {
      result.anisotropy.push_back(read_anisotropy(table, region));
    });
  }
  if (const auto barriers = prior.find("barriers")) {
    for (const Setting& region : barriers->elements(1, max_barriers))
      result.barriers.push_back({region.origin(), region.string()});
  }
  return result;
}

MixturePriorConfig read_mixture(const Setting& prior, Files& files) {
  prior.allow({"kind", "components"});
  MixturePriorConfig result;
  for (const Setting& component : prior.require("components").elements(1, max_components)) {
    component.allow({"weight", "mean", "sigma"});
    const auto weight = component.find("weight");
    result.components.push_back({weight ? weight->positive_number() : 1, read_independent(component, files)});
  }
  return result;
}

PriorConfig read_prior(const Setting& prior, Axes axes, Files& files) {
  const std::string kind = prior.require("kind").choice({"gaussian_process", "spde", "independent", "mixture"});
  if (kind == "spde") return {prior.origin(), read_spde(prior, files)};
  if (kind == "mixture") return {prior.origin(), read_mixture(prior, files)};
  if (kind == "independent") {
    prior.allow({"kind", "mean", "sigma"});
    return {prior.origin(), read_independent(prior, files)};
  }
  return {prior.origin(), read_gaussian_process(prior, axes, files)};
}

SourceFieldConfig read_source_field(const Setting& unknown, Axes axes, Files& files) {
  unknown.allow({"field", "per", "blocks", "prior", "unit"});
  require_unknown_name(unknown);
  unknown.require("field").choice({"source"});
  SourceFieldConfig result{unknown.origin(),
                           unknown.name(),
                           {},
                           read_support(unknown, axes),
                           read_prior(unknown.require("prior"), axes, files)};
  if (const auto unit = unknown.find("unit")) result.unit = unit->string();
  return result;
}

result::Labels read_labels(const Setting& labels) {
  labels.allow({"title", "u", "conductivity", "length_unit", "u_unit", "conductivity_unit", "flux_unit"});
  result::Labels result;
  const auto read = [&](const char* key, std::string& value) {
    if (const auto text = labels.find(key)) value = text->string();
  };
  read("title", result.title);
  read("u", result.u);
  read("length_unit", result.length_unit);
  read("u_unit", result.u_unit);
  read("conductivity", result.conductivity);
  read("conductivity_unit", result.conductivity_unit);
  read("flux_unit", result.flux_unit);
  return result;
}

/// Scalars, which expressions may use from then on, and fields.
void read_unknowns(const Setting& unknowns, Config& config, Files& files) {
  for (const Setting& unknown : unknowns.entries()) {
    if (unknown.is_table() && unknown.find("field")) {
      config.source_fields.push_back(read_source_field(unknown, axes(config.mesh), files));
      continue;
    }
    config.unknowns.push_back(read_unknown(unknown));
    files.unknowns.push_back(unknown.name());
  }
}

/// Each unknown scalar is a quantity, too.
void add_unknown_quantities(Config& config) {
  for (const UnknownConfig& unknown : config.unknowns) {
    const auto same = std::ranges::find(config.quantities, unknown.name, &QuantityConfig::name);
    if (same != config.quantities.end())
      throw InputError(same->origin + ": the unknown of this name is a quantity of its own: expected another name");
    QuantityConfig quantity;
    quantity.origin = unknown.origin;
    quantity.name = quantity.of = unknown.name;
    quantity.kind = QuantityKind::unknown;
    quantity.unit = unknown.unit;
    quantity.unknown = static_cast<Index>(&unknown - config.unknowns.data());
    config.quantities.push_back(std::move(quantity));
  }
}

// Of a problem's text without comments and layout, nor how it is solved and captioned.
std::uint64_t digest(toml::table content, const Config& config) {
  content.erase("method");
  content.erase("labels");
  std::ostringstream text;
  text.exceptions(std::ios::badbit);  // without memory a stream would keep part of it, and say nothing
  text << toml::toml_formatter(content);
  // Tables are sorted by key there, but the order of these matters.
  for (const BoundaryConfig& boundary : config.boundaries) text << '\n' << boundary.name;
  for (const QuantityConfig& quantity : config.quantities) text << '\n' << quantity.name;
  for (const MeasurementConfig& measurement : config.measurements) text << '\n' << measurement.quantity.name;
  for (const SourceTermConfig& term : config.source_terms) text << '\n' << term.name;
  for (const SourceFieldConfig& field : config.source_fields) text << '\n' << field.name;
  for (const UnknownConfig& unknown : config.unknowns) text << '\n' << unknown.name;
  if (const auto* field = config.prior ? std::get_if<SpdePriorConfig>(&config.prior->value) : nullptr) {
    for (const AnisotropyConfig& anisotropy : field->anisotropy) text << '\n' << anisotropy.region;
  }
  return checksum(std::as_bytes(std::span(text.view())));
}

}  // namespace

Config read_config(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  return parse_config(read_file(file, max_bytes), file, overrides);
}

std::string override_text(std::string_view text, const std::filesystem::path& file,
                          const std::vector<Override>& overrides) {
  toml::table content = parse_toml(text, file);
  apply_overrides(content, overrides);
  std::ostringstream result;
  result.exceptions(std::ios::badbit);
  result << toml::toml_formatter(content) << '\n';
  return result.str();
}

Config parse_config(std::string_view text, const std::filesystem::path& file, const std::vector<Override>& overrides) {
  toml::table content = parse_toml(text, file);
  apply_overrides(content, overrides);
  const Setting root(content, file);
  root.allow({"mesh", "equation", "sources", "boundary", "coefficient", "unknowns", "observations", "measurements",
              "prior", "quantities", "truth", "method", "labels"});

  Config config;
  config.file = file;
  Files files{file.parent_path(), {}};
  config.mesh = read_mesh(root.require("mesh"), files);
  if (const auto unknowns = root.find("unknowns")) read_unknowns(*unknowns, config, files);
  config.source.origin = root.absent_origin("equation.source");
  config.source.value = FunctionConfig{config.source.origin, 0.0};
  if (const auto equation = root.find("equation")) {
    equation->allow({"source", "reaction"});
    if (const auto source = equation->find("source")) config.source = read_source(*source, files);
    if (const auto reaction = equation->find("reaction")) config.reaction = read_source(*reaction, files);
  }
  if (const auto sources = root.find("sources")) {
    for (const Setting& term : sources->entries()) config.source_terms.push_back(read_source_term(term, files));
  }
  if (const auto boundary = root.find("boundary")) {
    for (const Setting& part : boundary->entries()) config.boundaries.push_back(read_boundary(part, files));
  }
  config.coefficient.origin = root.absent_origin("coefficient");
  if (const auto coefficient = root.find("coefficient")) {
    config.coefficient = read_coefficient(*coefficient, axes(config.mesh), files);
  }
  if (const auto observations = root.find("observations"))
    config.observations = read_observations(*observations, files);
  if (const auto measurements = root.find("measurements")) {
    const auto find_file = [&](const Setting& setting) { return files.find(setting); };
    for (const Setting& entry : measurements->entries())
      config.measurements.push_back(read_measurement(entry, find_file));
  }
  if (const auto prior = root.find("prior")) config.prior = read_prior(*prior, axes(config.mesh), files);
  if (const auto quantities = root.find("quantities")) {
    for (const Setting& quantity : quantities->entries()) config.quantities.push_back(read_quantity(quantity));
  }
  add_unknown_quantities(config);
  if (const auto truth = root.find("truth")) {
    std::vector<std::string> keys = files.unknowns;
    keys.emplace_back("kappa");
    for (const SourceFieldConfig& field : config.source_fields) keys.push_back(field.name);
    truth->allow(keys);
    config.truth = read_field(truth->require("kappa"), &Setting::number, files);
    for (const SourceFieldConfig& field : config.source_fields)
      config.truth_of_fields.push_back(read_field(truth->require(field.name), &Setting::number, files));
    for (const UnknownConfig& unknown : config.unknowns) {
      const Setting value = truth->require(unknown.name);
      config.truth_of_scalars.push_back(value.number());
      if (!std::isfinite(unknown.prior.transform.inverse(value.number())))
        value.fail(fmt::format("expected a value that its prior allows, found {}", value.number()));
    }
  }
  config.method.origin = root.absent_origin("method");
  if (const auto method = root.find("method")) config.method = read_method(*method);
  if (const auto labels = root.find("labels")) config.labels = read_labels(*labels);
  config.files = files.named.all();
  config.digest = digest(content, config);
  return config;
}

}  // namespace varimesh::run
