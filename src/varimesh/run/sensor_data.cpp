#include "varimesh/run/sensor_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "varimesh/error.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/quote.h"
#include "varimesh/run/sensor_columns.h"

namespace varimesh::run {
namespace {

constexpr std::size_t longest_label = 200;

[[noreturn]] void fail(const io::CsvTable& table, std::size_t row, const std::string& what) {
  throw InputError(fmt::format("{}:{}: {}", table.source, table.lines[row], what));
}

/// Sensors, and the sensor of each row.
struct Grouping {
  Sensors sensors;
  std::vector<std::size_t> of_row;
};

/// The label of each sensor, that of its first row.
void add_labels(const io::CsvTable& table, const std::vector<std::string>& labels, Grouping& grouping) {
  constexpr std::size_t most_notes = 5;
  std::size_t different = 0;
  Sensors& sensors = grouping.sensors;
  std::vector<std::size_t> first(sensors.points.size(), labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row].size() > longest_label)
      fail(table, row,
           fmt::format("expected a label of at most {} characters, found {}", longest_label, labels[row].size()));
    std::size_t& known = first[grouping.of_row[row]];
    if (known == labels.size()) {
      known = row;
      sensors.labels.push_back(labels[row]);
    } else if (labels[known] != labels[row] && ++different <= most_notes) {
      sensors.notes.push_back(
          fmt::format("{}: lines {} and {} are at one place, so they count as one sensor, {}, not {}", table.source,
                      table.lines[known], table.lines[row], quote(labels[known]), quote(labels[row])));
    }
  }
}

Grouping group_rows(const io::CsvTable& table, const mesh::Mesh& mesh) {
  const int dimension = mesh.dimension();
  const FurtherColumns further = sort_columns(table, dimension);
  const bool by_node = table.find("node").has_value();
  const auto is_column = [&](const char* axis) { return table.find(axis).has_value(); };
  if (by_node && std::any_of(axis_names.begin(), axis_names.begin() + dimension, is_column))
    throw InputError(table.source + ": expected the column 'node' or coordinates, found both");
  std::vector<const std::vector<double>*> place;
  if (by_node) {
    place.push_back(&table.column("node"));
  } else {
    for (int axis = 0; axis < dimension; ++axis) place.push_back(&table.column(axis_names[axis]));
  }
  Grouping result;
  std::map<std::array<double, 3>, std::size_t> known;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    std::array<double, 3> key{};
    for (std::size_t k = 0; k < place.size(); ++k) key[k] = (*place[k])[row];
    const auto [found, inserted] = known.emplace(key, result.sensors.points.size());
    result.of_row.push_back(found->second);
    if (!inserted) continue;
    result.sensors.origin.push_back(fmt::format("{}:{}", table.source, table.lines[row]));
    if (by_node) {
      if (key[0] != std::floor(key[0]) || key[0] < 0 || key[0] >= mesh.num_nodes())
        fail(table, row, fmt::format("expected a node from 0 to {}, found {}", mesh.num_nodes() - 1, key[0]));
      const auto node = static_cast<Index>(key[0]);
      result.sensors.nodes.push_back(node);
      result.sensors.points.push_back(mesh.nodes[node]);
    } else {
      result.sensors.points.emplace_back(key[0], key[1], key[2]);
    }
  }
  if (further.labels) add_labels(table, table.texts[*further.labels], result);
  if (!further.ignored.empty())
    result.sensors.notes.push_back(
        fmt::format("{}: the column{} {} {} ignored{}", table.source, further.ignored.size() == 1 ? "" : "s",
                    quote_list(further.ignored), further.ignored.size() == 1 ? "is" : "are",
                    std::ranges::count(further.ignored, "z") > 0 ? fmt::format(" (the mesh is {}D)", dimension) : ""));
  return result;
}

/// A column of which all rows of a sensor must agree, reduced to one value a sensor.
Vector one_per_sensor(const io::CsvTable& table, const char* column, const Grouping& grouping) {
  const std::vector<double>& values = table.column(column);
  Vector result = Vector::Constant(grouping.sensors.size(), -1);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!(values[row] > 0))
      fail(table, row, fmt::format("{}: expected a positive number, found {}", column, values[row]));
    double& known = result[static_cast<Eigen::Index>(grouping.of_row[row])];
    if (known > 0 && known != values[row])
      fail(table, row,
           fmt::format("{}: expected {} as in the other rows of this sensor, found {}", column, known, values[row]));
    known = values[row];
  }
  return result;
}

}  // namespace

Sensors sensors_at_every_node(const mesh::Mesh& mesh) {
  Sensors sensors{mesh.nodes, {}, {}, {}};
  for (Index v = 0; v < mesh.num_nodes(); ++v) sensors.nodes.push_back(v);
  return sensors;
}

Sensors read_sensors(const io::CsvTable& table, const mesh::Mesh& mesh) {
  Grouping grouping = group_rows(table, mesh);
  if (table.find("sigma")) grouping.sensors.sigma = one_per_sensor(table, "sigma", grouping);
  return std::move(grouping.sensors);
}

SensorData read_sensor_data(const io::CsvTable& table, const mesh::Mesh& mesh, const NoiseConfig& noise,
                            std::optional<Index> replicates) {
  const Grouping grouping = group_rows(table, mesh);
  const Index n = grouping.sensors.size();
  const std::vector<double>& value = table.column("value");

  const Vector own_sigma = table.find("sigma") ? one_per_sensor(table, "sigma", grouping) : Vector();
  const std::optional<NoiseModel> model = build_noise(noise, grouping.sensors.points, own_sigma, mesh.dimension());
  if (!model)
    throw InputError(table.source + ": expected a column 'sigma' or the key observations.sigma, found neither");
  const auto with = [&](const Measurements& measured) {
    // What a table gets wrong names the sensor; what the noise needs, the problem file.
    return SensorData{grouping.sensors, *model, observe(*model, measured)};
  };

  Vector rows = Vector::Zero(n), mean = Vector::Zero(n), scatter = Vector::Zero(n);
  std::vector<std::vector<double>> own(static_cast<std::size_t>(n));
  for (std::size_t row = 0; row < value.size(); ++row) {
    const auto s = static_cast<Eigen::Index>(grouping.of_row[row]);
    rows[s] += 1;
    // Welford's update of mean and sum of squared deviations
    const double deviation = value[row] - mean[s];
    mean[s] += deviation / rows[s];
    scatter[s] += deviation * (value[row] - mean[s]);
    own[grouping.of_row[row]].push_back(value[row]);
  }
  std::vector<Vector> each;
  for (const std::vector<double>& values : own)
    each.emplace_back(Eigen::Map<const Vector>(values.data(), std::ssize(values)));
  const bool one_row_each = (rows.array() == 1).all();
  const auto first_with_rows = [&](auto predicate) {
    std::size_t row = 0;
    while (row < value.size() && !predicate(rows[static_cast<Eigen::Index>(grouping.of_row[row])])) ++row;
    return row;
  };

  if (table.find("count")) {
    if (replicates)
      throw InputError(table.source +
                       ": the number of replicates is both the column 'count' and a key of the problem: expected one");
    if (!one_row_each)
      fail(table, first_with_rows([](double r) { return r > 1; }),
           "expected one row a sensor beside a column 'count', found several");
    for (std::size_t row = 0; row < value.size(); ++row) {
      const double count = table.column("count")[row];
      if (count != std::floor(count)) fail(table, row, fmt::format("count: expected a whole number, found {}", count));
    }
    return with({mean, one_per_sensor(table, "count", grouping), {}, {}});
  }
  if (replicates && *replicates > 1 && one_row_each) return with({mean, Vector::Constant(n, *replicates), {}, {}});
  if (replicates) {
    const std::size_t row = first_with_rows([&](double r) { return r != *replicates; });
    if (row < value.size())
      fail(table, row,
           fmt::format("expected {} rows for this sensor (observations.replicates), found {}", *replicates,
                       rows[static_cast<Eigen::Index>(grouping.of_row[row])]));
  }
  return with({mean, rows, std::move(each), scatter});
}

fem::Functionals sensor_functionals(const Sensors& sensors, const mesh::Mesh& mesh,
                                    const fem::EllipticProblem& problem) {
  // Refinement keeps the numbers of the coarse nodes.
  if (!sensors.nodes.empty()) return inverse::sensors_at_nodes(sensors.nodes, problem);
  const std::vector<Point> points(sensors.points.begin(), sensors.points.begin() + sensors.num_at_points());
  return inverse::sensors_at_points(mesh, points, problem, [&](std::size_t s) {
    return sensors.origin.empty() ? fmt::format("sensor {}", s) : sensors.origin[s] + ": the sensor";
  });
}

PositionColumns position_columns(const Sensors& sensors, Index count, int dimension) {
  PositionColumns columns;
  if (!sensors.nodes.empty() && count <= std::ssize(sensors.nodes)) {
    columns.names.emplace_back("node");
    columns.values.emplace_back(sensors.nodes.begin(), sensors.nodes.begin() + count);
    return columns;
  }
  for (int axis = 0; axis < dimension; ++axis) {
    columns.names.emplace_back(axis_names[axis]);
    auto& values = columns.values.emplace_back();
    for (Index s = 0; s < count; ++s) values.push_back(sensors.points[static_cast<std::size_t>(s)][axis]);
  }
  return columns;
}

}  // namespace varimesh::run
