#include <fmt/format.h>

#include <cstdlib>

#include "varimesh/mesh/gmsh_raw.h"

namespace varimesh::mesh {
namespace {

/// How many blocks and items a section announces.
struct Totals {
  long long blocks, items;
};

Totals read_totals(GmshScanner& scanner, std::string_view items) {
  Totals totals{};
  totals.blocks = scanner.size("the number of blocks");
  scanner.check_count(totals.blocks, "blocks", {20, 4});
  totals.items = scanner.size("the number of nodes or elements");
  scanner.check_count(totals.items, items, {8, 1});
  scanner.size("the smallest tag");
  scanner.size("the largest tag");
  return totals;
}

int read_dimension(GmshScanner& scanner) {
  const int dimension = scanner.integer("the dimension of an entity");
  if (dimension < 0 || dimension > 3)
    scanner.fail(fmt::format("expected the dimension of an entity, 0 to 3, found {}", dimension));
  return dimension;
}

void check_total(const GmshScanner& scanner, long long expected, std::size_t found, std::string_view what) {
  if (expected != static_cast<long long>(found))
    scanner.fail(fmt::format("expected {} {} in all blocks, found {}", expected, what, found));
}

/// The number of items in a block; the blocks before it had `before`.
long long read_block_size(GmshScanner& scanner, const Totals& totals, std::size_t before, std::string_view items,
                          GmshScanner::ItemSize item) {
  const long long count = scanner.size("the number of nodes or elements in a block");
  const long long left = totals.items - static_cast<long long>(before);
  if (count > left) scanner.fail(fmt::format("expected a block of at most {} {}, found {}", left, items, count));
  scanner.check_count(count, items, item);
  return count;
}

/// The list of the entities that bound an entity: we have no use for it.
void skip_bounding_entities(GmshScanner& scanner) {
  const long long count = scanner.size("the number of bounding entities");
  scanner.check_count(count, "bounding entities", {4, 1});
  for (long long i = 0; i < count; ++i) scanner.integer("a bounding entity");
}

}  // namespace

void read_entities_4(GmshScanner& scanner, GmshContents& contents) {
  long long counts[4];
  for (auto& count : counts) count = scanner.size("the number of entities");
  for (int dimension = 0; dimension < 4; ++dimension) {
    scanner.check_count(counts[dimension], "entities",
                        dimension == 0 ? GmshScanner::ItemSize{36, 5} : GmshScanner::ItemSize{68, 9});
    for (long long e = 0; e < counts[dimension]; ++e) {
      const int tag = scanner.integer("the tag of an entity");
      const int num_reals = dimension == 0 ? 3 : 6;  // the point, or the bounding box
      for (int i = 0; i < num_reals; ++i) scanner.real("a coordinate of an entity");
      const long long num_groups = scanner.size("the number of physical groups of an entity");
      scanner.check_count(num_groups, "physical groups", {4, 1});
      std::vector<long long> groups;
      // A negative tag means the group has the entity with reversed orientation.
      for (long long i = 0; i < num_groups; ++i) groups.push_back(std::llabs(scanner.integer("a physical group")));
      if (dimension > 0) skip_bounding_entities(scanner);
      if (groups.empty()) continue;
      contents.entity_groups[{dimension, tag}] = static_cast<int>(contents.group_sets.size());
      contents.group_sets.push_back(std::move(groups));
    }
  }
}

void read_nodes_4(GmshScanner& scanner, GmshContents& contents) {
  const Totals totals = read_totals(scanner, "nodes");
  for (long long b = 0; b < totals.blocks; ++b) {
    const int dimension = read_dimension(scanner);
    scanner.integer("the tag of an entity");
    const int parametric = scanner.integer("0 or 1 for parametric nodes");
    if (parametric != 0 && parametric != 1)
      scanner.fail(fmt::format("expected 0 or 1 for parametric nodes, found {}", parametric));
    const long long count = read_block_size(scanner, totals, contents.nodes.size(), "nodes", {32, 4});
    for (long long i = 0; i < count; ++i) contents.node_tags.push_back(scanner.size("a node number"));
    for (long long i = 0; i < count; ++i) {
      Point& point = contents.nodes.emplace_back();
      for (double& x : point) x = scanner.coordinate("a coordinate of a node");
      for (int p = 0; p < parametric * dimension; ++p) scanner.real("a parameter of a node");
    }
  }
  check_total(scanner, totals.items, contents.nodes.size(), "nodes");
}

void read_elements_4(GmshScanner& scanner, GmshContents& contents) {
  const Totals totals = read_totals(scanner, "elements");
  for (long long b = 0; b < totals.blocks; ++b) {
    const int dimension = read_dimension(scanner);
    const int entity = scanner.integer("the tag of an entity");
    const GmshElementType type = read_element_type(scanner, contents.corners_only);
    if (type.dimension != dimension)
      scanner.fail(fmt::format("expected elements of dimension {} as their entity {} has, found Gmsh element type {}",
                               dimension, entity, type.number));
    const long long numbers = 1 + type.num_nodes + type.further_nodes;
    const long long count =
        read_block_size(scanner, totals, contents.elements.size(), "elements", {8 * numbers, numbers});
    const auto found = contents.entity_groups.find({dimension, entity});
    const int groups = found == contents.entity_groups.end() ? 0 : found->second;
    for (long long i = 0; i < count; ++i) {
      contents.elements.push_back(
          {type.number, groups, scanner.size("an element number"), contents.element_nodes.size()});
      for (int n = 0; n < type.num_nodes; ++n) contents.element_nodes.push_back(scanner.size("a node of an element"));
      for (int n = 0; n < type.further_nodes; ++n) scanner.size("a node of an element");
    }
  }
  check_total(scanner, totals.items, contents.elements.size(), "elements");
}

}  // namespace varimesh::mesh
