#include "varimesh/mesh/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "varimesh/error.h"

namespace varimesh::mesh {
namespace {

constexpr long long max_refined_cells = 100'000'000;

/// How a shape (a cell or a facet) is split. The nodes of its children are means of its corners: `points` lists the
/// corners of each, and children hold indices in it.
struct Split {
  std::vector<std::vector<int>> points;
  std::vector<std::vector<int>> children;
};

/// A simplex has its corners, then the midpoints of its edges: points numbered (0,1), (0,2), ..., (1,2), ...
Split simplex_split(int num_corners, std::vector<std::vector<int>> children) {
  Split split;
  for (int a = 0; a < num_corners; ++a) split.points.push_back({a});
  for (int a = 0; a < num_corners; ++a)
    for (int b = a + 1; b < num_corners; ++b) split.points.push_back({a, b});
  split.children = std::move(children);
  return split;
}

/// A line, quadrilateral or hexahedron: a lattice of 3^d points, where coordinate 1 is the middle of 0 and 2.
Split tensor_split(int dimension) {
  constexpr int corner_bits[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  constexpr std::array power_of_3 = {1, 3, 9, 27};
  const int num_corners = 1 << dimension;
  Split split;
  split.points.resize(power_of_3[dimension]);
  for (int p = 0; p < power_of_3[dimension]; ++p)
    for (int c = 0; c < num_corners; ++c) {
      bool takes_part = true;
      for (int d = 0; d < dimension; ++d) {
        const int coordinate = p / power_of_3[d] % 3;
        takes_part = takes_part && (coordinate == 1 || coordinate == 2 * corner_bits[c][d]);
      }
      if (takes_part) split.points[p].push_back(c);
    }
  for (int child = 0; child < num_corners; ++child) {
    auto& nodes = split.children.emplace_back();
    for (int c = 0; c < num_corners; ++c) {
      int point = 0;
      for (int d = 0; d < dimension; ++d) point += power_of_3[d] * (corner_bits[child][d] + corner_bits[c][d]);
      nodes.push_back(point);
    }
  }
  return split;
}

/// Bey's rule: four tetrahedra at the corners, and the octahedron between them cut along the diagonal 02-13. Two of the
/// inner ones have nodes 0 and 2 exchanged against Bey's list: that turns them to positive orientation and keeps the
/// diagonal along which they are cut in turn, hence his bound of three shapes for all descendants.
Split tetrahedron_split() {
  constexpr int e01 = 4, e02 = 5, e03 = 6, e12 = 7, e13 = 8, e23 = 9;
  return simplex_split(4, {{0, e01, e02, e03},
                           {e01, 1, e12, e13},
                           {e02, e12, 2, e23},
                           {e03, e13, e23, 3},
                           {e01, e02, e03, e13},
                           {e12, e02, e01, e13},
                           {e02, e03, e13, e23},
                           {e13, e12, e02, e23}});
}

Split triangle_split() { return simplex_split(3, {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}, {3, 5, 4}}); }

Split cell_split(CellType type) {
  switch (type) {
    case CellType::triangle:
      return triangle_split();
    case CellType::tetrahedron:
      return tetrahedron_split();
    default:
      return tensor_split(topology(type).dimension);
  }
}

Split facet_split(CellType type) {
  return type == CellType::tetrahedron ? triangle_split() : tensor_split(topology(type).dimension - 1);
}

/// The corners of a tetrahedron, turned so that the diagonal 02-13 of its inner octahedron, along which it is cut, is
/// the shortest: that keeps the children's angles wide. Turning corners 1, 2, 3 keeps the orientation.
std::array<Index, 4> turned_to_shortest_diagonal(const std::vector<Point>& nodes, std::span<const Index> corners) {
  const auto diagonal = [&](int a, int b, int c, int d) {
    return (nodes[corners[a]] + nodes[corners[b]] - nodes[corners[c]] - nodes[corners[d]]).squaredNorm();
  };
  const double as_given = diagonal(0, 2, 1, 3), once = diagonal(0, 3, 2, 1), twice = diagonal(0, 1, 3, 2);
  constexpr double clearly = 1 - 1e-9;  // equal up to rounding: as given, for which Bey's bound holds
  if (once < clearly * as_given && once <= twice) return {corners[0], corners[2], corners[3], corners[1]};
  if (twice < clearly * as_given) return {corners[0], corners[3], corners[1], corners[2]};
  return {corners[0], corners[1], corners[2], corners[3]};
}

/// Numbers the nodes of the refined mesh: the coarse ones, then the middles of edges, faces and cells as they come up.
class Middles {
 public:
  explicit Middles(RefinedMesh& refined) : refined_(refined), nodes_(refined.mesh.nodes) {
    for (Index n = 0; n < refined.mesh.num_nodes(); ++n) remember({&n, 1});
  }

  /// The node in the middle of these corners.
  Index find(std::span<const Index> corners) {
    if (corners.size() == 1) return corners.front();
    // The middle of eight corners belongs to one cell only.
    if (corners.size() > 4) return add(corners);
    Key key = {-1, -1, -1, -1};
    std::ranges::copy(corners, key.begin());
    std::ranges::sort(key);
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<Index>(nodes_.size()));
    if (is_new) add(corners);
    return found->second;
  }

 private:
  using Key = std::array<Index, 4>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (const Index n : key) {
        hash = (hash ^ static_cast<std::uint32_t>(n)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };

  Index add(std::span<const Index> corners) {
    Point sum = Point::Zero();
    for (const Index n : corners) sum += nodes_[n];
    nodes_.push_back(sum / static_cast<double>(corners.size()));
    remember(corners);
    return static_cast<Index>(nodes_.size()) - 1;
  }

  void remember(std::span<const Index> corners) {
    refined_.corners.insert(refined_.corners.end(), corners.begin(), corners.end());
    refined_.corner_start.push_back(static_cast<Index>(refined_.corners.size()));
  }

  RefinedMesh& refined_;
  std::vector<Point>& nodes_;
  std::unordered_map<Key, Index, Hash> numbers_;
};

/// Appends the nodes of a shape's children.
void append_children(const Split& split, std::span<const Index> corners, Middles& middles, std::vector<Index>& nodes) {
  std::array<Index, 27> points;
  for (std::size_t p = 0; p < split.points.size(); ++p) {
    std::array<Index, 8> of;
    std::ranges::transform(split.points[p], of.begin(), [&](int c) { return corners[c]; });
    points[p] = middles.find(std::span(of).first(split.points[p].size()));
  }
  for (const auto& child : split.children)
    for (const int p : child) nodes.push_back(points[p]);
}

}  // namespace

RefinedMesh refine(const Mesh& mesh) {
  const Split cells = cell_split(mesh.cell_type), facets = facet_split(mesh.cell_type);
  const auto num_children = static_cast<Index>(cells.children.size());
  const long long total = static_cast<long long>(mesh.num_cells()) * num_children;
  if (total > max_refined_cells)
    throw InputError(
        fmt::format("the refined mesh would have {} cells, expected at most {}", total, max_refined_cells));

  RefinedMesh refined;
  refined.mesh.cell_type = mesh.cell_type;
  refined.mesh.nodes = mesh.nodes;
  Middles middles(refined);
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    if (mesh.cell_type == CellType::tetrahedron) {
      append_children(cells, turned_to_shortest_diagonal(mesh.nodes, mesh.cell(c)), middles, refined.mesh.cell_nodes);
    } else {
      append_children(cells, mesh.cell(c), middles, refined.mesh.cell_nodes);
    }
    refined.parent.insert(refined.parent.end(), num_children, c);
  }
  const std::size_t width = topology(mesh.cell_type).nodes_per_facet;
  for (const auto& part : mesh.boundaries) {
    BoundaryPart& fine = refined.mesh.boundaries.emplace_back(BoundaryPart{part.name, {}});
    for (std::size_t at = 0; at < part.facet_nodes.size(); at += width)
      append_children(facets, std::span(part.facet_nodes).subspan(at, width), middles, fine.facet_nodes);
  }
  for (const auto& region : mesh.regions) {
    Region& fine = refined.mesh.regions.emplace_back(Region{region.name, {}});
    for (const Index c : region.cells)
      for (Index i = 0; i < num_children; ++i) fine.cells.push_back(c * num_children + i);
  }
  return refined;
}

}  // namespace varimesh::mesh
