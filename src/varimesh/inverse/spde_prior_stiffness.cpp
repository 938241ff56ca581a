#include "varimesh/inverse/spde_prior_stiffness.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <span>
#include <vector>

#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/mesh/cell_graph.h"

namespace varimesh::inverse {
namespace {

/// A facet from one cell to another, or to none (-1) on the boundary.
struct Facet {
  Index from = -1, to = -1;
  Point area;  ///< its normal, out of `from`, times its measure
};

/// The area vector of a cell's facet, given by local node numbers, out of the cell.
Point area_vector(const mesh::Mesh& mesh, Index cell, const std::vector<int>& facet) {
  const auto node = [&](int i) -> const Point& { return mesh.nodes[mesh.cell(cell)[facet[i]]]; };
  switch (facet.size()) {
    case 1:
      return {facet[0] == 0 ? -1.0 : 1.0, 0, 0};
    case 2:
      return {node(1).y() - node(0).y(), node(0).x() - node(1).x(), 0};
    case 3:
      return (node(1) - node(0)).cross(node(2) - node(0)) / 2;
    default:
      return (node(2) - node(0)).cross(node(3) - node(1)) / 2;
  }
}

std::vector<Facet> collect_facets(const mesh::Mesh& mesh, const mesh::CellLabels& facet_of) {
  const auto& local_facets = mesh::topology(mesh.cell_type).facets;
  std::vector<Facet> facets(static_cast<std::size_t>(facet_of.num_labels));
  auto label = facet_of.labels.begin();
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    for (const auto& nodes : local_facets) {
      Facet& facet = facets[*label++];
      if (facet.from < 0) {
        facet.from = c;
        facet.area = area_vector(mesh, c, nodes);
      } else {
        facet.to = c;
      }
    }
  }
  return facets;
}

/// The cells at each node, ascending.
struct NodeCells {
  std::vector<std::size_t> start;
  std::vector<Index> cells;

  explicit NodeCells(const mesh::Mesh& mesh) : start(mesh.nodes.size() + 1, 0), cells(mesh.cell_nodes.size()) {
    for (const Index v : mesh.cell_nodes) ++start[v + 1];
    for (std::size_t v = 0; v + 1 < start.size(); ++v) start[v + 1] += start[v];
    auto next = start;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      for (const Index v : mesh.cell(c)) cells[next[v]++] = c;
    }
  }
  std::span<const Index> at(Index v) const { return std::span(cells).subspan(start[v], start[v + 1] - start[v]); }
};

/// A matrix of zeros on the graph of the cells that share a node.
SparseMatrix zeros_on_neighbours(const mesh::Mesh& mesh) {
  const auto [labels, per_cell, num_labels] = mesh::cell_labels(mesh, mesh::CellNeighbours::sharing_node);
  const linalg::Graph graph = linalg::sharing_graph(labels, per_cell, num_labels);
  SparseMatrix result(graph.size(), graph.size());
  result.resizeNonZeros(graph.start.back() + graph.size());
  Index* row = result.innerIndexPtr();
  for (Index c = 0; c < graph.size(); ++c) {
    const auto neighbours = graph.neighbours(c);
    const auto above = std::ranges::lower_bound(neighbours, c);
    row = std::copy(neighbours.begin(), above, row);
    *row++ = c;
    row = std::copy(above, neighbours.end(), row);
    result.outerIndexPtr()[c + 1] = static_cast<Index>(row - result.innerIndexPtr());
  }
  std::fill_n(result.valuePtr(), result.nonZeros(), 0.0);
  return result;
}

/// What the cells around one node add to the stiffness matrix.
class Patch {
 public:
  explicit Patch(const mesh::Mesh& mesh)
      : mesh_(mesh),
        topology_(mesh::topology(mesh.cell_type)),
        facet_of_(mesh::cell_labels(mesh, mesh::CellNeighbours::sharing_facet)),
        facets_(collect_facets(mesh, facet_of_)) {
    centroids_.reserve(static_cast<std::size_t>(mesh.num_cells()));
    for (Index c = 0; c < mesh.num_cells(); ++c) centroids_.push_back(mesh::centroid(mesh, c));
    measure_.resize(mesh.num_cells());
    for (Index c = 0; c < mesh.num_cells(); ++c) measure_[c] = mesh::signed_measure(mesh, c);
  }

  /// By the cells at the node, in their order.
  const Matrix& stiffness(Index node, std::span<const Index> cells) {
    find_facets(node, cells);
    double volume = 0;
    for (const Index c : cells) volume += measure_[c] / topology_.num_nodes;
    const double m = topology_.nodes_per_facet;
    const auto count = static_cast<Eigen::Index>(inner_.size());
    gradient_.resize(3, count);
    step_.resize(count, 3);
    weight_.resize(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Facet& facet = *inner_[k].facet;
      const Point step = centroids_[facet.to] - centroids_[facet.from];
      // g = P sum_f (1/m) a_f d_f u / |V|
      gradient_.col(k) = facet.area / (m * volume);
      step_.row(k) = step.transpose();
      // w_f / m = a_f . d_f x / (m |d_f x|^2)
      weight_[k] = std::max(facet.area.dot(step), 0.0) / (m * step.squaredNorm());
    }
    if (const double size = outward_.norm(); size > 0) {
      const Point normal = outward_ / size;
      gradient_ -= normal * (normal.transpose() * gradient_).eval();
    }
    // |V| g'g + sum_f (w_f / m) (d_f u - g . d_f x)^2, by differences
    remainder_ = -step_ * gradient_;
    remainder_.diagonal().array() += 1;
    energy_ = volume * gradient_.transpose() * gradient_;
    energy_ += remainder_.transpose() * weight_.asDiagonal() * remainder_;
    // ... and by values: d_f u = u_to - u_from
    stiffness_.setZero(std::ssize(cells), std::ssize(cells));
    for (Eigen::Index l = 0; l < count; ++l) {
      for (Eigen::Index k = 0; k < count; ++k) {
        const double e = energy_(k, l);
        stiffness_(inner_[k].to, inner_[l].to) += e;
        stiffness_(inner_[k].from, inner_[l].from) += e;
        stiffness_(inner_[k].to, inner_[l].from) -= e;
        stiffness_(inner_[k].from, inner_[l].to) -= e;
      }
    }
    return stiffness_;
  }

 private:
  struct Inner {
    const Facet* facet;
    Eigen::Index from, to;  ///< places among the patch's cells
  };

  /// The facets at the node that have a cell on both sides, and the sum of the area vectors of the others.
  void find_facets(Index node, std::span<const Index> cells) {
    inner_.clear();
    outward_.setZero();
    const auto place = [&](Index c) { return std::ranges::lower_bound(cells, c) - cells.begin(); };
    for (const Index c : cells) {
      const auto nodes = mesh_.cell(c);
      for (std::size_t i = 0; i < topology_.facets.size(); ++i) {
        const Facet& facet = facets_[facet_of_.labels[static_cast<std::size_t>(c) * topology_.facets.size() + i]];
        const auto is_node = [&](int corner) { return nodes[corner] == node; };
        if (facet.from != c || std::ranges::none_of(topology_.facets[i], is_node)) continue;
        if (facet.to < 0) {
          outward_ += facet.area;
        } else {
          inner_.push_back({&facet, place(c), place(facet.to)});
        }
      }
    }
  }

  const mesh::Mesh& mesh_;
  const mesh::CellTopology& topology_;
  mesh::CellLabels facet_of_;
  std::vector<Facet> facets_;
  std::vector<Point> centroids_;
  Vector measure_;
  std::vector<Inner> inner_;
  Point outward_ = Point::Zero();
  Eigen::Matrix<double, 3, Eigen::Dynamic> gradient_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> step_;
  Vector weight_;
  Matrix remainder_, energy_, stiffness_;
};

/// Adds a small matrix on the given rows and columns, which are ascending and have a place in the pattern.
void add(const Matrix& block, std::span<const Index> places, SparseMatrix& sum) {
  for (std::size_t j = 0; j < places.size(); ++j) {
    const Index* row = sum.innerIndexPtr() + sum.outerIndexPtr()[places[j]];
    const Index* end = sum.innerIndexPtr() + sum.outerIndexPtr()[places[j] + 1];
    for (std::size_t i = 0; i < places.size(); ++i) {
      row = std::lower_bound(row, end, places[i]);
      sum.valuePtr()[row - sum.innerIndexPtr()] += block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
}

}  // namespace

SparseMatrix cell_stiffness(const mesh::Mesh& mesh) {
  SparseMatrix stiffness = zeros_on_neighbours(mesh);
  const NodeCells cells(mesh);
  Patch patch(mesh);
  for (Index v = 0; v < mesh.num_nodes(); ++v) add(patch.stiffness(v, cells.at(v)), cells.at(v), stiffness);
  return stiffness;
}

}  // namespace varimesh::inverse
