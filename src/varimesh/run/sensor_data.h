#pragma once

#include <optional>
#include <vector>

#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/io/csv.h"
#include "varimesh/mesh/mesh.h"
#include "varimesh/run/build_noise.h"
#include "varimesh/run/observable_config.h"

namespace varimesh::run {

/// Where the sensors are. Sensors given by node also have its number, and read u there exactly. Behind those that read
/// u at points are those that read something else, at their point or in the middle of their region.
struct Sensors {
  std::vector<Point> points;
  std::vector<Index> nodes;                  ///< empty, or one for each sensor that reads u at a point
  Vector sigma;                              ///< empty, or the noise of each
  std::vector<std::string> origin;           ///< empty, or "file:line" of each
  std::vector<std::string> labels = {};      ///< empty, or what each is called; some may be ""
  std::vector<std::string> notes = {};       ///< what was done with the file that its reader may not expect
  Index moved = 0;                           ///< how many were outside the mesh, and now lie on its surface
  double furthest = 0;                       ///< how far, at most
  std::vector<QuantityConfig> further = {};  ///< what the last sensors read

  Index size() const { return static_cast<Index>(points.size()); }
  Index num_at_points() const { return static_cast<Index>(points.size() - further.size()); }
};

Sensors sensors_at_every_node(const mesh::Mesh& mesh);

/// From a table with the column `node`, or the columns x, y, z of the mesh's dimension, and optionally `sigma`. Rows at
/// the same place are one sensor. One further column has the sensors' labels: `label`, `name`, `well` or the like, else
/// the first with something that is no number. Others are ignored with a note, unless they look like a misspelt one.
Sensors read_sensors(const io::CsvTable& table, const mesh::Mesh& mesh);

/// Measurements and what they were measured with.
struct SensorData {
  Sensors sensors;
  NoiseModel noise;
  inverse::Observations observations;
};

/// From a table with positions and the column `value`, optionally `sigma` and `count`. Rows at the same place are
/// replicates of one sensor. The sigma of `noise` is used if the table has none; with `replicates` but one row a
/// sensor, the rows are means. Every fault is an InputError that names file and line.
SensorData read_sensor_data(const io::CsvTable& table, const mesh::Mesh& mesh, const NoiseConfig& noise,
                            std::optional<Index> replicates);

/// The readings of u at points as functionals of u on a mesh, which may be a refinement of the one the sensors were
/// read for.
fem::Functionals sensor_functionals(const Sensors& sensors, const mesh::Mesh& mesh,
                                    const fem::EllipticProblem& problem);

/// Columns and values of the positions of the first so many sensors, to be followed by further columns.
struct PositionColumns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
};
PositionColumns position_columns(const Sensors& sensors, Index count, int dimension);

}  // namespace varimesh::run
