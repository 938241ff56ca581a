#include "varimesh/mesh/conformity.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "varimesh/mesh/cell_bins.h"
#include "varimesh/mesh/crossings.h"
#include "varimesh/mesh/surface.h"

namespace varimesh::mesh {
namespace {

constexpr std::size_t most_faults = 20;
constexpr double near = 1e-8;  // of a cell's diameter, or in its reference coordinates

/// Whether a point is inside a cell, by more than rounding: on the inner side of every facet.
bool strictly_inside(const Mesh& mesh, Index cell, const Point& x) {
  const Point centre = centroid(mesh, cell);
  const double margin = near * diameter(mesh, cell);
  for (const auto& facet : topology(mesh.cell_type).facets) {
    std::array<Point, 4> corner;
    corner.fill(Point::Zero());
    for (std::size_t i = 0; i < facet.size(); ++i) corner[i] = mesh.nodes[mesh.cell(cell)[facet[i]]];
    Point normal = Point(1, 0, 0);
    if (facet.size() == 2) normal = Point(corner[1][1] - corner[0][1], corner[0][0] - corner[1][0], 0);
    if (facet.size() == 3) normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    if (facet.size() == 4) normal = (corner[2] - corner[0]).cross(corner[3] - corner[1]);
    normal.normalize();
    if (normal.dot(centre - corner[0]) > 0) normal = -normal;
    if (normal.dot(x - corner[0]) > -margin) return false;
  }
  return true;
}

std::string place(const Mesh& mesh, const Point& x) {
  return fmt::format("({:.6g})", fmt::join(x.data(), x.data() + mesh.dimension(), ", "));
}

}  // namespace

std::vector<std::string> find_faults(const Mesh& mesh) {
  std::vector<std::string> faults;
  const auto add = [&](std::string fault) {
    if (faults.size() < most_faults) faults.push_back(std::move(fault));
  };
  // Two nodes at one place
  std::vector<Index> order(mesh.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](Index n) { return std::array{mesh.nodes[n][0], mesh.nodes[n][1], mesh.nodes[n][2]}; };
  std::ranges::sort(order, {}, [&](Index n) { return std::pair(key(n), n); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (key(order[i - 1]) == key(order[i]))
      add(fmt::format("nodes {} and {} are both at {}: nothing flows between the cells on either side", order[i - 1],
                      order[i], place(mesh, mesh.nodes[order[i]])));
  }
  // A node of the surface in the middle of one of its facets
  const Surface surface(mesh);
  std::vector<char> outer(mesh.nodes.size(), 0);
  for (const Index n : surface.facets().nodes) outer[n] = 1;
  const CellBins bins(mesh);
  std::map<Index, std::vector<std::size_t>> facets_of_cell;
  for (std::size_t f = 0; f < surface.size(); ++f) facets_of_cell[surface.facets().cells[f]].push_back(f);
  const auto has_node = [&](Index c, Index n) { return std::ranges::count(mesh.cell(c), n) > 0; };
  for (Index n = 0; n < mesh.num_nodes() && faults.size() < most_faults; ++n) {
    const Point& x = mesh.nodes[n];
    bins.for_each_near(x, [&](Index c) {
      if (has_node(c, n)) return false;
      if (strictly_inside(mesh, c, x)) {
        add(fmt::format("node {} at {} lies inside cell {}: cells overlap", n, place(mesh, x), c));
        return true;
      }
      const auto own = facets_of_cell.find(c);
      if (!outer[n] || mesh.dimension() == 1 || own == facets_of_cell.end()) return false;
      const double margin = near * diameter(mesh, c);
      const bool hangs = std::ranges::any_of(own->second, [&](std::size_t f) {
        const auto is_here = [&](Index other) { return (mesh.nodes[other] - x).norm() <= margin; };
        return std::ranges::none_of(surface.facet(f), is_here) &&
               (nearest_in_facet(mesh, surface.facet(f), x) - x).norm() <= margin;
      });
      if (hangs)
        add(fmt::format(
            "node {} at {} lies on a side of cell {} without being its corner (a hanging node): nothing flows "
            "through that side",
            n, place(mesh, x), c));
      return hangs;
    });
  }
  for (Index c = 0; c < mesh.num_cells() && faults.size() < most_faults; ++c) {
    const Point centre = centroid(mesh, c);
    bins.for_each_near(centre, [&](Index other) {
      const bool overlaps = other != c && strictly_inside(mesh, other, centre);
      if (overlaps) add(fmt::format("cells {} and {} overlap at {}", c, other, place(mesh, centre)));
      return overlaps;
    });
  }
  if (faults.size() < most_faults) {
    std::vector<std::string> crossings = find_crossings(mesh, surface, bins, most_faults - faults.size());
    std::ranges::move(crossings, std::back_inserter(faults));
  }
  return faults;
}

}  // namespace varimesh::mesh
