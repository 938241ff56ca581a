#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/result/problem_record.h"
#include "varimesh/run/input_file.h"
#include "varimesh/run/origin.h"
#include "varimesh/types.h"

namespace varimesh::run {

class Setting;

/// A scalar of u or the coefficient, or an unknown scalar: the total flux out through a boundary part; a field's value
/// at a point, its mean over a region or a boundary part, an extreme over a region; a component of grad u or of the
/// flux -exp(kappa) grad u at a point.
struct QuantityConfig {
  enum class Kind { flux, value, mean, boundary_mean, gradient, flux_density, max, min, unknown };
  Origin origin;
  std::string name;
  Kind kind = Kind::flux;
  std::string part;           ///< the boundary of a flux or mean, the region of a mean or an extreme
  std::vector<double> point;  ///< of a value, gradient or flux density
  std::string of = "u";       ///< the field: u, kappa or conductivity; or the unknown
  std::string unit = {};      ///< of an unknown
  Index unknown = 0;          ///< its number
  int axis = 0;               ///< the component of a gradient or flux density
  bool logarithm = false;
};
using QuantityKind = QuantityConfig::Kind;
/// The region that is the whole mesh, unless the mesh has one of this name.
constexpr const char* whole_mesh = "everywhere";

/// A quantity that is measured, or the values of a field at the points of a file.
struct MeasurementConfig {
  QuantityConfig quantity;
  std::vector<double> values;     ///< replicates; none: in the file of named measurements
  std::optional<double> sigma;    ///< none: a column of the file
  std::optional<InputFile> file;  ///< of points
};

/// An entry of [quantities].
QuantityConfig read_quantity(const Setting& quantity);
/// An entry of [measurements].
MeasurementConfig read_measurement(const Setting& measurement,
                                   const std::function<InputFile(const Setting&)>& find_file);

/// "flux out through right [W]", with what fields are called and their units.
std::string describe_quantity(const QuantityConfig& quantity, const result::Labels& labels);
/// What kind of number it is: "log flux", "mean u".
std::string kind_of(const QuantityConfig& quantity, const result::Labels& labels);

}  // namespace varimesh::run
