#include "varimesh/mesh/boxes.h"

#include <algorithm>
#include <cmath>

#include "varimesh/mesh/box_grid.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::mesh {
namespace {

Index number_of(const std::vector<GridKey>& keys, GridKey key) {
  return static_cast<Index>(std::ranges::lower_bound(keys, key) - keys.begin());
}

/// What the boxes around a corner hold.
struct Surroundings {
  double measure = 0;
  Point moment = Point::Zero();  ///< measure times centroid, in units of boxes
  double largest = 0;            ///< the largest part of a cell
  Index cell = 0;                ///< and that cell

  void add(const CellPart& part, Index of_cell) {
    measure += part.measure;
    moment += part.moment;
    if (part.measure <= largest) return;
    largest = part.measure;
    cell = of_cell;
  }
};

/// Puts the corners of boxes into the mesh.
class CornerPlacer {
 public:
  CornerPlacer(const Mesh& mesh, const BoxGrid& grid) : mesh_(mesh), grid_(grid), locator_(mesh) {}

  struct Placed {
    Point point;
    Location location;
  };

  Placed place(GridKey corner, const Surroundings& around) const {
    const Point wanted = grid_.position(grid_.place(corner).cast<double>());
    if (const auto found = locator_.find(wanted)) return {wanted, *found};
    // Outside: towards the centroid of what is around, as far as the boundary.
    Point inside = grid_.position(around.moment / around.measure), outside = wanted;
    auto found = locator_.find(inside);
    if (!found) return nearest_node(wanted, around.cell);
    constexpr int halvings = 12;
    for (int k = 0; k < halvings; ++k) {
      const Point middle = (inside + outside) / 2;
      if (const auto there = locator_.find(middle)) {
        inside = middle;
        found = there;
      } else {
        outside = middle;
      }
    }
    return {inside, *found};
  }

 private:
  Placed nearest_node(const Point& wanted, Index cell) const {
    const auto nodes = mesh_.cell(cell);
    const auto distance = [&](Index node) { return (mesh_.nodes[node] - wanted).squaredNorm(); };
    const auto nearest = std::ranges::min_element(nodes, {}, distance);
    const auto local = static_cast<int>(nearest - nodes.begin());
    return {mesh_.nodes[*nearest], {cell, reference_node(mesh_.cell_type, local)}};
  }

  const Mesh& mesh_;
  const BoxGrid& grid_;
  PointLocator locator_;
};

/// The corners of a box in the order of its nodes.
std::vector<GridPlace> corners_of(int dimension) {
  const std::vector<GridPlace> all = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  return {all.begin(), all.begin() + (1 << dimension)};
}

/// The boxes as cells, with nodes yet to be placed; returns the corner that each node is.
std::vector<GridKey> connect(const BoxGrid& grid, const std::vector<GridKey>& boxes, int dimension, Mesh& mesh) {
  constexpr CellType types[] = {CellType::line, CellType::quadrilateral, CellType::hexahedron};
  mesh.cell_type = types[dimension - 1];
  std::vector<GridKey> corners;
  for (const GridKey box : boxes) {
    for (const GridPlace& corner : corners_of(dimension)) corners.push_back(grid.key(grid.place(box) + corner));
  }
  std::vector<GridKey> distinct = corners;
  std::ranges::sort(distinct);
  const auto repeated = std::ranges::unique(distinct);
  distinct.erase(repeated.begin(), repeated.end());
  for (const GridKey corner : corners) mesh.cell_nodes.push_back(number_of(distinct, corner));
  return distinct;
}

}  // namespace

Boxes create_boxes(const Mesh& mesh, Index most) {
  const int dimension = mesh.dimension();
  Vector measures(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c) measures[c] = signed_measure(mesh, c);
  double edge = std::pow(measures.sum() / most, 1. / dimension);
  BoxGrid grid = create_grid(mesh, edge);
  SortedCells sorted = sort_into(grid, mesh, measures);
  while (static_cast<Index>(sorted.boxes.size()) > most) {
    const double excess = static_cast<double>(sorted.boxes.size()) / most;
    edge *= std::max(1.02, std::pow(excess, 1. / dimension));
    grid = create_grid(mesh, edge);
    sorted = sort_into(grid, mesh, measures);
  }

  Boxes boxes;
  const std::vector<GridKey> corners = connect(grid, sorted.boxes, dimension, boxes.mesh);
  boxes.overlap.resize(static_cast<Index>(sorted.boxes.size()), mesh.num_cells());
  boxes.overlap.reserve(static_cast<Eigen::Index>(sorted.parts.size()));
  std::vector<Surroundings> around(corners.size());
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    boxes.overlap.startVec(c);
    for (std::size_t k = sorted.start[c]; k < sorted.start[c + 1]; ++k) {
      const CellPart& part = sorted.parts[k];
      const Index box = number_of(sorted.boxes, part.box);
      boxes.overlap.insertBack(box, c) = part.measure;
      for (const Index corner : boxes.mesh.cell(box)) around[corner].add(part, c);
    }
  }
  boxes.overlap.finalize();

  const CornerPlacer placer(mesh, grid);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const auto [point, location] = placer.place(corners[k], around[k]);
    boxes.mesh.nodes.push_back(point);
    const ShapeValues values = shape_values(mesh.cell_type, location.reference);
    for (int i = 0; i < values.size(); ++i)
      entries.emplace_back(static_cast<Index>(k), mesh.cell(location.cell)[i], values[i]);
  }
  boxes.corners.resize(static_cast<Index>(corners.size()), mesh.num_nodes());
  boxes.corners.setFromTriplets(entries.begin(), entries.end());
  return boxes;
}

}  // namespace varimesh::mesh
