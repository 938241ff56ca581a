#include "varimesh/run/same_mesh.h"

#include <fmt/format.h>

namespace varimesh::run {

std::string mesh_difference(const result::ProblemRecord& a, const result::ProblemRecord& b) {
  if (a.mesh.num_cells() != b.mesh.num_cells() || a.mesh.num_nodes() != b.mesh.num_nodes())
    return fmt::format("one has {} cells and {} nodes, the other {} and {}", a.mesh.num_cells(), a.mesh.num_nodes(),
                       b.mesh.num_cells(), b.mesh.num_nodes());
  if (a.mesh.cell_type != b.mesh.cell_type || a.mesh.cell_nodes != b.mesh.cell_nodes) return "their cells differ";
  if (a.mesh.nodes != b.mesh.nodes) return "their nodes are at different places";
  if (a.unknown_of_cell != b.unknown_of_cell) return "their cells share unknowns in different ways";
  return "";
}

}  // namespace varimesh::run
