#include "varimesh/mesh/box_grid.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace varimesh::mesh {
namespace {

/// A line, triangle or tetrahedron in units of boxes.
struct Simplex {
  std::array<Point, 4> corners;
  int size;

  std::span<const Point> points() const { return std::span(corners).first(static_cast<std::size_t>(size)); }
  Point centroid() const {
    Point sum = Point::Zero();
    for (const Point& point : points()) sum += point;
    return sum / size;
  }
};

/// Local nodes of the simplices that make up a cell; those of a hexahedron lie around a diagonal.
const std::vector<std::vector<int>>& simplices_of(CellType type) {
  static const std::vector<std::vector<int>> line{{0, 1}}, triangle{{0, 1, 2}}, tetrahedron{{0, 1, 2, 3}},
      quadrilateral{{0, 1, 2}, {0, 2, 3}},
      hexahedron{{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  switch (type) {
    case CellType::line:
      return line;
    case CellType::triangle:
      return triangle;
    case CellType::quadrilateral:
      return quadrilateral;
    case CellType::tetrahedron:
      return tetrahedron;
    case CellType::hexahedron:
      break;
  }
  return hexahedron;
}

double measure_of(const Simplex& simplex) {
  Eigen::Matrix3d edges = Eigen::Matrix3d::Identity();
  for (int k = 1; k < simplex.size; ++k) edges.col(k - 1) = simplex.corners[k] - simplex.corners[0];
  return std::abs(edges.determinant());  // up to a factor that all of a type share
}

/// Halves a simplex at its longest edge until each piece is in one box, or so small that its centroid may decide.
void split(const BoxGrid& grid, const Simplex& simplex, double measure, std::vector<CellPart>& parts) {
  constexpr double small = 1. / 3;
  Point lower = simplex.corners[0], upper = lower;
  for (const Point& point : simplex.points()) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  // A face on that of a box is not beyond it.
  constexpr double rounding = 1e-9;
  const bool in_one_box =
      grid.box_at(lower + Point::Constant(rounding)) == grid.box_at(upper - Point::Constant(rounding));
  if (in_one_box || (upper - lower).maxCoeff() <= small) {
    const Point centroid = simplex.centroid();
    parts.push_back({grid.key(grid.box_at(centroid)), measure, measure * centroid});
    return;
  }
  int from = 0, to = 1;
  double longest = 0;
  for (int i = 0; i < simplex.size; ++i) {
    for (int j = i + 1; j < simplex.size; ++j) {
      const double length = (simplex.corners[i] - simplex.corners[j]).squaredNorm();
      if (length <= longest) continue;
      longest = length;
      from = i;
      to = j;
    }
  }
  const Point middle = (simplex.corners[from] + simplex.corners[to]) / 2;
  for (const int end : {from, to}) {
    Simplex half = simplex;
    half.corners[end] = middle;
    split(grid, half, measure / 2, parts);
  }
}

/// The parts of a cell, one for each box, by ascending box.
void parts_of_cell(const Mesh& mesh, const BoxGrid& grid, Index cell, double cell_measure,
                   std::vector<CellPart>& parts) {
  parts.clear();
  const auto nodes = mesh.cell(cell);
  double sum = 0;
  for (const auto& local : simplices_of(mesh.cell_type)) {
    Simplex simplex{{}, static_cast<int>(local.size())};
    for (std::size_t k = 0; k < local.size(); ++k) simplex.corners[k] = grid.scaled(mesh.nodes[nodes[local[k]]]);
    const double measure = measure_of(simplex);
    sum += measure;
    split(grid, simplex, measure, parts);
  }
  std::ranges::sort(parts, {}, &CellPart::box);
  std::size_t last = 0;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].box == parts[last].box) {
      parts[last].measure += parts[k].measure;
      parts[last].moment += parts[k].moment;
    } else {
      parts[++last] = parts[k];
    }
  }
  parts.resize(last + 1);
  const double scale = cell_measure / sum;
  for (CellPart& part : parts) {
    part.measure *= scale;
    part.moment *= scale;
  }
}

}  // namespace

GridKey BoxGrid::key(const GridPlace& place) const {
  const Eigen::Matrix<GridKey, 3, 1> p = place.cast<GridKey>(), n = (count + GridPlace::Ones()).cast<GridKey>();
  return p[0] + n[0] * (p[1] + n[1] * p[2]);
}

GridPlace BoxGrid::place(GridKey key) const {
  const Eigen::Matrix<GridKey, 3, 1> n = (count + GridPlace::Ones()).cast<GridKey>();
  return {static_cast<int>(key % n[0]), static_cast<int>(key / n[0] % n[1]), static_cast<int>(key / n[0] / n[1])};
}

BoxGrid create_grid(const Mesh& mesh, double edge) {
  Point lower = mesh.nodes.front(), upper = lower;
  for (const Point& node : mesh.nodes) {
    lower = lower.cwiseMin(node);
    upper = upper.cwiseMax(node);
  }
  BoxGrid grid{lower, Point::Ones(), GridPlace::Ones()};
  for (int d = 0; d < mesh.dimension(); ++d) {
    constexpr double most = 1 << 20;       // keys of boxes fit into 64 bits
    constexpr double rounding = 1 + 1e-9;  // a twentieth fits twenty times
    const double fitting = std::floor(rounding * (upper[d] - lower[d]) / edge);
    grid.count[d] = static_cast<int>(std::clamp(fitting, 1.0, most));
    grid.size[d] = (upper[d] - lower[d]) / grid.count[d];
  }
  return grid;
}

SortedCells sort_into(const BoxGrid& grid, const Mesh& mesh, const Vector& measures) {
  SortedCells sorted;
  std::vector<CellPart> parts;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    parts_of_cell(mesh, grid, c, measures[c], parts);
    sorted.parts.insert(sorted.parts.end(), parts.begin(), parts.end());
    sorted.start.push_back(sorted.parts.size());
  }
  for (const CellPart& part : sorted.parts) sorted.boxes.push_back(part.box);
  std::ranges::sort(sorted.boxes);
  const auto [first, last] = std::ranges::unique(sorted.boxes);
  sorted.boxes.erase(first, last);
  return sorted;
}

}  // namespace varimesh::mesh
