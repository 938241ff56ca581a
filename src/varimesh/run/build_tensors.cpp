#include "varimesh/run/build_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "varimesh/run/build_step.h"

namespace varimesh::run {
namespace {

Point axis_of(const AnisotropyConfig& config, int dimension) {
  if (dimension == 1) throw InputError("expected no anisotropy on a line, which has one direction only");
  require_axis(config, dimension);
  if (dimension == 2) {
    const double angle = *config.angle * std::numbers::pi / 180;
    return {std::cos(angle), std::sin(angle), 0};
  }
  const Point direction(config.direction->data());
  if (!(direction.norm() > 0)) throw InputError("expected a direction that is not zero");
  return direction;
}

Eigen::Matrix3d tensor_of(const std::vector<std::vector<double>>& rows, int dimension) {
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Identity();
  const auto size = static_cast<std::size_t>(dimension);
  const auto fits = [&](const std::vector<double>& row) { return row.size() == size; };
  if (rows.size() != size || !std::ranges::all_of(rows, fits))
    throw InputError(fmt::format("expected {0} rows of {0} numbers on a mesh of {0} dimensions", dimension));
  for (int i = 0; i < dimension; ++i)
    for (int j = 0; j < dimension; ++j) tensor(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return tensor;
}

}  // namespace

void require_axis(const AnisotropyConfig& config, int dimension) {
  if (dimension == 2) {
    if (config.direction) throw InputError("expected an angle on a plane mesh, found a direction, which is for space");
    if (!config.angle) throw InputError("expected the angle of the long axis to the x axis, in degrees, found none");
  } else if (dimension == 3) {
    if (config.angle)
      throw InputError("expected a direction on a mesh in space, found an angle, which is for the plane");
    if (!config.direction) throw InputError("expected the direction of the long axis, found none");
  }
}

fem::ConductivityTensors build_tensors(const CoefficientConfig& config, const mesh::Mesh& mesh) {
  fem::ConductivityTensors result;
  for (const TensorConfig& entry : config.tensors) {
    at(entry.origin, [&] {
      const Eigen::Matrix3d tensor = std::visit(
          Overloaded{[&](const AnisotropyConfig& axial) {
                       return fem::axial_tensor(axial.ratio, axis_of(axial, mesh.dimension()));
                     },
                     [&](const std::vector<std::vector<double>>& rows) { return tensor_of(rows, mesh.dimension()); }},
          entry.value);
      fem::add_tensor(result, mesh, entry.region, tensor);
    });
  }
  return result;
}

}  // namespace varimesh::run
