#include "varimesh/run/field_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "varimesh/error.h"
#include "varimesh/io/esri_grid.h"
#include "varimesh/run/build_step.h"
#include "varimesh/run/nearest_point.h"
#include "varimesh/run/sensor_columns.h"

namespace varimesh::run {
namespace {

std::string words_of_place(const Point& x, int dimension) {
  return fmt::format("({:.6g})", fmt::join(x.data(), x.data() + dimension, ", "));
}

/// Values on a grid, x running fastest.
struct Grid {
  std::string source;
  int dimension = 0;
  std::array<std::vector<double>, 3> axes;  ///< ascending
  std::vector<double> values;               ///< NaN where there is none

  double operator()(const Point& x) const;
};

/// The step of an axis that a coordinate is in, and how far.
struct Place {
  std::size_t step = 0;
  double share = 0;
};

Place place_on(const std::vector<double>& axis, double x, bool& outside) {
  const std::size_t last = axis.size() - 1;
  // A single value holds everywhere along its axis.
  if (last == 0) return {0, 0};
  const double before = 0.5 * (axis[1] - axis[0]), after = 0.5 * (axis[last] - axis[last - 1]);
  outside = outside || !(x >= axis[0] - before && x <= axis[last] + after);
  const auto above = std::upper_bound(axis.begin(), axis.end(), x) - axis.begin();
  const auto step =
      static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(last) - 1));
  return {step, std::clamp((x - axis[step]) / (axis[step + 1] - axis[step]), 0., 1.)};
}

double Grid::operator()(const Point& x) const {
  std::array<Place, 3> places{};
  bool outside = false;
  for (int d = 0; d < dimension; ++d) places[d] = place_on(axes[d], x[d], outside);
  if (outside)
    throw InputError(
        fmt::format("{}: there is no value at {}, which is outside", source, words_of_place(x, dimension)));
  // sum over the corners of prod_d (1 - share_d) or share_d
  double sum = 0;
  for (int corner = 0; corner < 1 << dimension; ++corner) {
    double weight = 1;
    std::size_t index = 0;
    for (int d = dimension - 1; d >= 0; --d) {
      const bool upper = (corner >> d & 1) != 0;
      weight *= upper ? places[d].share : 1 - places[d].share;
      index = index * axes[d].size() + std::min(places[d].step + (upper ? 1 : 0), axes[d].size() - 1);
    }
    if (weight == 0) continue;
    if (std::isnan(values[index]))
      throw InputError(fmt::format("{}: there is no data at {}", source, words_of_place(x, dimension)));
    sum += weight * values[index];
  }
  return sum;
}

ScalarFunction share(Grid grid) {
  return [grid = std::make_shared<const Grid>(std::move(grid))](const Point& x) { return (*grid)(x); };
}

ScalarFunction read_raster(const InputFile& file, int dimension) {
  if (dimension != 2)
    throw InputError(
        fmt::format("{}: a raster is for a plane mesh, expected a CSV file on one in {}D", file.string(), dimension));
  io::EsriGrid raster = io::parse_esri_grid(*file.bytes(io::most_grid_bytes), file.string());
  Grid grid{file.string(), 2, {}, std::move(raster.values)};
  for (std::size_t i = 0; i < raster.columns; ++i)
    grid.axes[0].push_back(raster.x + static_cast<double>(i) * raster.step_x);
  for (std::size_t j = 0; j < raster.rows; ++j)
    grid.axes[1].push_back(raster.y + static_cast<double>(j) * raster.step_y);
  return share(std::move(grid));
}

/// The rows' points as a grid, if they fill one.
bool fill_grid(const std::vector<Point>& points, const std::vector<double>& values, Grid& grid) {
  double cells = 1;
  for (int d = 0; d < grid.dimension; ++d) {
    std::vector<double>& axis = grid.axes[d];
    for (const Point& x : points) axis.push_back(x[d]);
    std::ranges::sort(axis);
    axis.erase(std::ranges::unique(axis).begin(), axis.end());
    cells *= static_cast<double>(axis.size());
  }
  if (cells != static_cast<double>(points.size())) return false;
  grid.values.resize(points.size());
  // As many rows as places, none of them twice: all are there.
  for (std::size_t row = 0; row < points.size(); ++row) {
    std::size_t index = 0;
    for (int d = grid.dimension - 1; d >= 0; --d) {
      const std::vector<double>& axis = grid.axes[d];
      const auto at_axis = std::ranges::lower_bound(axis, points[row][d]) - axis.begin();
      index = index * axis.size() + static_cast<std::size_t>(at_axis);
    }
    grid.values[index] = values[row];
  }
  return true;
}

void reject_twins(const io::CsvTable& table, const std::vector<Point>& points, int dimension) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t row) { return std::array{points[row][0], points[row][1], points[row][2]}; };
  std::ranges::stable_sort(order, {}, key);
  const auto twin = std::ranges::adjacent_find(order, {}, key);
  if (twin != order.end())
    throw InputError(fmt::format("{}:{}: expected one value at {}, found another one in line {}", table.source,
                                 table.lines[twin[1]], words_of_place(points[*twin], dimension), table.lines[*twin]));
}

ScalarFunction read_table(const InputFile& file, const std::string& column, int dimension) {
  std::vector<std::string> needed(axis_names.begin(), axis_names.begin() + dimension);
  needed.push_back(column);
  const io::CsvTable table =
      read_csv(file, [&](std::string_view name) { return std::ranges::find(needed, name) == needed.end(); });
  std::vector<Point> points(table.num_rows(), Point::Zero());
  for (int d = 0; d < dimension; ++d) {
    const std::vector<double>& axis = table.column(axis_names[d]);
    for (std::size_t row = 0; row < points.size(); ++row) points[row][d] = axis[row];
  }
  const std::vector<double>& values = table.column(column);
  reject_twins(table, points, dimension);
  Grid grid{file.string(), dimension, {}, {}};
  if (fill_grid(points, values, grid)) return share(std::move(grid));
  return [nearest = std::make_shared<const NearestPoint>(std::move(points), dimension), values](const Point& x) {
    return values[nearest->find(x)];
  };
}

}  // namespace

ScalarFunction read_field_file(const InputFile& file, const std::string& column, int dimension) {
  return file.path().extension() == ".asc" ? read_raster(file, dimension) : read_table(file, column, dimension);
}

}  // namespace varimesh::run
