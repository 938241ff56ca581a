#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "varimesh/mesh/gmsh_scanner.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// What a Gmsh element type that we read is made of; `cell` is empty for points.
struct GmshElementType {
  int number, dimension, num_nodes;
  std::optional<CellType> cell;
  int further_nodes = 0;  ///< of a second-order element that is read by its corners: those to leave out
};

/// The element type of that number in Gmsh's list, if it is one that we read.
std::optional<GmshElementType> gmsh_element_type(int number);

/// Reads the number of an element type; those that we do not read are InputErrors. With `corners_only`, second-order
/// elements are the first-order ones on their corners.
GmshElementType read_element_type(GmshScanner& scanner, bool corners_only);

/// An element as the file has it.
struct GmshElement {
  int type;    ///< number in Gmsh's list
  int groups;  ///< index in `group_sets`
  long long tag;
  std::size_t first_node;  ///< index in `element_nodes`
};

/// The contents of a .msh file, before nodes and elements are renumbered.
struct GmshContents {
  bool corners_only = false;
  std::map<std::pair<int, long long>, std::string> physical_names;  ///< by dimension and tag
  std::vector<long long> node_tags;
  std::vector<Point> nodes;
  std::vector<GmshElement> elements;
  std::vector<long long> element_nodes;                   ///< node tags
  std::vector<std::vector<long long>> group_sets = {{}};  ///< sets of physical groups; the first is empty
  std::map<std::pair<int, int>, int> entity_groups;       ///< 4.1: groups of the entity of a dimension and tag
};

/// The sections of format 2.2 and of format 4.1, between their marks.
void read_nodes_2(GmshScanner& scanner, GmshContents& contents);
void read_elements_2(GmshScanner& scanner, GmshContents& contents);
void read_entities_4(GmshScanner& scanner, GmshContents& contents);
void read_nodes_4(GmshScanner& scanner, GmshContents& contents);
void read_elements_4(GmshScanner& scanner, GmshContents& contents);

/// Leaves out the nodes that no element has, as those in the middle of second-order ones that are read by their
/// corners.
void drop_unused_nodes(GmshContents& contents);

/// The mesh of these contents; every fault is an InputError that names the file and the element or node.
Mesh build_gmsh(const GmshContents& contents, std::string_view name);

}  // namespace varimesh::mesh
