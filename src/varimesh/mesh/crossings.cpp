#include "varimesh/mesh/crossings.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <map>
#include <set>
#include <span>

namespace varimesh::mesh {
namespace {

constexpr double touching = 1e-8;  // of a length in the mesh

/// Twice the area of a triangle in the plane, positive if a, b, c turn left.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Six times the volume of a tetrahedron, with a sign.
double volume(const Point& a, const Point& b, const Point& c, const Point& d) {
  return (b - a).cross(c - a).dot(d - a);
}

/// Whether two numbers have different signs, and neither is rounding.
bool differ(double a, double b, double rounding) {
  return (a > rounding && b < -rounding) || (a < -rounding && b > rounding);
}

/// Whether two segments in the plane cross at a point inside both.
bool segments_cross(const Point& a, const Point& b, const Point& c, const Point& d) {
  const double rounding = touching * (b - a).norm() * (d - c).norm();
  return differ(turn(a, b, c), turn(a, b, d), rounding) && differ(turn(c, d, a), turn(c, d, b), rounding);
}

/// Whether a segment in space passes through the inside of a triangle.
bool passes_through(const Point& from, const Point& to, const Point& a, const Point& b, const Point& c) {
  const double size = (to - from).norm(), area = (b - a).cross(c - a).norm(), rounding = touching * size * area;
  if (!differ(volume(a, b, c, from), volume(a, b, c, to), rounding)) return false;
  const double ab = volume(from, to, a, b), bc = volume(from, to, b, c), ca = volume(from, to, c, a);
  return (ab > rounding && bc > rounding && ca > rounding) || (ab < -rounding && bc < -rounding && ca < -rounding);
}

/// Whether an edge of the first facet passes through the second one.
bool crosses(const Mesh& mesh, std::span<const Index> first, std::span<const Index> second) {
  const auto at = [&](std::span<const Index> facet, std::size_t i) -> const Point& {
    return mesh.nodes[facet[i % facet.size()]];
  };
  if (mesh.dimension() == 2) return segments_cross(at(first, 0), at(first, 1), at(second, 0), at(second, 1));
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 2; j < second.size(); ++j) {
      if (passes_through(at(first, i), at(first, i + 1), at(second, 0), at(second, j - 1), at(second, j))) return true;
    }
  }
  return false;
}

/// One of a cell's sides, by its nodes.
struct Side {
  FacetKey key;
  Index cell;
};

std::vector<Side> list_sides(const Mesh& mesh) {
  std::vector<Side> sides;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    for (const auto& facet : topology(mesh.cell_type).facets) {
      std::array<Index, 4> nodes = {};
      std::ranges::transform(facet, nodes.begin(), [&](int i) { return mesh.cell(c)[i]; });
      sides.push_back({facet_key(std::span(nodes).first(facet.size())), c});
    }
  }
  std::ranges::sort(sides, {}, [](const Side& side) { return std::pair(side.key, side.cell); });
  return sides;
}

/// A normal of a side with these nodes.
Point normal_of(const Mesh& mesh, const FacetKey& key) {
  const auto last = std::span(key).last(static_cast<std::size_t>(topology(mesh.cell_type).nodes_per_facet));
  const Point& a = mesh.nodes[last[0]];
  if (last.size() == 1) return Point(1, 0, 0);
  const Point along = mesh.nodes[last[1]] - a;
  return last.size() == 2 ? Point(-along[1], along[0], 0) : Point(along.cross(mesh.nodes[last[2]] - a));
}

}  // namespace

std::vector<std::string> find_crossings(const Mesh& mesh, const Surface& surface, const CellBins& bins,
                                        std::size_t most) {
  std::vector<std::string> faults;
  const std::vector<Side> sides = list_sides(mesh);
  for (std::size_t i = 0; i + 1 < sides.size() && faults.size() < most; ++i) {
    if (sides[i].key != sides[i + 1].key) continue;
    const Index first = sides[i].cell, second = sides[i + 1].cell;
    const Point normal = normal_of(mesh, sides[i].key), &corner = mesh.nodes[sides[i].key[3]];
    if (i + 2 < sides.size() && sides[i + 2].key == sides[i].key)
      faults.push_back(
          fmt::format("cells {}, {} and {} have one side in common: cells overlap", first, second, sides[i + 2].cell));
    else if (normal.dot(centroid(mesh, first) - corner) * normal.dot(centroid(mesh, second) - corner) > 0)
      faults.push_back(
          fmt::format("cells {} and {} lie on the same side of the side that they share: they overlap", first, second));
    while (i + 1 < sides.size() && sides[i + 1].key == sides[i].key) ++i;
  }
  if (mesh.dimension() == 1) return faults;
  std::map<Index, std::vector<std::size_t>> facets_of_cell;
  for (std::size_t f = 0; f < surface.size(); ++f) facets_of_cell[surface.facets().cells[f]].push_back(f);
  std::set<std::pair<Index, Index>> found;
  for (std::size_t f = 0; f < surface.size() && faults.size() < most; ++f) {
    const Index cell = surface.facets().cells[f];
    const Point reach = Point::Constant(surface.radii()[f]), &centre = surface.centres()[f];
    bins.for_each_touching(centre - reach, centre + reach, [&](Index other) {
      const auto own = facets_of_cell.find(other);
      if (other == cell || own == facets_of_cell.end() || faults.size() >= most) return;
      for (const std::size_t g : own->second) {
        if (!crosses(mesh, surface.facet(f), surface.facet(g)) || !found.insert(std::minmax(cell, other)).second)
          continue;
        faults.push_back(fmt::format("sides of cells {} and {} cross near ({:.6g}): they overlap",
                                     std::min(cell, other), std::max(cell, other),
                                     fmt::join(centre.data(), centre.data() + mesh.dimension(), ", ")));
      }
    });
  }
  return faults;
}

}  // namespace varimesh::mesh
