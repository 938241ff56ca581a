#include "varimesh/run/record_on_mesh.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace varimesh::run {
namespace {

result::ProblemRecord record_of(mesh::Mesh mesh, const char* support) {
  result::ProblemRecord record;
  record.mesh = std::move(mesh);
  record.words.mesh =
      fmt::format("{} {} and {} nodes in {}D; one unknown for each {}.", record.mesh.num_cells(),
                  topology(record.mesh.cell_type).plural, record.mesh.num_nodes(), record.mesh.dimension(), support);
  return record;
}

}  // namespace

result::ProblemRecord record_on_cells(mesh::Mesh mesh) {
  result::ProblemRecord record = record_of(std::move(mesh), "cell");
  record.unknown_of_cell.resize(static_cast<std::size_t>(record.mesh.num_cells()));
  std::iota(record.unknown_of_cell.begin(), record.unknown_of_cell.end(), Index{0});
  for (const Index c : record.unknown_of_cell) record.positions.push_back(mesh::centroid(record.mesh, c));
  return record;
}

result::ProblemRecord record_on_nodes(mesh::Mesh mesh) {
  result::ProblemRecord record = record_of(std::move(mesh), "node");
  record.support = result::Support::nodes;
  record.positions = record.mesh.nodes;
  return record;
}

}  // namespace varimesh::run
