#include "varimesh/run/observable_config.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "varimesh/run/sensor_columns.h"
#include "varimesh/run/toml_reader.h"

namespace varimesh::run {
namespace {

constexpr std::array<std::pair<const char*, QuantityKind>, 9> kinds{{{"flux", QuantityKind::flux},
                                                                     {"log_flux", QuantityKind::flux},
                                                                     {"value", QuantityKind::value},
                                                                     {"mean", QuantityKind::mean},
                                                                     {"boundary_mean", QuantityKind::boundary_mean},
                                                                     {"gradient", QuantityKind::gradient},
                                                                     {"flux_density", QuantityKind::flux_density},
                                                                     {"max", QuantityKind::max},
                                                                     {"min", QuantityKind::min}}};

bool is_vector(QuantityKind kind) { return kind == QuantityKind::gradient || kind == QuantityKind::flux_density; }
bool is_extreme(QuantityKind kind) { return kind == QuantityKind::max || kind == QuantityKind::min; }
/// What the problem file calls the field, or else its key.
std::string field_name(const QuantityConfig& quantity, const result::Labels& labels) {
  const std::string name = quantity.of == "u" ? labels.u : quantity.of == "conductivity" ? labels.conductivity : "";
  return name.empty() ? quantity.of : name;
}

/// "" if it has none, or none that is known.
std::string unit_of(const QuantityConfig& quantity, const result::Labels& labels) {
  if (quantity.kind == QuantityKind::unknown) return quantity.unit;
  if (quantity.logarithm || is_vector(quantity.kind)) return "";
  if (quantity.kind == QuantityKind::flux) return labels.flux_unit;
  return quantity.of == "u" ? labels.u_unit : quantity.of == "conductivity" ? labels.conductivity_unit : "";
}

bool at_point(QuantityKind kind) { return kind == QuantityKind::value || is_vector(kind); }

int read_component(const Setting& setting) {
  const std::string word = setting.choice({"x", "y", "z"});
  return word == "x" ? 0 : word == "y" ? 1 : 2;
}

/// What is common to quantities and measurements, of a table whose keys are known.
QuantityConfig read_observable(const Setting& table) {
  QuantityConfig result;
  result.origin = table.origin();
  result.name = table.name();
  int found = 0;
  for (const auto& [key, kind] : kinds) {
    const auto setting = table.find(key);
    if (!setting) continue;
    if (++found > 1) break;
    result.kind = kind;
    result.logarithm = std::string_view(key) == "log_flux";
    if (at_point(kind)) {
      for (const Setting& coordinate : setting->elements(1, 3)) result.point.push_back(coordinate.number());
    } else {
      result.part = setting->string();
    }
  }
  if (found != 1)
    table.fail(
        fmt::format("expected one of 'flux', 'log_flux', 'value', 'mean', 'boundary_mean', 'gradient', "
                    "'flux_density', 'max' and 'min', found {}",
                    found == 0 ? "none" : "several"));
  if (const auto of = table.find("of")) {
    if (result.kind != QuantityKind::value && result.kind != QuantityKind::mean && !is_extreme(result.kind))
      of->fail("allowed only beside a value, mean, max or min");
    result.of = of->choice({"u", "kappa", "conductivity"});
  }
  if (is_vector(result.kind)) {
    result.axis = read_component(table.require("component"));
  } else if (const auto component = table.find("component")) {
    component->fail("allowed only beside a gradient or flux_density");
  }
  if (const auto logarithm = table.find("log")) {
    if (is_extreme(result.kind)) logarithm->fail("not allowed beside max or min");
    result.logarithm = logarithm->boolean() || result.logarithm;
  }
  return result;
}

}  // namespace

QuantityConfig read_quantity(const Setting& quantity) {
  quantity.allow({"flux", "log_flux", "value", "mean", "boundary_mean", "gradient", "flux_density", "max", "min", "of",
                  "component", "log"});
  return read_observable(quantity);
}

MeasurementConfig read_measurement(const Setting& measurement,
                                   const std::function<InputFile(const Setting&)>& find_file) {
  constexpr std::size_t most_replicates = 1'000'000;
  MeasurementConfig result;
  if (const auto data = measurement.find("data")) {
    measurement.allow({"data", "of", "log", "sigma"});
    result.quantity.origin = measurement.origin();
    result.quantity.name = measurement.name();
    result.quantity.kind = QuantityKind::value;
    result.file = find_file(*data);
    if (const auto of = measurement.find("of")) result.quantity.of = of->choice({"u", "kappa", "conductivity"});
    if (const auto logarithm = measurement.find("log")) result.quantity.logarithm = logarithm->boolean();
    if (const auto sigma = measurement.find("sigma")) result.sigma = sigma->positive_number();
    return result;
  }
  measurement.allow({"flux", "log_flux", "value", "mean", "boundary_mean", "gradient", "flux_density", "of",
                     "component", "log", "measured", "sigma"});
  result.quantity = read_observable(measurement);
  result.sigma = measurement.require("sigma").positive_number();
  if (const auto measured = measurement.find("measured")) {
    if (measured->is_array()) {
      for (const Setting& value : measured->elements(1, most_replicates)) result.values.push_back(value.number());
    } else {
      result.values.push_back(measured->number());
    }
  }
  return result;
}

std::string describe_quantity(const QuantityConfig& quantity, const result::Labels& labels) {
  const std::string what = kind_of(quantity, labels), unit = unit_of(quantity, labels);
  std::string where;
  if (quantity.kind == QuantityKind::unknown)
    where = "";
  else if (at_point(quantity.kind))
    where = fmt::format(" at ({:.6g})", fmt::join(quantity.point, ", "));
  else if (quantity.kind == QuantityKind::flux)
    where = " out through " + quantity.part;
  else if (quantity.part != whole_mesh)
    where = fmt::format(" {} {}", is_extreme(quantity.kind) ? "in" : "over", quantity.part);
  return what + where + (unit.empty() ? "" : fmt::format(" [{}]", unit));
}

std::string kind_of(const QuantityConfig& quantity, const result::Labels& labels) {
  const std::string field = field_name(quantity, labels);
  const std::string log = quantity.logarithm ? "log " : "";
  switch (quantity.kind) {
    case QuantityKind::flux:
      return log + "flux";
    case QuantityKind::value:
      return log + field;
    case QuantityKind::mean:
    case QuantityKind::boundary_mean:
      return log + "mean " + field;
    case QuantityKind::gradient:
      return fmt::format("{}slope of {} along {}", log, field, axis_names[static_cast<std::size_t>(quantity.axis)]);
    case QuantityKind::flux_density:
      return fmt::format("{}flux density along {}", log, axis_names[static_cast<std::size_t>(quantity.axis)]);
    case QuantityKind::max:
      return "largest " + field;
    case QuantityKind::min:
      return "smallest " + field;
    case QuantityKind::unknown:
      return quantity.of;
  }
  return quantity.name;
}

}  // namespace varimesh::run
