#include "varimesh/mesh/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "varimesh/error.h"

namespace varimesh::mesh {
namespace {

constexpr long long max_cells = 50'000'000;
constexpr std::string_view axes = "xyz";

/// A lattice of points, x fastest; directions beyond the dimension have no cells and one layer of points.
struct Lattice {
  std::array<Index, 3> cells = {0, 0, 0};
  std::array<std::vector<double>, 3> coordinates = {{{0}, {0}, {0}}};

  Index node(Index i, Index j, Index k) const { return i + (cells[0] + 1) * (j + (cells[1] + 1) * k); }
};

std::vector<double> spaced(Index cells, Interval interval, char axis) {
  const double length = interval.to - interval.from;
  if (!(length > 0 && std::isfinite(length)))
    throw InputError(fmt::format("the extent in {} is [{}, {}], expected finite numbers, the first below the second",
                                 axis, interval.from, interval.to));
  std::vector<double> points(static_cast<std::size_t>(cells) + 1);
  for (Index i = 0; i < cells; ++i) points[i] = interval.from + i * length / cells;
  points.back() = interval.to;
  if (std::ranges::adjacent_find(points, std::greater_equal<>()) != points.end())
    throw InputError(fmt::format("the extent in {} is [{}, {}], too short to be split into {} cells", axis,
                                 interval.from, interval.to, cells));
  return points;
}

Lattice make_lattice(std::span<const Index> cells, std::span<const Interval> extent, int cells_per_box) {
  long long total = cells_per_box;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (cells[d] <= 0)
      throw InputError(fmt::format("the number of cells in {} is {}, expected at least 1", axes[d], cells[d]));
    total *= cells[d];  // at most 50 million times 2^31 here
    if (total > max_cells)
      throw InputError(fmt::format("the mesh would have more than {} cells, expected fewer", max_cells));
  }
  Lattice lattice;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    lattice.cells[d] = cells[d];
    lattice.coordinates[d] = spaced(cells[d], extent[d], axes[d]);
  }
  return lattice;
}

std::vector<Point> lattice_nodes(const Lattice& lattice) {
  const auto& [x, y, z] = lattice.coordinates;
  std::vector<Point> nodes;
  nodes.reserve(x.size() * y.size() * z.size());
  for (const double zk : z)
    for (const double yj : y)
      for (const double xi : x) nodes.emplace_back(xi, yj, zk);
  return nodes;
}

/// For each node, bit 2d if it lies on the lower side in direction d, bit 2d+1 if on the upper.
std::vector<unsigned char> lattice_sides(const Lattice& lattice) {
  const auto bits = [&](int d, Index i) {
    if (lattice.cells[d] == 0) return 0;
    return (i == 0 ? 1 << (2 * d) : 0) | (i == lattice.cells[d] ? 2 << (2 * d) : 0);
  };
  std::vector<unsigned char> sides;
  for (Index k = 0; k <= lattice.cells[2]; ++k)
    for (Index j = 0; j <= lattice.cells[1]; ++j)
      for (Index i = 0; i <= lattice.cells[0]; ++i)
        sides.push_back(static_cast<unsigned char>(bits(0, i) | bits(1, j) | bits(2, k)));
  return sides;
}

/// One boundary part for each side, of the cells' facets with all nodes on it; `names` in the order of the side bits.
std::vector<BoundaryPart> side_parts(const Mesh& mesh, const Lattice& lattice,
                                     std::span<const std::string_view> names) {
  const auto sides = lattice_sides(lattice);
  std::vector<BoundaryPart> parts;
  for (const auto name : names) parts.push_back({std::string(name), {}});
  const auto& facets = topology(mesh.cell_type).facets;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto cell = mesh.cell(c);
    for (const auto& facet : facets) {
      int common = 0xff;
      for (const int i : facet) common &= sides[cell[i]];
      for (std::size_t s = 0; common != 0; ++s, common >>= 1)
        if (common & 1)
          for (const int i : facet) parts[s].facet_nodes.push_back(cell[i]);
    }
  }
  return parts;
}

/// The six tetrahedra of Kuhn: each walks from corner 000 to corner 111 along the axes in one order. Neighbouring boxes
/// split their common face along the same diagonal.
void append_kuhn_tetrahedra(std::vector<Index>& cell_nodes, const std::array<Index, 8>& corner) {
  // Corners by bits: x 1, y 2, z 4. Even orders are oriented positively; odd ones have nodes 0 and 2 exchanged, which
  // keeps the diagonal 02-13 along which refine() cuts, so that all refinements consist of Kuhn's shape.
  constexpr int tetrahedra[6][4] = {{0, 1, 3, 7}, {5, 1, 0, 7}, {3, 2, 0, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {6, 4, 0, 7}};
  for (const auto& tetrahedron : tetrahedra)
    for (const int i : tetrahedron) cell_nodes.push_back(corner[i]);
}

}  // namespace

Mesh create_interval(Index cells, Interval x) {
  const Lattice lattice = make_lattice({&cells, 1}, {&x, 1}, 1);
  Mesh mesh;
  mesh.cell_type = CellType::line;
  mesh.nodes = lattice_nodes(lattice);
  for (Index i = 0; i < cells; ++i) mesh.cell_nodes.insert(mesh.cell_nodes.end(), {i, i + 1});
  constexpr std::array<std::string_view, 2> names = {"left", "right"};
  mesh.boundaries = side_parts(mesh, lattice, names);
  return mesh;
}

Mesh create_rectangle(CellType type, std::array<Index, 2> cells, std::array<Interval, 2> extent) {
  if (type != CellType::triangle && type != CellType::quadrilateral)
    throw InputError(
        fmt::format("a rectangle is made of triangles or quadrilaterals, found {}", topology(type).plural));
  const Lattice lattice = make_lattice(cells, extent, type == CellType::triangle ? 2 : 1);
  Mesh mesh;
  mesh.cell_type = type;
  mesh.nodes = lattice_nodes(lattice);
  for (Index j = 0; j < cells[1]; ++j)
    for (Index i = 0; i < cells[0]; ++i) {
      const Index a = lattice.node(i, j, 0), b = lattice.node(i + 1, j, 0);
      const Index c = lattice.node(i + 1, j + 1, 0), d = lattice.node(i, j + 1, 0);
      if (type == CellType::quadrilateral)
        mesh.cell_nodes.insert(mesh.cell_nodes.end(), {a, b, c, d});
      else
        mesh.cell_nodes.insert(mesh.cell_nodes.end(), {a, b, c, a, c, d});
    }
  constexpr std::array<std::string_view, 4> names = {"left", "right", "bottom", "top"};
  mesh.boundaries = side_parts(mesh, lattice, names);
  return mesh;
}

Mesh create_box(CellType type, std::array<Index, 3> cells, std::array<Interval, 3> extent) {
  if (type != CellType::tetrahedron && type != CellType::hexahedron)
    throw InputError(fmt::format("a box is made of tetrahedra or hexahedra, found {}", topology(type).plural));
  const Lattice lattice = make_lattice(cells, extent, type == CellType::tetrahedron ? 6 : 1);
  Mesh mesh;
  mesh.cell_type = type;
  mesh.nodes = lattice_nodes(lattice);
  for (Index k = 0; k < cells[2]; ++k)
    for (Index j = 0; j < cells[1]; ++j)
      for (Index i = 0; i < cells[0]; ++i) {
        std::array<Index, 8> corner;
        for (Index b = 0; b < 8; ++b) corner[b] = lattice.node(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
        if (type == CellType::tetrahedron)
          append_kuhn_tetrahedra(mesh.cell_nodes, corner);
        else
          for (const int b : {0, 1, 3, 2, 4, 5, 7, 6}) mesh.cell_nodes.push_back(corner[b]);
      }
  constexpr std::array<std::string_view, 6> names = {"left", "right", "front", "back", "bottom", "top"};
  mesh.boundaries = side_parts(mesh, lattice, names);
  return mesh;
}

}  // namespace varimesh::mesh
