#include "varimesh/run/sample.h"

#include <fmt/format.h>

#include <cmath>

#include "varimesh/constants.h"
#include "varimesh/diagnostics/density.h"
#include "varimesh/error.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::run {
namespace {

/// A mean over some entries of a vector.
struct Weights {
  std::vector<Index> entries;
  std::vector<double> shares;

  double of(const Eigen::Ref<const Vector>& values) const {
    double sum = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) sum += shares[k] * values[entries[k]];
    return sum;
  }
};

Weights at_nodes(const mesh::Mesh& mesh, const mesh::Location& location) {
  Weights weights;
  const auto values = mesh::shape_values(mesh.cell_type, location.reference);
  for (std::size_t a = 0; a < mesh.cell(location.cell).size(); ++a) {
    weights.entries.push_back(mesh.cell(location.cell)[a]);
    weights.shares.push_back(values[static_cast<Eigen::Index>(a)]);
  }
  return weights;
}

/// sd, and the quantiles at 5, 50 and 95 %, of draws that are all finite; else NaN.
std::array<double, 4> spread(const Vector& draws) {
  if (draws.size() < 2 || !draws.allFinite()) return {nan, nan, nan, nan};
  const double sd = std::sqrt((draws.array() - draws.mean()).square().sum() / static_cast<double>(draws.size() - 1));
  const Vector q = diagnostics::quantiles(draws, Eigen::Vector3d(0.05, 0.5, 0.95));
  return {sd, q[0], q[1], q[2]};
}

/// kappa at each draw, chain by chain.
Vector kappa_draws(const result::Draws& draws, const Weights& weights) {
  Vector values(static_cast<Eigen::Index>(draws.num_chains()) * draws.num_draws());
  for (Index c = 0; c < draws.num_chains(); ++c) {
    const auto chain = draws.chain(c);
    for (Index s = 0; s < draws.num_draws(); ++s) values[c * draws.num_draws() + s] = weights.of(chain.col(s));
  }
  return values;
}

/// Mean, sd and quantiles of kappa in a cell, or at a point of it where unknowns are at the nodes.
std::vector<double> kappa_at(const StoredResult& stored, const mesh::Location& location, const Weights& nodes) {
  const auto& [problem, method] = stored;
  std::vector<double> row;
  if (problem.on_nodes()) {
    row.push_back(nodes.of(method.kappa.mean));
    for (const double value : spread(kappa_draws(method.draws, nodes))) row.push_back(value);
    return row;
  }
  const Index k = problem.unknown_of_cell[location.cell];
  const double known = k < 0 ? problem.known_kappa[location.cell] : nan;
  for (const Vector* field :
       {&method.kappa.mean, &method.kappa.sd, &method.kappa.q05, &method.kappa.q50, &method.kappa.q95})
    row.push_back(k >= 0 ? (*field)[k] : field == &method.kappa.sd ? 0 : known);
  return row;
}

}  // namespace

Samples sample_result(const StoredResult& stored, const std::vector<Point>& points) {
  const auto& [problem, method] = stored;
  if (!method.has_answer()) throw InputError("expected a result with an answer, found none");
  const bool has_u = method.u.mean.size() > 0, has_u_draws = has_u && method.u_draws.size() > 0;
  Samples samples;
  samples.names = {"kappa_mean", "kappa_sd",         "kappa_q05",        "kappa_q50",
                   "kappa_q95",  "conductivity_q05", "conductivity_q50", "conductivity_q95"};
  if (has_u) samples.names.insert(samples.names.end(), {"u_mean", "u_sd"});
  if (has_u_draws) samples.names.insert(samples.names.end(), {"u_q05", "u_q50", "u_q95"});
  samples.values.assign(samples.names.size(), std::vector<double>(points.size(), nan));
  samples.sd_is_bound = has_u && !has_u_draws;
  const mesh::PointLocator locator(problem.mesh);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto location = locator.find(points[p]);
    if (!location) {
      ++samples.outside;
      continue;
    }
    const Weights nodes = at_nodes(problem.mesh, *location);
    std::vector<double> row = kappa_at(stored, *location, nodes);
    for (const std::size_t quantile : {2, 3, 4}) row.push_back(std::exp(row[quantile]));
    if (has_u) row.push_back(nodes.of(method.u.mean));
    if (has_u && !has_u_draws) row.push_back(nodes.of(method.u.sd));
    if (has_u_draws) {
      Vector draws(method.u_draws.cols());
      for (Eigen::Index s = 0; s < draws.size(); ++s) draws[s] = nodes.of(method.u_draws.col(s));
      for (const double value : spread(draws)) row.push_back(value);
    }
    for (std::size_t k = 0; k < row.size(); ++k) samples.values[k][p] = row[k];
  }
  return samples;
}

std::vector<Point> points_on_line(const Point& from, const Point& to, Index count) {
  std::vector<Point> points;
  for (Index k = 0; k < count; ++k)
    points.emplace_back(count == 1 ? from : Point(from + (to - from) * (static_cast<double>(k) / (count - 1))));
  return points;
}

PixelGrid pixels_over(const mesh::Mesh& mesh, Index columns) {
  constexpr double most_pixels = 2e7;
  if (mesh.dimension() != 2)
    throw InputError(fmt::format("a raster is for plane meshes, found one in {}D", mesh.dimension()));
  Point lower = mesh.nodes.front(), upper = lower;
  for (const Point& x : mesh.nodes) {
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  PixelGrid grid;
  grid.columns = columns;
  grid.step = (upper[0] - lower[0]) / columns;
  const double rows = std::max(1.0, std::ceil((upper[1] - lower[1]) / grid.step - 1e-9));
  if (rows * columns > most_pixels)
    throw InputError(fmt::format("expected at most {:.0f} pixels, found {} x {:.0f}", most_pixels, columns, rows));
  grid.rows = static_cast<Index>(rows);
  grid.upper_left = Point(lower[0], upper[1], 0);
  for (Index row = 0; row < grid.rows; ++row)
    for (Index column = 0; column < columns; ++column)
      grid.centres.emplace_back(lower[0] + (column + 0.5) * grid.step, upper[1] - (row + 0.5) * grid.step, 0);
  return grid;
}

}  // namespace varimesh::run
