#include "varimesh/mesh/extract.h"

namespace varimesh::mesh {

Mesh extract(const Mesh& mesh, const std::vector<Index>& cells) {
  Mesh result{mesh.cell_type, {}, {}, {}, {}};
  std::vector<Index> node_number(mesh.nodes.size(), -1), cell_number(static_cast<std::size_t>(mesh.num_cells()), -1);
  for (const Index c : cells) {
    cell_number[c] = result.num_cells();
    for (const Index node : mesh.cell(c)) {
      if (node_number[node] < 0) {
        node_number[node] = result.num_nodes();
        result.nodes.push_back(mesh.nodes[node]);
      }
      result.cell_nodes.push_back(node_number[node]);
    }
  }
  for (const Region& region : mesh.regions) {
    result.regions.push_back({region.name, {}});
    for (const Index c : region.cells)
      if (cell_number[c] >= 0) result.regions.back().cells.push_back(cell_number[c]);
  }
  return result;
}

}  // namespace varimesh::mesh
