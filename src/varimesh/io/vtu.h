#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::io {

/// A named number at each point or in each cell.
struct VtuArray {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::int64_t>> values;
};

/// Points and cells, ready to be written several times with different data on them, as VTK's XML (*.vtu).
class VtuGrid {
 public:
  explicit VtuGrid(const mesh::Mesh& mesh);
  /// Points without a mesh: every one is a cell, a vertex.
  explicit VtuGrid(const std::vector<Point>& points);

  /// The file. Throws std::invalid_argument if an array is not as long as there are points or cells.
  std::string format(const std::vector<VtuArray>& point_data, const std::vector<VtuArray>& cell_data) const;

 private:
  VtuGrid(const std::vector<Point>& points, const std::vector<std::int64_t>& cell_nodes, std::size_t nodes_per_cell,
          std::uint8_t cell_type);

  std::size_t num_points_, num_cells_;
  std::string geometry_;  // the elements Points and Cells
};

}  // namespace varimesh::io
