#include "varimesh/io/report_maps.h"

namespace varimesh::io {
namespace {

constexpr Index most_cells = 60'000;
constexpr Index most_on_a_line = 3'000;  // a graph is no wider

}  // namespace

ReportMaps::ReportMaps(const result::ProblemRecord& problem) : problem_(problem) {
  const mesh::Mesh& mesh = problem.mesh;
  if (mesh.num_cells() <= most_cells) return;
  boxes_ = mesh::create_boxes(mesh, mesh.dimension() == 1 ? most_on_a_line : most_cells);
  shown_.mesh = std::move(boxes_->mesh);
  // Where kappa is known there is nothing to show: boxes have the mean of their other cells.
  measure_ = boxes_->overlap * (problem.on_nodes() ? Vector(Vector::Ones(mesh.num_cells()))
                                                   : problem.on_cells(Vector::Ones(problem.num_unknowns()),
                                                                      Vector::Zero(problem.known_kappa.size())));
  for (Index box = 0; box < shown_.mesh.num_cells(); ++box) {
    const bool known = measure_[box] <= 0;
    shown_.unknown_of_cell.push_back(known ? -1 : shown_.num_unknowns());
    if (known) continue;
    shown_.positions.push_back(mesh::centroid(shown_.mesh, box));
    inferred_.push_back(box);
  }
  shown_.sensors = problem.sensors;
  shown_.quantities = problem.quantities;
  if (problem.truth)
    shown_.truth = result::Truth{kappa(problem.truth->kappa), u(problem.truth->u), problem.truth->quantities};
}

Vector ReportMaps::kappa(const Vector& values) const {
  if (!boxes_ || values.size() == 0) return problem_.field_part(values);
  const mesh::Mesh& mesh = problem_.mesh;
  // A field on nodes has the mean of its nodes in a cell, for the equation and for the average over the cell alike.
  Vector of_cells(mesh.num_cells());
  if (problem_.on_nodes()) {
    for (Index c = 0; c < mesh.num_cells(); ++c) of_cells[c] = values(mesh.cell(c)).mean();
  } else {
    of_cells = problem_.on_cells(values, Vector::Zero(problem_.known_kappa.size()));
  }
  return (boxes_->overlap * of_cells).cwiseQuotient(measure_)(inferred_);
}

Vector ReportMaps::u(const Vector& values) const {
  if (!boxes_ || values.size() == 0) return values;
  return boxes_->corners * values;
}

}  // namespace varimesh::io
