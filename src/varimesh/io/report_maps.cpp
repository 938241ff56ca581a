#include "varimesh/io/report_maps.h"

#include <numeric>

namespace varimesh::io {
namespace {

constexpr Index most_cells = 60'000;
constexpr Index most_on_a_line = 3'000;  // a graph is no wider

}  // namespace

ReportMaps::ReportMaps(const result::ProblemRecord& problem) : problem_(problem) {
  const mesh::Mesh& mesh = problem.mesh;
  if (mesh.num_cells() <= most_cells) return;
  boxes_ = mesh::create_boxes(mesh, mesh.dimension() == 1 ? most_on_a_line : most_cells);
  measure_ = boxes_->overlap * Vector::Ones(mesh.num_cells());
  shown_.mesh = std::move(boxes_->mesh);
  shown_.unknown_of_cell.resize(static_cast<std::size_t>(shown_.mesh.num_cells()));
  std::iota(shown_.unknown_of_cell.begin(), shown_.unknown_of_cell.end(), 0);
  for (Index box = 0; box < shown_.mesh.num_cells(); ++box)
    shown_.positions.push_back(mesh::centroid(shown_.mesh, box));
  shown_.sensors = problem.sensors;
  shown_.quantities = problem.quantities;
  if (problem.truth)
    shown_.truth = result::Truth{kappa(problem.truth->kappa), u(problem.truth->u), problem.truth->quantities};
}

Vector ReportMaps::kappa(const Vector& values) const {
  if (!boxes_ || values.size() == 0) return values;
  const mesh::Mesh& mesh = problem_.mesh;
  // A field on nodes has the mean of its nodes in a cell, for the equation and for the average over the cell alike.
  Vector of_cells(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c)
    of_cells[c] = problem_.on_nodes() ? values(mesh.cell(c)).mean()
                                      : values[problem_.unknown_of_cell[static_cast<std::size_t>(c)]];
  return (boxes_->overlap * of_cells).cwiseQuotient(measure_);
}

Vector ReportMaps::u(const Vector& values) const {
  if (!boxes_ || values.size() == 0) return values;
  return boxes_->corners * values;
}

}  // namespace varimesh::io
