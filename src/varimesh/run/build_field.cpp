#include "varimesh/run/build_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/quote.h"
#include "varimesh/run/build.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/field_file.h"

namespace varimesh::run {
namespace {

Vector to_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// A column with one row for each unknown.
Vector read_column(const io::CsvTable& table, std::string_view name, Index num_unknowns) {
  const std::vector<double>& values = table.column(name);
  if (static_cast<Index>(values.size()) != num_unknowns)
    throw InputError(
        fmt::format("{}: expected {} rows, one for each unknown, found {}", table.source, num_unknowns, values.size()));
  return to_vector(values);
}

Vector read_positive_column(const io::CsvTable& table, std::string_view name, Index num_unknowns) {
  Vector values = read_column(table, name, num_unknowns);
  for (Index k = 0; k < num_unknowns; ++k) {
    if (!(values[k] > 0))
      throw InputError(fmt::format("{}:{}: {}: expected a positive number, found {}", table.source, table.lines[k],
                                   name, values[k]));
  }
  return values;
}

Vector read_kappa_file(const InputFile& file, Index num_unknowns) {
  const io::CsvTable table = read_csv(file);
  if (table.find("mean") && !table.find("kappa")) return read_column(table, "mean", num_unknowns);  // of a result
  if (table.find("kappa") || !table.find("theta")) return read_column(table, "kappa", num_unknowns);
  return read_positive_column(table, "theta", num_unknowns).array().log();
}

Vector read_sigma_file(const InputFile& file, Index num_unknowns) {
  const io::CsvTable table = read_csv(file);
  return read_positive_column(table, table.find("sd") && !table.find("sigma") ? "sd" : "sigma", num_unknowns);
}

template <class ReadFile>
Vector build_field(const FieldConfig& config, const Equation& equation, const ReadFile& read_file) {
  const Index num_unknowns = equation.coefficients.num_coefficients;
  return std::visit(
      Overloaded{[&](double value) -> Vector { return Vector::Constant(num_unknowns, value); },
                 [&](const std::vector<double>& values) {
                   if (static_cast<Index>(values.size()) != num_unknowns)
                     throw InputError(fmt::format("{}: expected {} entries, one for each unknown, found {}",
                                                  config.origin, num_unknowns, values.size()));
                   return to_vector(values);
                 },
                 [&](const InputFile& file) {
                   require_file(file, config.origin);
                   return read_file(file, num_unknowns);  // its messages name the file
                 },
                 [&](const FileFunctionConfig& file) {
                   const ScalarFunction function = build_file_function(file, config.origin, equation.mesh.dimension());
                   const std::vector<Point> positions =
                       fem::coefficient_positions(equation.mesh, equation.coefficients);
                   Vector values(num_unknowns);
                   std::ranges::transform(positions, values.begin(), function);
                   return values;
                 }},
      config.value);
}

}  // namespace

ScalarFunction build_file_function(const FileFunctionConfig& config, const Origin& origin, int dimension) {
  require_file(config.file, origin);
  ScalarFunction function = read_field_file(config.file, config.column, dimension);
  if (!config.logarithm) return function;
  return [function = std::move(function), file = config.file.string()](const Point& x) {
    const double value = function(x);
    if (!(value > 0))
      throw InputError(
          fmt::format("{}: expected a positive number, of which to take the logarithm, found {} at ({:.6g})", file,
                      value, fmt::join(x, ", ")));
    return std::log(value);
  };
}

Vector build_mean(const FieldConfig& config, const Equation& equation) {
  return build_field(config, equation, read_kappa_file);
}

Vector build_sigma(const FieldConfig& config, const Equation& equation) {
  Vector sigma = build_field(config, equation, read_sigma_file);
  if (!(sigma.array() > 0).all())
    throw InputError(
        fmt::format("{}: expected standard deviations above 0, found {}", config.origin, sigma.minCoeff()));
  return sigma;
}

Vector read_kappa(const std::string& number_or_file, Index num_unknowns) {
  double constant = 0;
  const char* end = number_or_file.data() + number_or_file.size();
  if (const auto parsed = std::from_chars(number_or_file.data(), end, constant);
      parsed.ec == std::errc{} && parsed.ptr == end) {
    if (!std::isfinite(constant))
      throw InputError(fmt::format("kappa: expected a finite number, found {}", number_or_file));
    return Vector::Constant(num_unknowns, constant);
  }
  if (!file_exists(number_or_file))
    throw InputError(
        fmt::format("kappa: expected a number or a CSV file, found {}, which is neither", quote(number_or_file)));
  return read_kappa_file(InputFile(number_or_file), num_unknowns);
}

}  // namespace varimesh::run
