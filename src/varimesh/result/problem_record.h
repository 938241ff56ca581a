#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"
#include "varimesh/noise/noise.h"
#include "varimesh/scalar_prior.h"
#include "varimesh/types.h"

namespace varimesh::result {

/// What people call things, for axes and captions; empty where the problem does not say.
struct Labels {
  std::string title;
  std::string u;             ///< what u is, "temperature" say
  std::string conductivity;  ///< what exp(kappa) is, "transmissivity" say
  std::string length_unit, u_unit, conductivity_unit;
  std::string flux_unit;  ///< of what flows through boundaries
};

/// The problem in words, a sentence each.
struct ProblemWords {
  std::string equation, mesh, sensors, prior, noise;
  std::string field;  ///< where the field comes from, if it was not inferred from these sensors: a clause
};

/// What was measured where, or is predicted; without measurements the three vectors are empty.
struct SensorRecord {
  std::vector<Point> points;
  Vector mean;                           ///< of each sensor's measurements
  Vector sigma;                          ///< standard deviation of one measurement, of Student-t noise its scale
  Vector count;                          ///< measurements
  std::vector<std::string> labels = {};  ///< empty, or what each is called; some may be ""
  std::vector<std::string> kinds = {};   ///< empty if all read u at points, or what each reads, "" for that
  /// Null: independent and normal, or read from a file, which has the words only.
  std::shared_ptr<const noise::Noise> noise = nullptr;

  /// What a sensor is called, "" if it has no label.
  std::string label(Index sensor) const { return labels.empty() ? "" : labels[static_cast<std::size_t>(sensor)]; }
  /// What a sensor reads, "" for u at a point.
  std::string kind(Index sensor) const { return kinds.empty() ? "" : kinds[static_cast<std::size_t>(sensor)]; }
};

/// A scalar to predict.
struct QuantityName {
  std::string name;   ///< the key in the problem file
  std::string label;  ///< for an axis: "log flux out through right"
};
std::vector<std::string> names_of(const std::vector<QuantityName>& quantities);

/// An unknown scalar, as a transform of a variable. Its values are among the quantities.
struct ScalarRecord {
  std::string name, unit;
  ScalarPrior prior;
  std::string prior_words;  ///< a clause
};

/// What has an unknown: cells, alone or together, or nodes.
enum class Support { cells, nodes };

/// A field of unknowns besides the coefficient.
struct FieldRecord {
  std::string name, unit;
  Support support = Support::cells;
  std::vector<Index> unknown_of_cell;  ///< empty if the unknowns are at the nodes
  Index size = 0;
};

/// What is known of the truth, of made-up data.
struct Truth {
  Vector kappa;       ///< of each unknown: the coefficient's, then other fields', then the variables of scalars
  Vector u;           ///< at each node
  Vector quantities;  ///< in the order of the problem's
};

/// What was inferred from what: enough to read, draw and compare results without the problem file.
struct ProblemRecord {
  Labels labels;
  ProblemWords words;
  std::string fingerprint;  ///< of the problem file and the files it names; results of one problem have the same
  mesh::Mesh mesh;          ///< without boundaries and regions if it was read from a result
  Support support = Support::cells;
  std::vector<Index> unknown_of_cell;  ///< -1 where kappa is known; empty if the unknowns are at the nodes
  Vector known_kappa;                  ///< of each cell, NaN where it is not known; empty if it is nowhere
  /// D of each cell, whose conductivity is exp(kappa) D, row by row; empty if it is 1 everywhere.
  std::vector<double> conductivity_tensor;
  std::vector<Point> positions;       ///< of each of the coefficient's unknowns: its node, or the centroid of its cells
  std::vector<FieldRecord> fields;    ///< of unknowns behind the coefficient's
  std::vector<ScalarRecord> scalars;  ///< the unknowns behind all fields'
  SensorRecord sensors;               ///< no points if there are none
  std::vector<QuantityName> quantities;
  std::optional<Truth> truth;

  Index num_unknowns() const {
    Index sum = num_field_unknowns() + static_cast<Index>(scalars.size());
    for (const FieldRecord& field : fields) sum += field.size;
    return sum;
  }
  /// What an unknown behind the coefficient's is called: a scalar, or the field that it belongs to.
  std::string name_of(Index unknown) const;
  /// Those of the coefficient, which come first.
  Index num_field_unknowns() const { return static_cast<Index>(positions.size()); }
  /// The field's part of values of all unknowns; none if there are none.
  auto field_part(const Vector& values) const {
    return values.head(std::min<Eigen::Index>(values.size(), num_field_unknowns()));
  }
  Index num_sensors() const { return static_cast<Index>(sensors.points.size()); }
  bool on_nodes() const { return support == Support::nodes; }
  bool has_measurements() const { return sensors.mean.size() > 0; }
  /// Whether every cell has an unknown of its own, in order.
  bool one_unknown_per_cell() const;
  /// How many cells have a kappa that is known.
  Index num_known() const;
  /// The value of each cell's unknown; where kappa is known, the cell's entry of `known`, which is empty if it is
  /// nowhere.
  Vector on_cells(const Vector& of_unknown, const Vector& known) const;
};

}  // namespace varimesh::result
