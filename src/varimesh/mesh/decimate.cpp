#include "varimesh/mesh/decimate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "varimesh/cancellation.h"
#include "varimesh/mesh/facets.h"

namespace varimesh::mesh {
namespace {

// A triangle or tetrahedron may become as flat as this, 1 being equilateral, or no flatter than the flattest around.
constexpr double flattest_triangle = 0.25, flattest_tetrahedron = 0.1;
// By how much a side may turn: the cosine of 20 degrees.
constexpr double least_cosine = 0.94;

/// A simplex by its nodes, of which the last is not used in the plane.
using Corners = std::array<Index, 4>;

/// A facet that has to stay: of the surface, between two regions, or of a named part. Two of them with one label
/// belong together.
struct KeptFacet {
  std::array<Index, 3> nodes;
  Index label;
};

/// A mesh whose edges are contracted one by one.
class Contraction {
 public:
  explicit Contraction(const Mesh& mesh);

  /// Contracts edges until so few cells are left, or no edge can go.
  void run(Index cells);
  Index num_cells() const { return num_cells_; }
  Mesh result() const;

 private:
  struct Edge {
    double length;  // relative to the size of the mesh around
    Index from, to;
    bool operator<(const Edge& other) const {  // the shortest first; ties in a fixed order
      return std::tie(other.length, other.from, other.to) < std::tie(length, from, to);
    }
  };

  std::size_t corners() const { return static_cast<std::size_t>(dimension_) + 1; }
  auto nodes_of(Index cell) const { return std::span(cells_[cell]).first(corners()); }
  auto nodes_of(const KeptFacet& facet) const { return std::span(facet.nodes).first(corners() - 1); }
  bool has(Index cell, Index node) const { return std::ranges::find(nodes_of(cell), node) != nodes_of(cell).end(); }
  bool has(const KeptFacet& facet, Index node) const {
    return std::ranges::find(nodes_of(facet), node) != nodes_of(facet).end();
  }

  void keep_facets();
  double measure(const Corners& cell) const;
  double quality(const Corners& cell) const;
  Point normal(const KeptFacet& facet) const;
  std::vector<Index> neighbours(Index node) const;
  void push_edge(Index from, Index to);
  bool may_go(Index from, Index to) const;
  bool facets_may_go(Index from, Index to) const;
  void contract(Index from, Index to);
  void run_through(Index cells);

  const Mesh& mesh_;
  int dimension_;
  Index num_cells_;
  std::vector<Corners> cells_;
  std::vector<char> cell_lives_;
  std::vector<std::vector<Index>> cells_at_;  // each node
  std::vector<KeptFacet> facets_;
  std::vector<char> facet_lives_;
  std::vector<std::vector<Index>> facets_at_;  // each node
  std::vector<std::vector<std::size_t>> parts_of_label_;
  std::vector<double> size_;  // of the mesh around each node, to begin with
  std::priority_queue<Edge> edges_;
};

Contraction::Contraction(const Mesh& mesh)
    : mesh_(mesh),
      dimension_(mesh.dimension()),
      num_cells_(mesh.num_cells()),
      cells_(static_cast<std::size_t>(num_cells_)),
      cell_lives_(cells_.size(), 1),
      cells_at_(mesh.nodes.size()),
      facets_at_(mesh.nodes.size()),
      size_(mesh.nodes.size(), 0) {
  for (Index c = 0; c < num_cells_; ++c) {
    std::ranges::copy(mesh.cell(c), cells_[c].begin());
    for (const Index v : mesh.cell(c)) cells_at_[v].push_back(c);
  }
  keep_facets();
  for (Index v = 0; v < mesh.num_nodes(); ++v) {
    const std::vector<Index> around = neighbours(v);
    for (const Index w : around)
      size_[v] += (mesh.nodes[v] - mesh.nodes[w]).norm() / static_cast<double>(around.size());
  }
}

void Contraction::keep_facets() {
  // A cell's regions, and a facet's parts, as sets; what they have in common decides what belongs together.
  std::vector<std::vector<std::size_t>> regions(cells_.size());
  for (std::size_t r = 0; r < mesh_.regions.size(); ++r)
    for (const Index c : mesh_.regions[r].cells) regions[c].push_back(r);
  std::map<FacetKey, std::vector<std::size_t>> parts;
  for (std::size_t p = 0; p < mesh_.boundaries.size(); ++p)
    for_each_facet(mesh_, mesh_.boundaries[p],
                   [&](std::span<const Index> facet) { parts[facet_key(facet)].push_back(p); });
  std::vector<Index> all;
  for (Index c = 0; c < num_cells_; ++c)
    for (const auto& local : topology(mesh_.cell_type).facets)
      for (const int a : local) all.push_back(mesh_.cell(c)[a]);
  const std::vector<FacetCells> sides = cells_of_facets(mesh_, all);
  using Label = std::pair<std::vector<std::size_t>, std::array<std::vector<std::size_t>, 2>>;
  std::map<Label, Index> labels;
  const std::size_t width = corners() - 1;
  for (std::size_t f = 0; f < sides.size(); ++f) {
    const auto owner = static_cast<Index>(f / corners());
    if (owner != sides[f][0]) continue;  // each facet once
    const auto nodes = std::span(all).subspan(f * width, width);
    const auto part = parts.find(facet_key(nodes));
    Label label;
    if (part != parts.end()) label.first = part->second;
    for (std::size_t s = 0; s < 2; ++s)
      label.second[s] = sides[f][s] < 0 ? std::vector{~std::size_t{0}} : regions[sides[f][s]];
    std::ranges::sort(label.second);
    if (label.first.empty() && label.second[0] == label.second[1]) continue;
    const auto [found, is_new] = labels.emplace(label, static_cast<Index>(labels.size()));
    if (is_new) parts_of_label_.push_back(label.first);
    KeptFacet facet{{-1, -1, -1}, found->second};
    std::ranges::copy(nodes, facet.nodes.begin());
    for (const Index v : nodes) facets_at_[v].push_back(static_cast<Index>(facets_.size()));
    facets_.push_back(facet);
  }
  facet_lives_.assign(facets_.size(), 1);
}

double Contraction::measure(const Corners& cell) const {
  const auto& x = mesh_.nodes;
  const Point a = x[cell[1]] - x[cell[0]], b = x[cell[2]] - x[cell[0]];
  if (dimension_ == 2) return a.cross(b)[2] / 2;
  return a.cross(b).dot(x[cell[3]] - x[cell[0]]) / 6;
}

double Contraction::quality(const Corners& cell) const {
  // c measure / (mean squared edge)^(d/2), c such that it is 1 for an equilateral cell
  double sum = 0;
  for (std::size_t a = 0; a < corners(); ++a)
    for (std::size_t b = 0; b < a; ++b) sum += (mesh_.nodes[cell[a]] - mesh_.nodes[cell[b]]).squaredNorm();
  return dimension_ == 2 ? 4 / std::sqrt(3) * measure(cell) / (sum / 3)
                         : 6 * std::sqrt(2) * measure(cell) / std::pow(sum / 6, 1.5);
}

Point Contraction::normal(const KeptFacet& facet) const {
  const auto& x = mesh_.nodes;
  const Point along = x[facet.nodes[1]] - x[facet.nodes[0]];
  if (dimension_ == 2) return Point(along[1], -along[0], 0).normalized();
  return along.cross(x[facet.nodes[2]] - x[facet.nodes[0]]).normalized();
}

std::vector<Index> Contraction::neighbours(Index node) const {
  std::vector<Index> result;
  for (const Index c : cells_at_[node])
    for (const Index v : nodes_of(c))
      if (v != node) result.push_back(v);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void Contraction::push_edge(Index from, Index to) {
  const double length = (mesh_.nodes[from] - mesh_.nodes[to]).norm();
  edges_.push({2 * length / (size_[from] + size_[to]), from, to});
}

bool Contraction::facets_may_go(Index from, Index to) const {
  // Every surface that the node is on has a facet with the edge, and the others turn but little.
  for (const Index f : facets_at_[from]) {
    const KeptFacet& facet = facets_[f];
    const auto goes = [&](Index other) { return facets_[other].label == facet.label && has(facets_[other], to); };
    if (std::ranges::none_of(facets_at_[from], goes)) return false;
    if (has(facet, to)) continue;
    KeptFacet moved = facet;
    std::ranges::replace(moved.nodes, from, to);
    if (!(normal(moved).dot(normal(facet)) >= least_cosine)) return false;
  }
  return true;
}

bool Contraction::may_go(Index from, Index to) const {
  if (!facets_may_go(from, to)) return false;
  // The cells around `from` become a fan around `to`: a mesh of the same ball if each is positive.
  double worst = 1, worst_moved = 1;
  for (const Index c : cells_at_[from]) {
    worst = std::min(worst, quality(cells_[c]));
    if (has(c, to)) continue;
    Corners moved = cells_[c];
    std::ranges::replace(moved, from, to);
    worst_moved = std::min(worst_moved, quality(moved));
  }
  return worst_moved > 0 && worst_moved >= std::min(dimension_ == 2 ? flattest_triangle : flattest_tetrahedron, worst);
}

void Contraction::contract(Index from, Index to) {
  const auto drop = [](std::vector<Index>& list, Index entry) { std::erase(list, entry); };
  for (const Index c : cells_at_[from]) {
    if (has(c, to)) {
      cell_lives_[c] = 0;
      --num_cells_;
      for (const Index v : nodes_of(c))
        if (v != from) drop(cells_at_[v], c);
    } else {
      std::ranges::replace(cells_[c], from, to);
      cells_at_[to].push_back(c);
    }
  }
  for (const Index f : facets_at_[from]) {
    if (has(facets_[f], to)) {
      facet_lives_[f] = 0;
      for (const Index v : nodes_of(facets_[f]))
        if (v != from) drop(facets_at_[v], f);
    } else {
      std::ranges::replace(facets_[f].nodes, from, to);
      facets_at_[to].push_back(f);
    }
  }
  cells_at_[from].clear();
  facets_at_[from].clear();
  for (const Index other : neighbours(to)) {
    push_edge(to, other);
    push_edge(other, to);
  }
}

void Contraction::run(Index cells) {
  // Edges that could not go may when others around them have gone.
  for (Index before = num_cells_ + 1; num_cells_ < before && num_cells_ > cells;) {
    before = num_cells_;
    for (Index v = 0; v < mesh_.num_nodes(); ++v)
      for (const Index w : neighbours(v)) push_edge(v, w);
    run_through(cells);
  }
}

void Contraction::run_through(Index cells) {
  while (num_cells_ > cells && !edges_.empty()) {
    throw_if_interrupted();
    const Edge edge = edges_.top();
    edges_.pop();
    // An edge of before may have gone.
    const auto joined = [&](Index c) { return has(c, edge.to); };
    if (std::ranges::none_of(cells_at_[edge.from], joined)) continue;
    if (may_go(edge.from, edge.to)) contract(edge.from, edge.to);
  }
}

Mesh Contraction::result() const {
  Mesh result{mesh_.cell_type, {}, {}, {}, {}};
  std::vector<Index> node_number(mesh_.nodes.size(), -1), cell_number(cells_.size(), -1);
  for (std::size_t v = 0; v < node_number.size(); ++v) {
    if (cells_at_[v].empty()) continue;
    node_number[v] = result.num_nodes();
    result.nodes.push_back(mesh_.nodes[v]);
  }
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (!cell_lives_[c]) continue;
    cell_number[c] = result.num_cells();
    for (const Index v : nodes_of(static_cast<Index>(c))) result.cell_nodes.push_back(node_number[v]);
  }
  for (const BoundaryPart& part : mesh_.boundaries) result.boundaries.push_back({part.name, {}});
  for (std::size_t f = 0; f < facets_.size(); ++f) {
    if (!facet_lives_[f]) continue;
    for (const std::size_t part : parts_of_label_[static_cast<std::size_t>(facets_[f].label)])
      for (const Index v : nodes_of(facets_[f])) result.boundaries[part].facet_nodes.push_back(node_number[v]);
  }
  for (const Region& region : mesh_.regions) {
    result.regions.push_back({region.name, {}});
    for (const Index c : region.cells)
      if (cell_number[c] >= 0) result.regions.back().cells.push_back(cell_number[c]);
  }
  return result;
}

}  // namespace

std::optional<Mesh> decimate(const Mesh& mesh, Index cells) {
  if (mesh.cell_type != CellType::triangle && mesh.cell_type != CellType::tetrahedron) return std::nullopt;
  Contraction contraction(mesh);
  contraction.run(cells);
  if (contraction.num_cells() > mesh.num_cells() / 2) return std::nullopt;
  return contraction.result();
}

}  // namespace varimesh::mesh
