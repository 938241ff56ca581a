#include "varimesh/fem/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/fem/element.h"
#include "varimesh/mesh/locate.h"
#include "varimesh/mesh/reference_cell.h"

namespace varimesh::fem {
namespace {

using Kind = InputTerm::Kind;

/// Sums of entries with the same place, in the order of places.
class EntrySums {
 public:
  void add_load(Index node, Index amplitude, double value) { load_[{node, amplitude}] += value; }
  void add_mass(Index i, Index j, Index amplitude, double value) {
    mass_[{{std::min(i, j), std::max(i, j)}, amplitude}] += value;
  }
  void take(NodeInputs& result) const {
    for (const auto& [place, value] : load_) result.load.push_back({place.first, place.second, value});
    for (const auto& [place, value] : mass_)
      result.mass.push_back({place.first.first, place.first.second, place.second, value});
  }

 private:
  using Place = std::pair<Index, Index>;
  std::map<Place, double> load_;
  std::map<std::pair<Place, Index>, double> mass_;
};

/// Visits the amplitudes of a term in one cell or facet with what each multiplies: integrate(f) is linear in f.
template <class Integrate, class Visit>
void for_each_share(const InputTerm& term, const Integrate& integrate, const Visit& visit) {
  if (!term.pointwise) {
    visit(term.amplitude, integrate(term.shape));
    return;
  }
  std::vector<Point> points;
  integrate([&](const Point& x) {
    points.push_back(x);
    return 0.0;
  });
  for (std::size_t q = 0; q < points.size(); ++q) {
    std::size_t call = 0;
    visit(term.pointwise(points[q]), integrate([&](const Point&) { return call++ == q ? 1.0 : 0.0; }));
  }
}

std::vector<Index> cells_of(const mesh::Mesh& mesh, const std::string& region) {
  if (!region.empty()) return mesh.region(region).cells;
  std::vector<Index> all(static_cast<std::size_t>(mesh.num_cells()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void add_vector(std::span<const Index> nodes, Index amplitude, const ElementVector& local, EntrySums& sums) {
  for (std::size_t a = 0; a < nodes.size(); ++a)
    sums.add_load(nodes[a], amplitude, local[static_cast<Eigen::Index>(a)]);
}

void add_matrix(std::span<const Index> nodes, Index amplitude, const ElementMatrix& local, EntrySums& sums) {
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b)
      sums.add_mass(nodes[a], nodes[b], amplitude, local(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
  }
}

using WantsFacet = std::function<bool(std::span<const Index> facet)>;

void add_term(const mesh::Mesh& mesh, const InputTerm& term, const WantsFacet& is_wanted, EntrySums& sums) {
  const auto add_vectors = [&](std::span<const Index> nodes, const auto& integrate) {
    for_each_share(term, integrate,
                   [&](Index amplitude, const ElementVector& local) { add_vector(nodes, amplitude, local, sums); });
  };
  const auto add_matrices = [&](std::span<const Index> nodes, const auto& integrate) {
    for_each_share(term, integrate,
                   [&](Index amplitude, const ElementMatrix& local) { add_matrix(nodes, amplitude, local, sums); });
  };
  switch (term.kind) {
    case Kind::source:
      for (const Index c : cells_of(mesh, term.part))
        add_vectors(mesh.cell(c), [&](const ScalarFunction& f) { return element_load(mesh, c, f); });
      break;
    case Kind::reaction:
      for (const Index c : cells_of(mesh, term.part))
        add_matrices(mesh.cell(c), [&](const ScalarFunction& f) { return element_mass(mesh, c, f); });
      break;
    case Kind::neumann:
      for_each_facet(mesh, mesh.boundary(term.part), [&](std::span<const Index> facet) {
        if (is_wanted(facet)) add_vectors(facet, [&](const ScalarFunction& f) { return facet_load(mesh, facet, f); });
      });
      break;
    case Kind::robin:
      for_each_facet(mesh, mesh.boundary(term.part), [&](std::span<const Index> facet) {
        if (is_wanted(facet)) add_matrices(facet, [&](const ScalarFunction& f) { return facet_mass(mesh, facet, f); });
      });
      break;
    case Kind::dirichlet:
      break;
  }
}

/// int a_k phi_i over the cells of unknown k, or int (sum a_k phi_k) phi_i of a field on nodes.
void add_field(const mesh::Mesh& mesh, const FieldInput& field, EntrySums& sums) {
  const auto one = [](const Point&) { return 1.0; };
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    if (!field.map.on_nodes()) {
      if (!field.map.is_known(c))
        add_vector(nodes, field.first + field.map.of_cell[c], element_load(mesh, c, one), sums);
      continue;
    }
    const ElementMatrix mass = element_mass(mesh, c, one);
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      for (SparseRows::InnerIterator entry(field.map.at_nodes, nodes[b]); entry; ++entry)
        add_vector(nodes, field.first + static_cast<Index>(entry.col()),
                   entry.value() * mass.col(static_cast<Eigen::Index>(b)), sums);
    }
  }
}

void add_points(const mesh::Mesh& mesh, const std::vector<PointInput>& points, EntrySums& sums) {
  if (points.empty()) return;
  const mesh::PointLocator locator(mesh);
  for (const PointInput& source : points) {
    const auto location = locator.find(source.point);
    if (!location)
      throw InputError(fmt::format("the point source at ({}) is outside the mesh",
                                   fmt::join(source.point.data(), source.point.data() + mesh.dimension(), ", ")));
    add_vector(mesh.cell(location->cell), source.amplitude, mesh::shape_values(mesh.cell_type, location->reference),
               sums);
  }
}

/// Dirichlet values at nodes: where two parts meet, those of the first.
void add_fixed(const mesh::Mesh& mesh, const Inputs& inputs, NodeInputs& result) {
  std::map<Index, std::pair<const std::string*, std::map<Index, double>>> of_node;
  for (const InputTerm& term : inputs.terms) {
    if (term.kind != Kind::dirichlet) continue;
    for (const Index node : mesh.boundary(term.part).facet_nodes) {
      auto& [owner, values] = of_node.try_emplace(node, &term.part, std::map<Index, double>{}).first->second;
      if (*owner == term.part) {
        const Index amplitude = term.pointwise ? term.pointwise(mesh.nodes[node]) : term.amplitude;
        values[amplitude] = term.pointwise ? 1.0 : term.shape(mesh.nodes[node]);
      }
    }
  }
  for (const auto& [node, owned] : of_node) {
    for (const auto& [amplitude, value] : owned.second) {
      if (value != 0) result.fixed.push_back({node, amplitude, value});
    }
  }
}

}  // namespace

Vector NodeInputs::row_sums(Index num_nodes) const {
  if (mass.empty()) return {};
  Vector sums = Vector::Zero(num_nodes);
  for (const MassEntry& entry : mass) {
    sums[entry.i] += entry.value;
    if (entry.i != entry.j) sums[entry.j] += entry.value;
  }
  return sums;
}

NodeInputs assemble_inputs(const mesh::Mesh& mesh, const Inputs& inputs) {
  NodeInputs result;
  EntrySums sums;
  const auto all = [](std::span<const Index>) { return true; };
  for (const InputTerm& term : inputs.terms) add_term(mesh, term, all, sums);
  for (const FieldInput& field : inputs.fields) add_field(mesh, field, sums);
  add_points(mesh, inputs.points, sums);
  sums.take(result);
  add_fixed(mesh, inputs, result);
  return result;
}

NodeInputs assemble_exchange(const mesh::Mesh& mesh, const Inputs& inputs, const WantsFacet& is_wanted) {
  NodeInputs result;
  EntrySums sums;
  for (const InputTerm& term : inputs.terms) {
    if (term.kind == Kind::neumann || term.kind == Kind::robin) add_term(mesh, term, is_wanted, sums);
  }
  sums.take(result);
  return result;
}

}  // namespace varimesh::fem
