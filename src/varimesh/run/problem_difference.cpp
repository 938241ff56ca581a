#include "varimesh/run/problem_difference.h"

#include <fmt/format.h>

#include <algorithm>

namespace varimesh::run {

std::string mesh_difference(const result::ProblemRecord& a, const result::ProblemRecord& b) {
  if (a.mesh.num_cells() != b.mesh.num_cells() || a.mesh.num_nodes() != b.mesh.num_nodes())
    return fmt::format("one has {} cells and {} nodes, the other {} and {}", a.mesh.num_cells(), a.mesh.num_nodes(),
                       b.mesh.num_cells(), b.mesh.num_nodes());
  if (a.mesh.cell_type != b.mesh.cell_type || a.mesh.cell_nodes != b.mesh.cell_nodes) return "their cells differ";
  if (a.mesh.nodes != b.mesh.nodes) return "their nodes are at different places";
  if (a.support != b.support) return "one has unknowns in its cells and the other at its nodes ([coefficient])";
  if (a.num_unknowns() != b.num_unknowns())
    return fmt::format("their cells share unknowns in different ways ([coefficient]): one has {}, the other {}",
                       a.num_unknowns(), b.num_unknowns());
  if (a.unknown_of_cell != b.unknown_of_cell) return "their cells share unknowns in different ways ([coefficient])";
  return "";
}

std::string problem_difference(const result::ProblemRecord& a, const result::ProblemRecord& b) {
  if (std::string difference = mesh_difference(a, b); !difference.empty()) return difference;
  if (a.sensors.points != b.sensors.points || a.sensors.mean != b.sensors.mean) return "their measurements differ";
  const auto same_name = [](const result::QuantityName& x, const result::QuantityName& y) {
    return x.name == y.name && x.label == y.label;
  };
  if (!std::ranges::equal(a.quantities, b.quantities, same_name)) return "their quantities differ";
  if (a.words.field != b.words.field) return "one is an inference and the other a prediction";
  return "";
}

}  // namespace varimesh::run
