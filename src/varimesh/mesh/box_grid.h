#pragma once

#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

using GridPlace = Eigen::Vector3i;  ///< of a box, or of a corner, along the axes
using GridKey = long long;          ///< the same as one number, x fastest

/// Equal boxes over the bounding box of a mesh.
struct BoxGrid {
  Point lower, size;
  GridPlace count;

  /// A point in units of boxes, and back.
  Point scaled(const Point& point) const { return (point - lower).cwiseQuotient(size); }
  Point position(const Point& scaled) const { return lower + scaled.cwiseProduct(size); }
  GridPlace box_at(const Point& scaled) const {
    return scaled.cast<int>().cwiseMax(0).cwiseMin(count - GridPlace::Ones());
  }
  /// Of a box or a corner: there is one more corner than boxes along each axis.
  GridKey key(const GridPlace& place) const;
  GridPlace place(GridKey key) const;
};

/// Boxes with edges of at least `edge`, unless the mesh is thinner.
BoxGrid create_grid(const Mesh& mesh, double edge);

/// What a box holds of a cell.
struct CellPart {
  GridKey box;
  double measure;  ///< length, area or volume
  Point moment;    ///< measure times centroid, in units of boxes
};

/// A mesh sorted into boxes.
struct SortedCells {
  std::vector<GridKey> boxes;  ///< those that hold something, ascending
  std::vector<CellPart> parts;
  std::vector<std::size_t> start{0};  ///< of each cell's parts, which are by ascending box and sum to its measure
};

/// Cuts cells where boxes meet, up to pieces of a third of a box, which go to the box of their centroid.
/// `measures` are those of the cells.
SortedCells sort_into(const BoxGrid& grid, const Mesh& mesh, const Vector& measures);

}  // namespace varimesh::mesh
