#include "varimesh/mesh/mesh.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "varimesh/error.h"
#include "varimesh/mesh/facets.h"
#include "varimesh/mesh/reference_cell.h"
#include "varimesh/quote.h"
#include "varimesh/suggest.h"

namespace varimesh::mesh {
namespace {

/// The part of that name, or an InputError that lists the names there are.
template <class Part>
const Part& find_named(const std::vector<Part>& parts, std::string_view kind, std::string_view name) {
  const auto found = std::ranges::find(parts, name, &Part::name);
  if (found != parts.end()) return *found;
  if (parts.empty())
    throw InputError(
        fmt::format("the mesh has no {} {}: it has no named ones (in Gmsh, physical groups)", kind, quote(name)));
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  throw InputError(fmt::format("the mesh has no {} {}, expected one of {}{}", kind, quote(name), quote_list(names),
                               suggestion(name, names)));
}

/// integral of det(dx/dr) over the reference cell, or the smallest corner value if that is not positive.
double q1_measure(const Mesh& mesh, Index cell) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int node = 0; node < topology(mesh.cell_type).num_nodes; ++node)
    smallest = std::min(smallest, jacobian(mesh, cell, reference_node(mesh.cell_type, node)).determinant());
  if (!(smallest > 0)) return smallest;
  double sum = 0;
  for (const auto& q : quadrature(mesh.cell_type)) sum += q.weight * jacobian(mesh, cell, q.reference).determinant();
  return sum;
}

class Validator {
 public:
  Validator(const Mesh& mesh, const MeshNames& names)
      : mesh_(mesh), names_(names), topology_(topology(mesh.cell_type)) {}

  void check_nodes() const {
    for (Index n = 0; n < mesh_.num_nodes(); ++n)
      if (!mesh_.nodes[n].allFinite()) fail("node {} has a coordinate that is not finite", node(n));
  }

  void check_cells() const {
    if (mesh_.cell_nodes.empty()) fail("the mesh has no cells");
    if (mesh_.cell_nodes.size() % topology_.num_nodes != 0)
      fail("the cells have {} node numbers, expected a multiple of {}", mesh_.cell_nodes.size(), topology_.num_nodes);
    std::vector<char> used(mesh_.nodes.size(), 0);
    for (std::size_t i = 0; i < mesh_.cell_nodes.size(); ++i) {
      const Index n = mesh_.cell_nodes[i];
      if (n < 0 || n >= mesh_.num_nodes())
        fail("{} {} has node {}, expected a node number below {}", names_.cell,
             cell(static_cast<Index>(i / topology_.num_nodes)), n, mesh_.num_nodes());
      used[n] = 1;
    }
    const auto orphan = std::ranges::find(used, 0);
    if (orphan != used.end())
      fail("node {} belongs to no {}, expected every node to be a corner of one",
           node(static_cast<Index>(orphan - used.begin())), names_.cell);
  }

  void check_orientation() const {
    constexpr std::array measure_names = {"length", "area", "volume"};
    for (Index c = 0; c < mesh_.num_cells(); ++c) {
      const double measure = signed_measure(mesh_, c);
      if (measure > 0 && std::isfinite(measure)) continue;
      fail("{} {} is inverted or degenerate: expected a positive {}, found {:.6g}{}{}", names_.cell, cell(c),
           measure_names[topology_.dimension - 1], measure, names_.inverted_hint.empty() ? "" : "; ",
           names_.inverted_hint);
    }
  }

  void check_boundaries() const {
    const std::size_t width = topology_.nodes_per_facet;
    std::set<std::string_view> seen;
    std::vector<Index> facet_nodes;
    for (const auto& part : mesh_.boundaries) {
      if (!seen.insert(part.name).second)
        fail("two boundaries are called {}, expected different names", quote(part.name));
      if (part.facet_nodes.size() % width != 0)
        fail("boundary {} has {} node numbers, expected a multiple of {}", quote(part.name), part.facet_nodes.size(),
             width);
      for (const Index n : part.facet_nodes)
        if (n < 0 || n >= mesh_.num_nodes())
          fail("boundary {} has node {}, expected a node number below {}", quote(part.name), n, mesh_.num_nodes());
      facet_nodes.insert(facet_nodes.end(), part.facet_nodes.begin(), part.facet_nodes.end());
    }
    const auto stray = first_stray_facet(mesh_, facet_nodes);
    if (!stray) return;
    std::vector<long long> facet;
    for (std::size_t i = 0; i < width; ++i) facet.push_back(node(facet_nodes[*stray * width + i]));
    std::size_t end = 0;
    const auto part = std::ranges::find_if(mesh_.boundaries, [&](const BoundaryPart& candidate) {
      end += candidate.facet_nodes.size();
      return *stray * width < end;
    });
    fail("boundary {} has a facet on nodes {} that belongs to no {}", quote(part->name), fmt::join(facet, ", "),
         names_.cell);
  }

  void check_regions() const {
    std::set<std::string_view> seen;
    for (const auto& region : mesh_.regions) {
      if (!seen.insert(region.name).second)
        fail("two regions are called {}, expected different names", quote(region.name));
      Index previous = -1;
      for (const Index c : region.cells) {
        if (c <= previous || c >= mesh_.num_cells())
          fail("region {} has cell {} after {}, expected ascending numbers below {}", quote(region.name), c, previous,
               mesh_.num_cells());
        previous = c;
      }
    }
  }

 private:
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    throw InputError(names_.mesh + ": " + fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  long long cell(Index c) const { return names_.cells.empty() ? c : names_.cells[c]; }
  long long node(Index n) const { return names_.nodes.empty() ? n : names_.nodes[n]; }

  const Mesh& mesh_;
  const MeshNames& names_;
  const CellTopology& topology_;
};

}  // namespace

const CellTopology& topology(CellType type) {
  static const std::array<CellTopology, 5> topologies = {{
      {"line", "lines", 1, 2, 1, {{0}, {1}}},
      {"triangle", "triangles", 2, 3, 2, {{0, 1}, {1, 2}, {2, 0}}},
      {"quadrilateral", "quadrilaterals", 2, 4, 2, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
      {"tetrahedron", "tetrahedra", 3, 4, 3, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}},
      {"hexahedron",
       "hexahedra",
       3,
       8,
       4,
       {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
  }};
  return topologies[static_cast<std::size_t>(type)];
}

const BoundaryPart& Mesh::boundary(std::string_view name) const { return find_named(boundaries, "boundary", name); }
const Region& Mesh::region(std::string_view name) const { return find_named(regions, "region", name); }

Point centroid(const Mesh& mesh, Index cell) {
  Point sum = Point::Zero();
  for (const Index n : mesh.cell(cell)) sum += mesh.nodes[n];
  return sum / topology(mesh.cell_type).num_nodes;
}

double signed_measure(const Mesh& mesh, Index cell) {
  switch (mesh.cell_type) {
    case CellType::quadrilateral:
    case CellType::hexahedron:
      return q1_measure(mesh, cell);
    default: {
      // |T| = det(dx/dr) / d!
      constexpr std::array factorial = {1, 1, 2, 6};
      return jacobian(mesh, cell, Point::Zero()).determinant() / factorial[mesh.dimension()];
    }
  }
}

void validate(const Mesh& mesh, const MeshNames& names) {
  const Validator validator(mesh, names);
  validator.check_nodes();
  validator.check_cells();
  validator.check_orientation();
  validator.check_boundaries();
  validator.check_regions();
}

}  // namespace varimesh::mesh
