#include "varimesh/inverse/spde_prior_stiffness.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "varimesh/fem/element.h"
#include "varimesh/linalg/neighbourhood.h"
#include "varimesh/linalg/sparse_assembly.h"
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

/// What the cells around one node add to the stiffness matrix.
class Patch {
 public:
  Patch(const mesh::Mesh& mesh, const Media& media)
      : mesh_(mesh),
        media_(media),
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
    stiffness_.setZero(std::ssize(cells), std::ssize(cells));
    for (const bool barrier : {false, true}) {
      find_facets(node, cells, barrier);
      if (!inner_.empty()) add_energy();
    }
    return stiffness_;
  }

 private:
  struct Inner {
    const Facet* facet;
    Eigen::Index from, to;  ///< places among the patch's cells
  };

  /// Of the patch's cells that are barriers, or those that are not: their volume and mean diffusion, the facets at the
  /// node between two of them, and the sum of the area vectors of the others.
  void find_facets(Index node, std::span<const Index> cells, bool barrier) {
    inner_.clear();
    outward_.setZero();
    volume_ = 0;
    diffusion_.setZero();
    const auto place = [&](Index c) { return std::ranges::lower_bound(cells, c) - cells.begin(); };
    for (const Index c : cells) {
      const Medium& medium = media_.at(c);
      if (medium.barrier != barrier) continue;
      const double share = measure_[c] / topology_.num_nodes;
      volume_ += share;
      diffusion_ += share * medium.diffusion;
      const auto nodes = mesh_.cell(c);
      for (std::size_t i = 0; i < topology_.facets.size(); ++i) {
        const Facet& facet = facets_[facet_of_.labels[static_cast<std::size_t>(c) * topology_.facets.size() + i]];
        const auto is_node = [&](int corner) { return nodes[corner] == node; };
        if (std::ranges::none_of(topology_.facets[i], is_node)) continue;
        const Index other = facet.from == c ? facet.to : facet.from;
        if (other < 0 || media_.at(other).barrier != barrier) {
          outward_ += facet.from == c ? facet.area : Point(-facet.area);
        } else if (facet.from == c) {
          inner_.push_back({&facet, place(c), place(other)});
        }
      }
    }
    diffusion_ /= volume_;
  }

  void add_energy() {
    const double m = topology_.nodes_per_facet;
    const auto count = static_cast<Eigen::Index>(inner_.size());
    const Eigen::Matrix3d resistance = diffusion_.inverse();
    gradient_.resize(3, count);
    step_.resize(count, 3);
    weight_.resize(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Facet& facet = *inner_[k].facet;
      const Point step = centroids_[facet.to] - centroids_[facet.from];
      // g = P sum_f (1/m) a_f d_f u / |V|
      gradient_.col(k) = facet.area / (m * volume_);
      step_.row(k) = step.transpose();
      // w_f / m = a_f . d_f x / (m d_f x' T^-1 d_f x)
      weight_[k] = std::max(facet.area.dot(step), 0.0) / (m * step.dot(resistance * step));
    }
    if (const double size = outward_.norm(); size > 0) {
      // P = I - n (T n)' / (n' T n)
      const Point normal = outward_ / size, flux = diffusion_ * normal;
      gradient_ -= normal / normal.dot(flux) * (flux.transpose() * gradient_).eval();
    }
    // |V| g'T g + sum_f (w_f / m) (d_f u - g . d_f x)^2, by differences
    remainder_ = -step_ * gradient_;
    remainder_.diagonal().array() += 1;
    energy_ = volume_ * gradient_.transpose() * diffusion_ * gradient_;
    energy_ += remainder_.transpose() * weight_.asDiagonal() * remainder_;
    // ... and by values: d_f u = u_to - u_from
    for (Eigen::Index l = 0; l < count; ++l) {
      for (Eigen::Index k = 0; k < count; ++k) {
        const double e = energy_(k, l);
        stiffness_(inner_[k].to, inner_[l].to) += e;
        stiffness_(inner_[k].from, inner_[l].from) += e;
        stiffness_(inner_[k].to, inner_[l].from) -= e;
        stiffness_(inner_[k].from, inner_[l].to) -= e;
      }
    }
  }

  const mesh::Mesh& mesh_;
  const Media& media_;
  const mesh::CellTopology& topology_;
  mesh::CellLabels facet_of_;
  std::vector<Facet> facets_;
  std::vector<Point> centroids_;
  Vector measure_;
  std::vector<Inner> inner_;
  Point outward_ = Point::Zero();
  double volume_ = 0;
  Eigen::Matrix3d diffusion_;
  Eigen::Matrix<double, 3, Eigen::Dynamic> gradient_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> step_;
  Vector weight_;
  Matrix remainder_, energy_, stiffness_;
};

}  // namespace

SparseMatrix cell_stiffness(const mesh::Mesh& mesh, const Media& media) {
  const auto [labels, per_cell, num_labels] = mesh::cell_labels(mesh, mesh::CellNeighbours::sharing_node);
  SparseMatrix stiffness = linalg::zeros_on(linalg::sharing_graph(labels, per_cell, num_labels));
  const NodeCells cells(mesh);
  Patch patch(mesh, media);
  for (Index v = 0; v < mesh.num_nodes(); ++v)
    linalg::add_block(patch.stiffness(v, cells.at(v)), cells.at(v), stiffness);
  return stiffness;
}

SparseMatrix node_stiffness(const mesh::Mesh& mesh, const Media& media) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) edges.emplace_back(nodes[i], nodes[j]);
    }
  }
  SparseMatrix stiffness = linalg::zeros_on(linalg::create_graph(mesh.num_nodes(), edges));
  for (Index c = 0; c < mesh.num_cells(); ++c)
    linalg::add_block(fem::lumped_stiffness(mesh, c, media.at(c).diffusion), mesh.cell(c), stiffness);
  return stiffness;
}

}  // namespace varimesh::inverse
