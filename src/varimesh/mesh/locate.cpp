#include "varimesh/mesh/locate.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "varimesh/mesh/reference_cell.h"

namespace varimesh::mesh {
namespace {

constexpr double tolerance = 1e-10;

struct Box {
  Point lower, upper;

  bool contains(const Point& point) const {
    return (point.array() >= lower.array()).all() && (point.array() <= upper.array()).all();
  }
};

/// A box that holds the cell and, on all sides, more than the tolerance.
Box bounding_box(const Mesh& mesh, Index cell) {
  Box box{mesh.nodes[mesh.cell(cell)[0]], mesh.nodes[mesh.cell(cell)[0]]};
  for (const Index n : mesh.cell(cell)) {
    box.lower = box.lower.cwiseMin(mesh.nodes[n]);
    box.upper = box.upper.cwiseMax(mesh.nodes[n]);
  }
  const double margin = 8 * tolerance * (box.upper - box.lower).maxCoeff();
  box.lower.array() -= margin;
  box.upper.array() += margin;
  return box;
}

Point position(const Mesh& mesh, Index cell, const Point& reference) {
  const ShapeValues values = shape_values(mesh.cell_type, reference);
  Point sum = Point::Zero();
  for (int i = 0; i < values.size(); ++i) sum += values[i] * mesh.nodes[mesh.cell(cell)[i]];
  return sum;
}

/// Inverts x(r) by Newton's method, whose first step is exact where the map is affine; nothing if the point is outside.
std::optional<Point> invert(const Mesh& mesh, Index cell, const Point& point) {
  const int dimension = mesh.dimension();
  const bool simplex = mesh.cell_type == CellType::triangle || mesh.cell_type == CellType::tetrahedron;
  const bool affine = simplex || dimension == 1;
  // Iterates stay near the cell, where the map can be inverted; a point that pulls them away is outside.
  constexpr int max_steps = 20;
  constexpr double nearby = 0.1;
  Point reference = Point::Zero();
  if (!affine) reference.head(dimension).setConstant(0.5);
  bool converged = false;
  for (int step = 0; step < max_steps && !converged; ++step) {
    // r <- r + (dx/dr)^-1 (p - x(r))
    const Point residual = point - position(mesh, cell, reference);
    const Point update = jacobian(mesh, cell, reference).inverse() * residual;
    if (!update.allFinite()) return std::nullopt;
    reference.head(dimension) += update.head(dimension);
    if (affine) break;
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * point.lpNorm<Eigen::Infinity>();
    converged = update.lpNorm<Eigen::Infinity>() < 0.01 * tolerance || residual.lpNorm<Eigen::Infinity>() <= rounding;
    if (!converged) reference = reference.cwiseMax(-nearby).cwiseMin(1 + nearby);
  }
  if (dimension < 3) reference.tail(3 - dimension).setZero();
  const bool above = reference.minCoeff() >= -tolerance;
  const bool below = (simplex ? reference.sum() : reference.maxCoeff()) <= 1 + tolerance;
  return (affine || converged) && above && below ? std::optional(reference) : std::nullopt;
}

}  // namespace

PointLocator::PointLocator(const Mesh& mesh) : mesh_(&mesh) {
  std::vector<Box> boxes(mesh.num_cells());
  for (Index c = 0; c < mesh.num_cells(); ++c) boxes[c] = bounding_box(mesh, c);
  lower_ = boxes.front().lower;
  upper_ = boxes.front().upper;
  for (const Box& box : boxes) {
    lower_ = lower_.cwiseMin(box.lower);
    upper_ = upper_.cwiseMax(box.upper);
  }

  // Cubic bins, about one a cell; coarser ones if long thin cells would be listed in too many of them.
  const int dimension = mesh.dimension();
  const Point extent = upper_ - lower_;
  const double num_cells = mesh.num_cells();
  const double longest = extent.maxCoeff();  // products of tiny extents would underflow
  double volume = 1;
  for (int d = 0; d < dimension; ++d) volume *= extent[d] / longest;
  double edge = longest * std::pow(volume / num_cells, 1. / dimension);
  constexpr double max_listings = 32;
  for (bool fits = false; !fits; edge *= 2) {
    num_bins_.setOnes();
    for (int d = 0; d < dimension; ++d)
      num_bins_[d] = static_cast<int>(std::clamp(std::floor(extent[d] / edge), 1., num_cells));
    bin_size_ = extent.cwiseQuotient(num_bins_.cast<double>());
    double listings = 0;
    for (const Box& box : boxes)
      listings += (bin_of(box.upper) - bin_of(box.lower) + Eigen::Vector3i::Ones()).cast<double>().prod();
    const double total = num_bins_.cast<double>().prod();
    fits = total == 1 || (listings <= max_listings * num_cells && total <= 2 * num_cells);
  }

  const auto for_each_listing = [&](auto&& visit) {
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const Eigen::Vector3i first = bin_of(boxes[c].lower), last = bin_of(boxes[c].upper);
      for (int k = first[2]; k <= last[2]; ++k)
        for (int j = first[1]; j <= last[1]; ++j)
          for (int i = first[0]; i <= last[0]; ++i) visit(bin_number({i, j, k}), c);
    }
  };
  bin_start_.assign(static_cast<std::size_t>(num_bins_.cast<long long>().prod()) + 1, 0);
  for_each_listing([&](std::size_t bin, Index) { ++bin_start_[bin + 1]; });
  std::partial_sum(bin_start_.begin(), bin_start_.end(), bin_start_.begin());
  bin_cells_.resize(bin_start_.back());
  auto next = bin_start_;
  for_each_listing([&](std::size_t bin, Index cell) { bin_cells_[next[bin]++] = cell; });
}

Eigen::Vector3i PointLocator::bin_of(const Point& point) const {
  Eigen::Vector3i bin;
  for (int d = 0; d < 3; ++d) {
    const double at = num_bins_[d] == 1 ? 0 : (point[d] - lower_[d]) / bin_size_[d];
    bin[d] = static_cast<int>(std::clamp(at, 0., num_bins_[d] - 1.));
  }
  return bin;
}

std::size_t PointLocator::bin_number(const Eigen::Vector3i& bin) const {
  return bin[0] + static_cast<std::size_t>(num_bins_[0]) * (bin[1] + static_cast<std::size_t>(num_bins_[1]) * bin[2]);
}

std::optional<Location> PointLocator::find(const Point& point) const {
  if (!point.allFinite()) return std::nullopt;
  const int dimension = mesh_->dimension();
  for (int d = 0; d < dimension; ++d)
    if (!(point[d] >= lower_[d] && point[d] <= upper_[d])) return std::nullopt;
  Point inside = Point::Zero();
  inside.head(dimension) = point.head(dimension);
  const std::size_t bin = bin_number(bin_of(inside));
  for (std::size_t i = bin_start_[bin]; i < bin_start_[bin + 1]; ++i) {
    const Index cell = bin_cells_[i];
    if (!bounding_box(*mesh_, cell).contains(inside)) continue;
    if (const auto reference = invert(*mesh_, cell, inside)) return Location{cell, *reference};
  }
  return std::nullopt;
}

}  // namespace varimesh::mesh
