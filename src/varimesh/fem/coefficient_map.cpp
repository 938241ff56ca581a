#include "varimesh/fem/coefficient_map.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "varimesh/error.h"

namespace varimesh::fem {
namespace {

/// Row r takes the mean of the entries that `columns` lists from start[r] to start[r + 1].
SparseRows means(const std::vector<Index>& start, const std::vector<Index>& columns, Index num_columns) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(columns.size());
  for (std::size_t r = 0; r + 1 < start.size(); ++r) {
    for (Index k = start[r]; k < start[r + 1]; ++k)
      entries.emplace_back(static_cast<Index>(r), columns[k], 1.0 / (start[r + 1] - start[r]));
  }
  SparseRows result(static_cast<Eigen::Index>(start.size()) - 1, num_columns);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace

CoefficientMap one_per_cell(const mesh::Mesh& mesh) {
  CoefficientMap map{mesh.num_cells(), std::vector<Index>(static_cast<std::size_t>(mesh.num_cells()))};
  std::iota(map.of_cell.begin(), map.of_cell.end(), 0);
  return map;
}

CoefficientMap one_per_block(const mesh::Mesh& mesh, const std::vector<Index>& blocks) {
  const int dimension = mesh.dimension();
  if (static_cast<int>(blocks.size()) != dimension)
    throw InputError(
        fmt::format("expected {} numbers of blocks, one for each axis, found {}", dimension, blocks.size()));
  double num_blocks = 1;
  for (const Index count : blocks) {
    if (count < 1) throw InputError(fmt::format("expected a positive number of blocks, found {}", count));
    num_blocks *= count;
  }
  if (num_blocks > mesh.num_cells())
    throw InputError(
        fmt::format("expected at most as many blocks as cells ({}), found {}", mesh.num_cells(), num_blocks));

  Point lower = mesh.nodes.front(), upper = lower;
  for (const Point& node : mesh.nodes) {
    lower = lower.cwiseMin(node);
    upper = upper.cwiseMax(node);
  }
  CoefficientMap map{static_cast<Index>(num_blocks), {}};
  map.of_cell.reserve(static_cast<std::size_t>(mesh.num_cells()));
  std::vector<char> used(static_cast<std::size_t>(map.num_coefficients), 0);
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const Point centroid = mesh::centroid(mesh, c);
    Index block = 0;
    for (int axis = dimension - 1; axis >= 0; --axis) {
      const double position = (centroid[axis] - lower[axis]) / (upper[axis] - lower[axis]);
      const Index along = std::clamp(static_cast<Index>(position * blocks[axis]), 0, blocks[axis] - 1);
      block = block * blocks[axis] + along;
    }
    map.of_cell.push_back(block);
    used[block] = 1;
  }
  if (const auto empty = std::find(used.begin(), used.end(), 0); empty != used.end())
    throw InputError(
        fmt::format("block {} contains no cell's centroid: use fewer blocks or a finer mesh", empty - used.begin()));
  return map;
}

CoefficientMap one_per_region(const mesh::Mesh& mesh) {
  if (mesh.regions.empty()) throw InputError("the mesh has no named regions: expected one for each unknown");
  CoefficientMap map{static_cast<Index>(mesh.regions.size()),
                     std::vector<Index>(static_cast<std::size_t>(mesh.num_cells()), -1)};
  for (Index r = 0; r < map.num_coefficients; ++r) {
    for (const Index c : mesh.regions[r].cells) {
      if (map.of_cell[c] >= 0)
        throw InputError(fmt::format("cell {} is in region '{}' and in region '{}': expected one", c,
                                     mesh.regions[map.of_cell[c]].name, mesh.regions[r].name));
      map.of_cell[c] = r;
    }
  }
  if (const auto none = std::find(map.of_cell.begin(), map.of_cell.end(), -1); none != map.of_cell.end())
    throw InputError(fmt::format("cell {} is in no named region: expected one", none - map.of_cell.begin()));
  return map;
}

CoefficientMap one_per_node(const mesh::Mesh& mesh) {
  CoefficientMap map{mesh.num_nodes(), {}, SparseRows(mesh.num_nodes(), mesh.num_nodes())};
  map.at_nodes.setIdentity();
  return map;
}

CoefficientMap fix(const CoefficientMap& map, const std::vector<Index>& cells, const Vector& kappa) {
  if (map.on_nodes())
    throw InputError("a conductivity can be known with one unknown for each cell, block or region, not for each node");
  CoefficientMap result{0, std::vector<Index>(map.of_cell.size(), -1)};
  result.tensors = map.tensors;
  std::set<double> values(kappa.begin(), kappa.end());
  result.known = Vector(static_cast<Eigen::Index>(values.size()));
  std::ranges::copy(values, result.known.begin());
  std::vector<char> fixed(map.of_cell.size(), 0);
  for (const Index c : cells) {
    if (std::exchange(fixed[c], 1)) throw InputError(fmt::format("cell {} is in two regions: expected one", c));
  }
  std::vector<Index> number(static_cast<std::size_t>(map.num_coefficients), -1);
  for (std::size_t c = 0; c < fixed.size(); ++c)
    if (!fixed[c]) number[map.of_cell[c]] = 0;
  for (Index& unknown : number)
    if (unknown == 0) unknown = result.num_coefficients++;
  if (result.num_coefficients == 0)
    throw InputError("the conductivity of every cell is known: nothing is left to infer");
  for (std::size_t c = 0; c < fixed.size(); ++c)
    if (!fixed[c]) result.of_cell[c] = number[map.of_cell[c]];
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto value = std::ranges::lower_bound(result.known, kappa[static_cast<Eigen::Index>(k)]);
    result.of_cell[cells[k]] = result.num_coefficients + static_cast<Index>(value - result.known.begin());
  }
  return result;
}

void add_tensor(ConductivityTensors& tensors, const mesh::Mesh& mesh, const std::string& region,
                const Eigen::Matrix3d& tensor) {
  const auto d = static_cast<Eigen::Index>(mesh.dimension());
  const Matrix plane = tensor.topLeftCorner(d, d);
  // A pivot of rounding size means that it is singular.
  const Eigen::LDLT<Matrix> factor(plane);
  if (!plane.allFinite() || plane != plane.transpose() ||
      !(factor.vectorD().minCoeff() > 1e-14 * plane.cwiseAbs().maxCoeff()))
    throw InputError(fmt::format("expected a tensor that is symmetric and positive definite, found [{:.6g}]",
                                 fmt::join(plane.reshaped<Eigen::RowMajor>(), ", ")));
  if (tensors.of_cell.empty()) tensors.of_cell.assign(static_cast<std::size_t>(mesh.num_cells()), -1);
  const auto number = static_cast<Index>(tensors.values.size());
  tensors.values.push_back(tensor);
  const auto give = [&](Index cell) {
    if (std::exchange(tensors.of_cell[static_cast<std::size_t>(cell)], number) >= 0)
      throw InputError(fmt::format("cell {} has two tensors: expected one", cell));
  };
  if (region.empty()) {
    for (Index c = 0; c < mesh.num_cells(); ++c) give(c);
  } else {
    std::ranges::for_each(mesh.region(region).cells, give);
  }
}

Eigen::Matrix3d axial_tensor(double ratio, const Point& axis) {
  const Point along = axis.normalized();
  const Eigen::Matrix3d outer = along * along.transpose();  // symmetric to the last bit
  return Eigen::Matrix3d::Identity() + (ratio - 1) * outer;
}

Eigen::Matrix3d CoefficientMap::tensor(Index cell) const {
  const Index number = tensors.of_cell.empty() ? -1 : tensors.of_cell[static_cast<std::size_t>(cell)];
  return number < 0 ? Eigen::Matrix3d::Identity() : tensors.values[static_cast<std::size_t>(number)];
}

CoefficientMap refine(const CoefficientMap& map, const mesh::RefinedMesh& fine) {
  CoefficientMap refined{map.num_coefficients, {}, SparseRows(0, 0), map.known, {map.tensors.values, {}}};
  if (!map.tensors.of_cell.empty()) {
    for (const Index coarse : fine.parent) refined.tensors.of_cell.push_back(map.tensors.of_cell[coarse]);
  }
  if (map.on_nodes()) {
    refined.at_nodes = means(fine.corner_start, fine.corners, static_cast<Index>(map.at_nodes.rows())) * map.at_nodes;
  } else {
    refined.of_cell.reserve(fine.parent.size());
    for (const Index coarse : fine.parent) refined.of_cell.push_back(map.of_cell[coarse]);
  }
  return refined;
}

std::vector<Point> coefficient_positions(const mesh::Mesh& mesh, const CoefficientMap& map) {
  // Refinement adds nodes behind those that have unknowns.
  if (map.on_nodes()) return {mesh.nodes.begin(), mesh.nodes.begin() + map.num_coefficients};
  std::vector<Point> centroids(static_cast<std::size_t>(map.num_coefficients), Point::Zero());
  std::vector<double> measure(centroids.size(), 0);
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    if (map.is_known(c)) continue;
    const double weight = mesh::signed_measure(mesh, c);
    centroids[map.of_cell[c]] += weight * mesh::centroid(mesh, c);
    measure[map.of_cell[c]] += weight;
  }
  for (std::size_t k = 0; k < centroids.size(); ++k) centroids[k] /= measure[k];
  return centroids;
}

Vector coefficient_volumes(const mesh::Mesh& mesh, const CoefficientMap& map) {
  Vector result = Vector::Zero(map.on_nodes() ? mesh.num_nodes() : map.num_coefficients);
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    if (map.is_known(c)) continue;
    const double volume = mesh::signed_measure(mesh, c);
    if (!map.on_nodes()) {
      result[map.of_cell[c]] += volume;
      continue;
    }
    const auto nodes = mesh.cell(c);
    for (const Index node : nodes) result[node] += volume / static_cast<double>(nodes.size());
  }
  return map.on_nodes() ? Vector(map.at_nodes.transpose() * result) : result;
}

SparseRows cell_means(const mesh::Mesh& mesh, const CoefficientMap& map) {
  std::vector<Index> start(static_cast<std::size_t>(mesh.num_cells()) + 1, 0);
  for (Index c = 0; c < mesh.num_cells(); ++c) start[c + 1] = start[c] + topology(mesh.cell_type).num_nodes;
  return means(start, mesh.cell_nodes, mesh.num_nodes()) * map.at_nodes;
}

}  // namespace varimesh::fem
