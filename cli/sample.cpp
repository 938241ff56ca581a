#include "varimesh/run/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "commands.h"
#include "output.h"
#include "status_line.h"
#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/io/csv.h"
#include "varimesh/io/geotiff.h"
#include "varimesh/number_words.h"
#include "varimesh/quote.h"
#include "varimesh/run/sensor_columns.h"

namespace varimesh::cli {
namespace {

/// Columns to stand before the results, cell by cell as text, and where they are.
struct Places {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> cells;  ///< by column
  std::vector<Point> points;
};

/// "0.5,1" as a point.
Point parse_point(const std::string& text, const char* option, int dimension) {
  Point point = Point::Zero();
  const char *at = text.data(), *end = at + text.size();
  for (int d = 0; d < dimension; ++d) {
    if (d > 0 && at < end && *at == ',') ++at;
    const auto [next, error] = std::from_chars(at, end, point[d]);
    if (error != std::errc{} || !std::isfinite(point[d])) at = nullptr;
    if (!at) break;
    at = next;
  }
  if (at != end)
    throw InputError(fmt::format("{}: expected {} with commas between, such as 0.5{}, found {}", option,
                                 counted(dimension, "coordinate"), dimension > 1 ? ",1" : "", quote(text)));
  return point;
}

Places read_places(const std::filesystem::path& file, int dimension) {
  const io::CsvTable table = io::read_csv(file, [](std::string_view column) {
    return std::ranges::find(run::axis_names, column) == run::axis_names.end();
  });
  Places places{table.columns, {}, std::vector<Point>(table.num_rows(), Point::Zero())};
  for (int d = 0; d < dimension; ++d) {
    const std::vector<double>& axis = table.column(run::axis_names[static_cast<std::size_t>(d)]);
    for (std::size_t row = 0; row < axis.size(); ++row) places.points[row][d] = axis[row];
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    auto& cells = places.cells.emplace_back(table.texts[c]);
    for (const double value : table.values[c]) cells.push_back(fmt::format("{}", value));
  }
  return places;
}

Places place_line(const SampleOptions& options, int dimension) {
  const Point from = parse_point(options.from, "--from", dimension), to = parse_point(options.to, "--to", dimension);
  Places places{{"distance"}, {{}}, run::points_on_line(from, to, options.count)};
  for (const Point& x : places.points) places.cells[0].push_back(fmt::format("{}", (x - from).norm()));
  for (int d = 0; d < dimension; ++d) {
    places.columns.emplace_back(run::axis_names[static_cast<std::size_t>(d)]);
    auto& cells = places.cells.emplace_back();
    for (const Point& x : places.points) cells.push_back(fmt::format("{}", x[d]));
  }
  return places;
}

std::string format_table(const Places& places, const run::Samples& samples) {
  std::string text;
  const auto add = [&](std::string_view cell) {
    text.append(text.empty() || text.back() == '\n' ? "" : ",").append(cell);
  };
  // What the file says under a name of ours gives way.
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < places.columns.size(); ++c)
    if (std::ranges::count(samples.names, places.columns[c]) == 0) kept.push_back(c);
  for (const std::size_t c : kept) add(io::csv_cell(places.columns[c]));
  for (const std::string& name : samples.names) add(name);
  text += '\n';
  for (std::size_t row = 0; row < places.points.size(); ++row) {
    bool first = true;
    const auto next = [&](std::string_view cell) {
      text.append(first ? "" : ",").append(cell);
      first = false;
    };
    for (const std::size_t c : kept) next(io::csv_cell(places.cells[c][row]));
    for (const std::vector<double>& values : samples.values) next(fmt::format("{}", values[row]));
    text += '\n';
  }
  return text;
}

/// The one result that is meant.
std::filesystem::path choose_result(const SampleOptions& options) {
  const std::vector<std::filesystem::path> found = run::find_results(options.results);
  std::vector<std::string> names;
  for (const auto& directory : found) names.push_back(directory.filename().string());
  if (options.method.empty() && found.size() == 1) return found.front();
  if (options.method.empty())
    throw InputError(
        fmt::format("{}: expected the option --method with one of {}", options.results.string(), quote_list(names)));
  const auto place = std::ranges::find(names, options.method);
  if (place == names.end())
    throw InputError(fmt::format("--method: expected one of {}, found {}", quote_list(names), quote(options.method)));
  return found[static_cast<std::size_t>(place - names.begin())];
}

void check_options(const SampleOptions& options) {
  const bool line = !options.from.empty() || !options.to.empty();
  const int ways = (options.points.empty() ? 0 : 1) + (line ? 1 : 0) + (options.raster > 0 ? 1 : 0);
  if (ways != 1)
    throw InputError("expected either a file of points, a line (--from and --to) or a raster (--raster), found " +
                     std::string(ways == 0 ? "none" : "several"));
  if (line && (options.from.empty() || options.to.empty()))
    throw InputError("expected both --from and --to, the ends of a line");
  if (options.epsg && options.raster == 0) throw InputError("--epsg: allowed only with --raster");
}

}  // namespace

ExitCode run_sample(SampleOptions options) {
  check_options(options);
  std::optional<StatusLine> status("reading the result");
  const run::StoredResult stored = run::read_result(choose_result(options));
  const mesh::Mesh& mesh = stored.problem.mesh;
  run::Samples samples;
  if (options.raster > 0) {
    const run::PixelGrid grid = run::pixels_over(mesh, options.raster);
    samples = run::sample_result(stored, grid.centres);
    if (options.out.empty()) options.out = options.results / "fields.tif";
    write_file(options.out, io::format_geotiff({grid.columns, grid.rows, grid.upper_left[0], grid.upper_left[1],
                                                grid.step, samples.names, samples.values, options.epsg}));
  } else {
    const Places places =
        options.points.empty() ? place_line(options, mesh.dimension()) : read_places(options.points, mesh.dimension());
    samples = run::sample_result(stored, places.points);
    const std::string text = format_table(places, samples);
    status.reset();
    if (options.out.empty())
      print("{}", text);
    else
      write_file(options.out, text);
  }
  status.reset();
  if (samples.outside > 0 && options.raster == 0)
    print_error("note: {} outside the mesh, with nan\n", counted(samples.outside, "point"));
  if (samples.sd_is_bound)
    print_error("note: u_sd is interpolated between nodes, an upper bound: the result has no draws of u\n");
  if (!options.out.empty()) print("written  {}\n", options.out.string());
  return success;
}

}  // namespace varimesh::cli
