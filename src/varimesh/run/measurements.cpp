#include "varimesh/run/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/quote.h"
#include "varimesh/run/build_observable.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/sensor_columns.h"
#include "varimesh/run/snap_sensors.h"

namespace varimesh::run {
namespace {

/// What one sensor has been found to read.
struct Replicates {
  std::vector<double> values;
  std::string place;  ///< file and line of the first
};
using NamedValues = std::map<std::string, Replicates>;

/// A file with the columns `name` and `value`.
NamedValues read_named(const InputFile& file) {
  const io::CsvTable table = read_csv(file, [](std::string_view column) { return column == "name"; });
  const auto name = table.find("name");
  if (!name) throw InputError(table.source + ": expected the columns 'name' and 'value', found no 'name'");
  const std::vector<double>& value = table.column("value");
  NamedValues result;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    Replicates& known = result[table.texts[*name][row]];
    if (known.values.empty()) known.place = fmt::format("{}:{}", table.source, table.lines[row]);
    known.values.push_back(value[row]);
  }
  return result;
}

/// Sensors that are no points where u is read, and the data of those that have some.
struct Further {
  Sensors sensors;
  std::vector<double> sigma;
  std::vector<std::vector<double>> values;  ///< of each sensor; none if not measured yet

  void add(QuantityConfig what, const Point& where, double sd, std::vector<double> measured) {
    sensors.points.push_back(where);
    sensors.labels.push_back(what.name);
    sensors.origin.push_back(what.origin);
    sensors.further.push_back(std::move(what));
    sigma.push_back(sd);
    values.push_back(std::move(measured));
  }
};

/// The points of a file: each a sensor, called by its label or by the entry's name and a number.
void add_file(const MeasurementConfig& config, const Config& problem, const mesh::Mesh& mesh, Further& result) {
  require_file(*config.file, config.quantity.origin);
  const io::CsvTable table = read_csv(*config.file, sensor_texts(mesh.dimension()));
  const bool measured = table.find("value").has_value();
  Sensors sensors;
  Vector sigma;
  std::map<Index, std::vector<double>> values;
  if (measured) {
    NoiseConfig noise;
    noise.sigma = config.sigma;
    SensorData data = read_sensor_data(table, mesh, noise, std::nullopt);
    sensors = std::move(data.sensors);
    // A mean of n measurements has the standard error sigma / sqrt(n).
    sigma = data.observations.weight.cwiseSqrt().cwiseInverse();
    for (Index s = 0; s < sensors.size(); ++s) values[s] = {data.observations.mean[s]};
  } else {
    sensors = read_sensors(table, mesh);
    sigma = sensors.sigma;
    if (sigma.size() == 0) {
      if (!config.sigma)
        throw InputError(fmt::format("{}: expected the key 'sigma', or a column 'sigma' in {}", config.quantity.origin,
                                     quote(config.file->string())));
      sigma = Vector::Constant(sensors.size(), *config.sigma);
    }
  }
  snap_sensors(mesh, problem.observations ? problem.observations->snap : std::nullopt, sensors);
  for (Index s = 0; s < sensors.size(); ++s) {
    const auto k = static_cast<std::size_t>(s);
    QuantityConfig one = config.quantity;
    one.origin = sensors.origin[k];
    const std::string label = sensors.labels.empty() ? "" : sensors.labels[k];
    one.name = label.empty() ? fmt::format("{} {}", config.quantity.name, s + 1) : label;
    one.point.assign(sensors.points[k].data(), sensors.points[k].data() + mesh.dimension());
    result.add(std::move(one), sensors.points[k], sigma[s], values[s]);
  }
  for (std::string& note : sensors.notes) result.sensors.notes.push_back(std::move(note));
}

inverse::Observations observe(const Further& further) {
  const auto n = std::ssize(further.values);
  Vector mean(n), count(n), scatter(n), sigma(n);
  for (Eigen::Index s = 0; s < n; ++s) {
    const auto& all = further.values[static_cast<std::size_t>(s)];
    const Eigen::Map<const Vector> values(all.data(), std::ssize(all));
    mean[s] = values.mean();
    count[s] = static_cast<double>(all.size());
    scatter[s] = (values.array() - mean[s]).square().sum();
    sigma[s] = further.sigma[static_cast<std::size_t>(s)];
  }
  return inverse::observe_groups(mean, count, scatter, sigma);
}

Vector join(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

/// Independent data of two groups of sensors, with normal errors.
inverse::Observations join(const inverse::Observations& a, const inverse::Observations& b) {
  inverse::Observations both = a;
  both.mean = join(a.mean, b.mean);
  both.sigma = join(a.sigma, b.sigma);
  both.count = join(a.count, b.count);
  both.weight = join(a.weight, b.weight);
  both.constant += b.constant;
  return both;
}

template <class Value>
void append(std::vector<Value>& list, std::vector<Value>& further) {
  list.insert(list.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
}

/// Puts them behind the sensors that are there. Labels, places and noise are for all sensors or for none.
void append(Further& further, Problem& problem) {
  if (!problem.sensors) problem.sensors.emplace();
  Sensors& sensors = *problem.sensors;
  const auto at_points = static_cast<std::size_t>(sensors.size());
  sensors.labels.resize(at_points);
  sensors.origin.resize(at_points);
  const Vector sigma = Eigen::Map<const Vector>(further.sigma.data(), std::ssize(further.sigma));
  if (at_points == 0) problem.noise.emplace();
  if (problem.noise) {
    if (sensors.sigma.size() == 0) sensors.sigma = problem.noise->sigma;
    sensors.sigma = problem.noise->sigma = join(problem.noise->sigma, sigma);
  }
  append(sensors.points, further.sensors.points);
  append(sensors.labels, further.sensors.labels);
  append(sensors.origin, further.sensors.origin);
  append(sensors.notes, further.sensors.notes);
  append(sensors.further, further.sensors.further);
}

/// Values from the file of named measurements, for those that have none of their own.
void take_named(const ObservationConfig& config, Data data, Further& further) {
  if (data == Data::required) require_file(*config.named, config.named_origin, ": 'varimesh simulate' can make one");
  if (!file_exists(config.named->path())) return;
  NamedValues named = read_named(*config.named);
  for (std::size_t s = 0; s < further.values.size(); ++s) {
    const auto found = named.find(further.sensors.labels[s]);
    if (found == named.end()) continue;
    if (!further.values[s].empty())
      throw InputError(fmt::format("{}: {} has a value in the problem, too: expected one", found->second.place,
                                   quote(found->first)));
    further.values[s] = std::move(found->second.values);
    named.erase(found);
  }
  if (!named.empty())
    throw InputError(fmt::format("{}: {} is none of the problem's [measurements], or is there twice",
                                 named.begin()->second.place, quote(named.begin()->first)));
}

}  // namespace

void add_measurements(const Config& config, Data data, Problem& problem) {
  if (config.measurements.empty()) return;
  if (const NoiseConfig noise = config.noise(); noise.relative || noise.kind.index() > 0)
    throw InputError(
        noise.origin +
        ": expected independent, normal errors with a given sigma, as [measurements] have them, found others");
  const mesh::Mesh& mesh = problem.equation.mesh;
  Further further;
  for (const MeasurementConfig& measurement : config.measurements) {
    if (measurement.file) {
      add_file(measurement, config, mesh, further);
    } else {
      const Point where = at(measurement.quantity.origin, [&] { return position(measurement.quantity, mesh); });
      further.add(measurement.quantity, where, *measurement.sigma, measurement.values);
    }
  }
  if (data != Data::ignored && config.observations && config.observations->named)
    take_named(*config.observations, data, further);
  const auto missing = std::ranges::find_if(further.values, [](const auto& values) { return values.empty(); });
  if (data == Data::required && missing != further.values.end())
    throw InputError(fmt::format("{}: missing the key 'measured', or a file observations.named that has the value",
                                 further.sensors.origin[static_cast<std::size_t>(missing - further.values.begin())]));
  const bool complete = data != Data::ignored && missing == further.values.end();
  if (!complete) {
    problem.observations.reset();
  } else if (problem.observations) {
    problem.observations = join(*problem.observations, observe(further));
  } else if (!problem.sensors) {
    problem.observations = observe(further);
  }
  append(further, problem);
  problem.model = build_model(*problem.sensors, problem.equation);
}

std::shared_ptr<const inverse::EllipticModel> build_model(const Sensors& sensors, const Equation& equation) {
  std::vector<fem::Observable> further;
  for (const QuantityConfig& config : sensors.further) further.push_back(build_observable(config, equation));
  return std::make_shared<const inverse::EllipticModel>(
      equation.problem, sensor_functionals(sensors, equation.mesh, *equation.problem), std::move(further));
}

}  // namespace varimesh::run
