#pragma once

#include <optional>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// A point's cell and its reference coordinates there (see reference_cell.h).
struct Location {
  Index cell;
  Point reference;
};

/// Finds the cells of points, by bins over the cells' bounding boxes. The mesh must outlive it.
class PointLocator {
 public:
  /// Sorts the cells of a valid mesh into about as many bins as there are cells.
  explicit PointLocator(const Mesh& mesh);

  /// The lowest-numbered cell that contains the point (up to 1e-10 of its size), or nothing. Coordinates beyond the
  /// mesh's dimension are ignored.
  std::optional<Location> find(const Point& point) const;

 private:
  Eigen::Vector3i bin_of(const Point& point) const;
  std::size_t bin_number(const Eigen::Vector3i& bin) const;

  const Mesh* mesh_;
  Point lower_, upper_, bin_size_;
  Eigen::Vector3i num_bins_;
  std::vector<std::size_t> bin_start_;
  std::vector<Index> bin_cells_;  ///< the cells of each bin, ascending
};

}  // namespace varimesh::mesh
