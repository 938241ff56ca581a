#include <cstdlib>

#include "varimesh/mesh/gmsh_raw.h"

namespace varimesh::mesh {
namespace {

/// Counts are text, followed in binary files by exactly one end of line.
long long read_count(GmshScanner& scanner, std::string_view what) {
  const long long count = scanner.text_integer(what);
  if (scanner.binary()) scanner.rest_of_line();
  return count;
}

/// Reads elements that share a header: everything behind type, number of tags and (in text) the element's own tag.
class ElementReader {
 public:
  ElementReader(GmshScanner& scanner, GmshContents& contents) : scanner_(scanner), contents_(contents) {}

  void read(long long tag, const GmshElementType& type, int num_tags) {
    int groups = 0;
    for (int i = 0; i < num_tags; ++i) {
      const long long value = scanner_.integer("a tag of an element");
      if (i == 0) groups = set_of(std::llabs(value));
    }
    contents_.elements.push_back({type.number, groups, tag, contents_.element_nodes.size()});
    for (int i = 0; i < type.num_nodes; ++i) contents_.element_nodes.push_back(scanner_.label("a node of an element"));
    for (int i = 0; i < type.further_nodes; ++i) scanner_.label("a node of an element");
  }

  int read_num_tags() {
    const int count = scanner_.integer("the number of an element's tags");
    if (count < 0) scanner_.fail("expected a number of tags of at least 0, found " + std::to_string(count));
    return count;
  }

 private:
  /// The set that holds one physical group; group 0 stands for none.
  int set_of(long long group) {
    if (group == 0) return 0;
    const auto [found, is_new] = sets_.try_emplace(group, static_cast<int>(contents_.group_sets.size()));
    if (is_new) contents_.group_sets.push_back({group});
    return found->second;
  }

  GmshScanner& scanner_;
  GmshContents& contents_;
  std::map<long long, int> sets_;
};

}  // namespace

void read_nodes_2(GmshScanner& scanner, GmshContents& contents) {
  const long long count = read_count(scanner, "the number of nodes");
  scanner.check_count(count, "nodes", {28, 4});
  contents.nodes.reserve(count);
  contents.node_tags.reserve(count);
  for (long long i = 0; i < count; ++i) {
    contents.node_tags.push_back(scanner.label("a node number"));
    Point& point = contents.nodes.emplace_back();
    for (double& x : point) x = scanner.coordinate("a coordinate of a node");
  }
}

void read_elements_2(GmshScanner& scanner, GmshContents& contents) {
  const long long count = read_count(scanner, "the number of elements");
  scanner.check_count(count, "elements", {8, 4});
  contents.elements.reserve(count);
  ElementReader reader(scanner, contents);
  if (!scanner.binary()) {
    for (long long i = 0; i < count; ++i) {
      const long long tag = scanner.label("an element number");
      const GmshElementType type = read_element_type(scanner, contents.corners_only);
      reader.read(tag, type, reader.read_num_tags());
    }
    return;
  }
  for (long long done = 0; done < count;) {
    const GmshElementType type = read_element_type(scanner, contents.corners_only);
    const int block = scanner.integer("the number of elements in a block");
    if (block <= 0 || block > count - done)
      scanner.fail("expected a block of 1 to " + std::to_string(count - done) + " elements, found " +
                   std::to_string(block));
    const int num_tags = reader.read_num_tags();
    for (int i = 0; i < block; ++i) {
      const long long tag = scanner.label("an element number");
      reader.read(tag, type, num_tags);
    }
    done += block;
  }
}

}  // namespace varimesh::mesh
