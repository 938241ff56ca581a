#include "varimesh/run/snap_sensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "varimesh/error.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/surface.h"
#include "varimesh/number_words.h"
#include "varimesh/quote.h"

namespace varimesh::run {
namespace {

constexpr std::size_t enough = 100;  // sensors far outside, to know that the file is in other coordinates

/// "wells.csv:7: 'B 12' at (3.1, 4) is 0.02 outside"
std::string describe_outside(const Sensors& sensors, std::size_t s, int dimension, double distance) {
  const Point& x = sensors.points[s];
  const bool labelled = !sensors.labels.empty() && !sensors.labels[s].empty();
  return fmt::format("{}{} at ({:.6g}) is {:.3g} outside", sensors.origin.empty() ? "" : sensors.origin[s] + ": ",
                     labelled ? quote(sensors.labels[s]) : fmt::format("sensor {}", s),
                     fmt::join(x.data(), x.data() + dimension, ", "), distance);
}

/// A list of at most so many.
std::string list(const std::vector<std::string>& texts) {
  constexpr std::size_t most = 20;
  std::string result = fmt::format("{}", fmt::join(texts.begin(), texts.begin() + std::min(most, texts.size()), "; "));
  if (texts.size() > most) result += fmt::format("; and {} more", texts.size() - most);
  return result;
}

/// A point on the surface, moved so little into its cell that rounding does not put it outside.
std::optional<Point> inside(const mesh::Mesh& mesh, const mesh::PointLocator& locator, const mesh::SurfacePoint& at) {
  const Point centre = mesh::centroid(mesh, at.cell);
  for (const double share : {0., 1e-9, 1e-7, 1e-5, 1e-3, 1e-2}) {
    Point moved = at.point + share * (centre - at.point);
    if (locator.find(moved)) return moved;
  }
  return std::nullopt;
}

}  // namespace

void snap_sensors(const mesh::Mesh& mesh, std::optional<double> tolerance, Sensors& sensors) {
  if (!sensors.nodes.empty()) return;
  const mesh::PointLocator locator(mesh);
  std::vector<std::size_t> outside;
  for (std::size_t s = 0; s < sensors.points.size(); ++s)
    if (!locator.find(sensors.points[s])) outside.push_back(s);
  if (outside.empty()) return;
  const mesh::Surface surface(mesh);
  std::vector<std::string> moved, refused;
  std::vector<std::pair<std::size_t, Point>> places;
  for (const std::size_t s : outside) {
    if (refused.size() == enough) break;
    const mesh::SurfacePoint nearest = surface.nearest(sensors.points[s]);
    const double most = tolerance.value_or(default_snap * mesh::diameter(mesh, nearest.cell));
    const auto place = nearest.distance <= most ? inside(mesh, locator, nearest) : std::nullopt;
    (place ? moved : refused).push_back(describe_outside(sensors, s, mesh.dimension(), nearest.distance));
    if (!place) continue;
    places.emplace_back(s, *place);
    sensors.furthest = std::max(sensors.furthest, nearest.distance);
  }
  const std::string limit = tolerance ? fmt::format("{:.3g} (observations.snap)", *tolerance)
                                      : fmt::format("{} of the nearest cell's diameter", default_snap);
  if (!refused.empty())
    throw InputError(fmt::format("{}{} outside the mesh by more than {}: {}",
                                 refused.size() == enough ? "at least " : "", counted(std::ssize(refused), "sensor"),
                                 limit, list(refused)));
  for (const auto& [s, place] : places) sensors.points[s] = place;
  sensors.moved = static_cast<Index>(places.size());
  sensors.notes.push_back(
      fmt::format("{} outside the mesh by no more than {}, taken at the nearest point of its surface: "
                  "{}",
                  counted(sensors.moved, "sensor"), limit, list(moved)));
}

}  // namespace varimesh::run
