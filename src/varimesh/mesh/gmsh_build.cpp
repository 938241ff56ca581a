#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <numeric>

#include "varimesh/error.h"
#include "varimesh/mesh/facets.h"
#include "varimesh/mesh/gmsh_raw.h"

namespace varimesh::mesh {
namespace {

/// Finds nodes by their tags, which may be sparse and in any order.
class NodeNumbers {
 public:
  NodeNumbers(const std::vector<long long>& tags, std::string_view name) : name_(name), order_(tags.size()) {
    for (std::size_t i = 0; i < tags.size(); ++i) order_[i] = {tags[i], static_cast<Index>(i)};
    std::ranges::sort(order_);
    const auto twice = std::ranges::adjacent_find(order_, {}, &std::pair<long long, Index>::first);
    if (twice != order_.end()) throw InputError(fmt::format("{}: node {} is defined twice", name, twice->first));
  }

  Index find(long long tag, long long element) const {
    const auto found = std::ranges::lower_bound(order_, tag, {}, &std::pair<long long, Index>::first);
    if (found == order_.end() || found->first != tag)
      throw InputError(fmt::format("{}: element {} has node {}, which is not in $Nodes", name_, element, tag));
    return found->second;
  }

 private:
  std::string_view name_;
  std::vector<std::pair<long long, Index>> order_;
};

/// Elements of one type with our node numbers; format 2.2 lists an element once for each of its groups.
struct ElementList {
  std::size_t width = 1;
  std::vector<Index> nodes;
  std::vector<const GmshElement*> elements;

  std::span<const Index> of(std::size_t e) const { return std::span(nodes).subspan(e * width, width); }
};

/// For each element, the first element on the same nodes.
std::vector<Index> first_on_same_nodes(const ElementList& list) {
  std::vector<Index> keys = list.nodes;
  for (std::size_t at = 0; at < keys.size(); at += list.width)
    std::ranges::sort(std::span(keys).subspan(at, list.width));
  const auto compare = [&](Index a, Index b) {
    const auto *key_a = keys.data() + a * list.width, *key_b = keys.data() + b * list.width;
    return std::lexicographical_compare_three_way(key_a, key_a + list.width, key_b, key_b + list.width);
  };
  std::vector<Index> order(list.elements.size()), first(list.elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](Index a, Index b) { return compare(a, b) < 0 || (compare(a, b) == 0 && a < b); });
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] = i > 0 && compare(order[i - 1], order[i]) == 0 ? first[order[i - 1]] : order[i];
  return first;
}

class Builder {
 public:
  Builder(const GmshContents& contents, std::string_view name)
      : contents_(contents), name_(name), numbers_(contents.node_tags, name) {}

  Mesh build() {
    mesh_.nodes = contents_.nodes;
    find_cell_type();
    add_cells();
    flatten();
    add_boundaries();
    names_.mesh = name_;
    names_.nodes = contents_.node_tags;
    names_.cell = "element";
    names_.inverted_hint = "reverse the orientation of its curve, surface or volume in Gmsh";
    validate(mesh_, names_);
    return std::move(mesh_);
  }

 private:
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    throw InputError(fmt::format("{}: {}", name_, fmt::format(format, std::forward<Arguments>(arguments)...)));
  }

  /// Cells are the elements of the highest dimension, which must be all of one type.
  void find_cell_type() {
    const GmshElement* first = nullptr;
    for (const auto& element : contents_.elements) {
      const int dimension = dimension_of(element);
      if (dimension > 0 && (!first || dimension > dimension_of(*first))) first = &element;
    }
    if (!first) fail("expected lines, triangles, quadrilaterals, tetrahedra or hexahedra, found an empty mesh");
    mesh_.cell_type = *gmsh_element_type(first->type)->cell;
    for (const auto& element : contents_.elements)
      if (dimension_of(element) == mesh_.dimension() && element.type != first->type)
        fail("element {} is a {} and element {} is a {}, expected cells of one type", first->tag, type_name(*first),
             element.tag, type_name(element));
  }

  static int dimension_of(const GmshElement& element) { return gmsh_element_type(element.type)->dimension; }
  static std::string_view type_name(const GmshElement& element) {
    const auto cell = gmsh_element_type(element.type)->cell;
    return cell ? topology(*cell).name : "point";
  }

  ElementList list_elements(int dimension) const {
    ElementList list;
    for (const auto& element : contents_.elements) {
      if (dimension_of(element) != dimension) continue;
      const auto width = static_cast<std::size_t>(gmsh_element_type(element.type)->num_nodes);
      list.width = width;
      list.elements.push_back(&element);
      for (std::size_t i = 0; i < width; ++i)
        list.nodes.push_back(numbers_.find(contents_.element_nodes[element.first_node + i], element.tag));
    }
    return list;
  }

  /// The members of each physical group, by the group's tag, ascending and without duplicates.
  std::map<long long, std::vector<Index>> members(const ElementList& list, const std::vector<Index>& number) const {
    std::map<long long, std::vector<Index>> groups;
    for (std::size_t e = 0; e < list.elements.size(); ++e)
      for (const long long group : contents_.group_sets[list.elements[e]->groups]) groups[group].push_back(number[e]);
    for (auto& [group, numbers] : groups) {
      std::ranges::sort(numbers);
      numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    }
    return groups;
  }

  std::string group_name(int dimension, long long group) const {
    const auto found = contents_.physical_names.find({dimension, group});
    const bool named = found != contents_.physical_names.end() && !found->second.empty();
    return named ? found->second : std::to_string(group);
  }

  void add_cells() {
    const ElementList list = list_elements(mesh_.dimension());
    std::vector<Index> number = first_on_same_nodes(list);
    Index count = 0;
    for (std::size_t e = 0; e < number.size(); ++e) {
      if (number[e] != static_cast<Index>(e)) {
        number[e] = number[number[e]];
        continue;
      }
      number[e] = count++;
      const auto nodes = list.of(e);
      mesh_.cell_nodes.insert(mesh_.cell_nodes.end(), nodes.begin(), nodes.end());
      names_.cells.push_back(list.elements[e]->tag);
    }
    for (auto& [group, cells] : members(list, number))
      mesh_.regions.push_back({group_name(mesh_.dimension(), group), std::move(cells)});
  }

  /// Lines must lie along x and plane cells in a plane of constant z; the other coordinates become zero.
  void flatten() {
    Point lower = contents_.nodes.front(), upper = lower;
    for (const Point& x : contents_.nodes) {
      lower = lower.cwiseMin(x);
      upper = upper.cwiseMax(x);
    }
    const double tolerance = 1e-10 * (upper - lower).maxCoeff();
    constexpr std::array axes = {'x', 'y', 'z'};
    for (int d = mesh_.dimension(); d < 3; ++d)
      for (std::size_t n = 0; n < mesh_.nodes.size(); ++n) {
        double& x = mesh_.nodes[n][d];
        const double first = contents_.nodes.front()[d];
        if (!(std::abs(x - first) <= tolerance))
          fail(
              "node {} has {} = {:.6g} and node {} has {:.6g}, expected {} that lie {}; if there should be cells of a "
              "higher dimension, give them a physical group, for Gmsh saves only what has one",
              contents_.node_tags[n], axes[d], x, contents_.node_tags.front(), first, topology(mesh_.cell_type).plural,
              mesh_.dimension() == 1 ? "along the x axis" : "in a plane of constant z");
        x = 0;
      }
  }

  /// Elements one dimension lower must be facets of cells; those in physical groups become boundary parts.
  void add_boundaries() {
    const int dimension = mesh_.dimension() - 1;
    const std::size_t width = topology(mesh_.cell_type).nodes_per_facet;
    for (const auto& element : contents_.elements)
      if (dimension_of(element) == dimension && gmsh_element_type(element.type)->num_nodes != static_cast<int>(width))
        fail_mixed(element);
    const ElementList list = list_elements(dimension);
    if (const auto stray = first_stray_facet(mesh_, list.nodes)) fail_mixed(*list.elements[*stray]);
    for (const auto& [group, facets] : members(list, first_on_same_nodes(list))) {
      BoundaryPart& part = mesh_.boundaries.emplace_back(BoundaryPart{group_name(dimension, group), {}});
      for (const Index facet : facets) {
        const auto nodes = list.of(facet);
        part.facet_nodes.insert(part.facet_nodes.end(), nodes.begin(), nodes.end());
      }
    }
  }

  [[noreturn]] void fail_mixed(const GmshElement& element) const {
    fail(
        "mixed-dimension mesh: element {} is a {} that belongs to no {}, expected only facets of the cells; in Gmsh, "
        "every "
        "part of the domain needs a physical group",
        element.tag, type_name(element), topology(mesh_.cell_type).name);
  }

  const GmshContents& contents_;
  std::string_view name_;
  NodeNumbers numbers_;
  Mesh mesh_;
  MeshNames names_;
};

}  // namespace

void drop_unused_nodes(GmshContents& contents) {
  std::vector<long long> used = contents.element_nodes;
  std::ranges::sort(used);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contents.nodes.size(); ++i) {
    if (!std::ranges::binary_search(used, contents.node_tags[i])) continue;
    contents.node_tags[kept] = contents.node_tags[i];
    contents.nodes[kept++] = contents.nodes[i];
  }
  contents.node_tags.resize(kept);
  contents.nodes.resize(kept);
}

Mesh build_gmsh(const GmshContents& contents, std::string_view name) { return Builder(contents, name).build(); }

}  // namespace varimesh::mesh
