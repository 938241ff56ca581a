#include "varimesh/io/data_group.h"

#include <numeric>
#include <utility>

#include "varimesh/io/posterior_layout.h"

namespace varimesh::io {

DataGroup::DataGroup(NetcdfGroup group, const result::ProblemRecord& problem, Index chains, Index draws)
    : group_(std::move(group)),
      problem_(problem),
      lengths_{{"chain", static_cast<std::size_t>(chains)},
               {"draw", static_cast<std::size_t>(draws)},
               {"cell", problem.positions.size()},
               {"sensor", problem.sensors.points.size()},
               {"node", problem.mesh.nodes.size()},
               {"mesh_cell", static_cast<std::size_t>(problem.mesh.num_cells())},
               {"vertex", static_cast<std::size_t>(mesh::topology(problem.mesh.cell_type).num_nodes)},
               {"space", static_cast<std::size_t>(problem.mesh.dimension())},
               {"quantity", problem.quantities.size()},
               {"scalar", problem.scalars.size()},
               {"unknown", static_cast<std::size_t>(problem.num_unknowns())}} {
  for (const result::FieldRecord& field : problem.fields)
    lengths_[field_dimension(field)] = static_cast<std::size_t>(field.size);
}

NetcdfVariable DataGroup::add(const std::string& name, const std::vector<std::string>& dimensions, NetcdfType type) {
  std::string coordinates;
  for (const std::string& dimension : dimensions) {
    add_dimension(dimension);
    coordinates += auxiliary_[dimension];
  }
  NetcdfVariable variable = group_.add_variable(name, dimensions, type);
  if (!coordinates.empty()) variable.set("coordinates", coordinates.substr(1));
  return variable;
}

void DataGroup::add(const std::string& name, const std::string& dimension, const Vector& values) {
  if (values.size() > 0) add(name, std::vector{dimension}).write(values);
}

void DataGroup::add_dimension(const std::string& dimension) {
  if (!made_.insert(dimension).second) return;
  group_.add_dimension(dimension, lengths_.at(dimension));
  if (dimension == "chain" || dimension == "draw") number(dimension);
  if (dimension == unknown_dimension(problem_)) locate(dimension, problem_.positions);
  if (dimension == "sensor") locate(dimension, problem_.sensors.points);
}

void DataGroup::number(const std::string& dimension) const {
  std::vector<Index> numbers(lengths_.at(dimension));
  std::iota(numbers.begin(), numbers.end(), 0);
  group_.add_variable(dimension, {dimension}, NetcdfType::int64).write(numbers);
}

void DataGroup::locate(const std::string& dimension, const std::vector<Point>& points) {
  number(dimension);
  for (int axis = 0; axis < problem_.mesh.dimension(); ++axis) {
    std::vector<double> values;
    for (const Point& point : points) values.push_back(point[axis]);
    group_.add_variable(axis_of(dimension, axis), {dimension}).write(values);
    auxiliary_[dimension].append(" ").append(axis_of(dimension, axis));
  }
  // xarray looks here for coordinates that no variable names.
  all_auxiliary_ += auxiliary_[dimension];
  group_.set("coordinates", all_auxiliary_.substr(1));
}

}  // namespace varimesh::io
