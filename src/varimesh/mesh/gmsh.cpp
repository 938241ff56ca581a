#include "varimesh/mesh/gmsh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "varimesh/error.h"
#include "varimesh/file.h"
#include "varimesh/mesh/gmsh_raw.h"
#include "varimesh/mesh/other_format.h"
#include "varimesh/quote.h"

namespace varimesh::mesh {
namespace {

enum class Version { v2_2, v4_1 };

[[noreturn]] void fail_version(const GmshScanner& scanner, std::string_view found) {
  scanner.fail(fmt::format("expected Gmsh format 4.1 or 2.2, found {}: export the mesh with `gmsh -format msh41`",
                           quote(found)));
}

/// The version, and text or binary; leaves the scanner after the section.
Version read_format(GmshScanner& scanner) {
  const auto text = scanner.word("the version of the format");
  if (text != "2.2" && text != "4.1") fail_version(scanner, text);
  const Version version = text == "2.2" ? Version::v2_2 : Version::v4_1;
  const long long type = scanner.text_integer("0 (text) or 1 (binary)");
  if (type != 0 && type != 1) scanner.fail(fmt::format("expected 0 (text) or 1 (binary), found {}", type));
  const long long size = scanner.text_integer("the size of a number in bytes, 8");
  if (size != 8) scanner.fail(fmt::format("expected the size of a number in bytes, 8, found {}", size));
  scanner.rest_of_line();
  if (type == 1) {
    scanner.set_binary(false);
    const int one = scanner.integer("the integer 1 in the file's byte order");
    if (one == 0x01000000)
      scanner.set_binary(true);
    else if (one != 1)
      scanner.fail(fmt::format("expected the integer 1 in the file's byte order, found {}", one));
  }
  scanner.close_section("MeshFormat");
  return version;
}

/// Lines of `dimension tag "name"`, text in binary files, too.
void read_physical_names(GmshScanner& scanner, GmshContents& contents) {
  const long long count = scanner.text_integer("the number of physical names");
  for (long long i = 0; i < count; ++i) {
    const long long dimension = scanner.text_integer("the dimension of a physical group");
    if (dimension < 0 || dimension > 3)
      scanner.fail(fmt::format("expected the dimension of a physical group, 0 to 3, found {}", dimension));
    const long long tag = scanner.text_integer("the number of a physical group");
    const auto line = scanner.rest_of_line();
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (first == last) scanner.fail(fmt::format("expected the name of physical group {} in quotes, found none", tag));
    contents.physical_names[{static_cast<int>(dimension), tag}] = line.substr(first + 1, last - first - 1);
  }
}

constexpr std::array<std::string_view, 5> known_sections = {"PhysicalNames", "Entities", "PartitionedEntities", "Nodes",
                                                            "Elements"};

void read_section(std::string_view section, Version version, GmshScanner& scanner, GmshContents& contents) {
  if (section == "PhysicalNames") {
    read_physical_names(scanner, contents);
  } else if (section == "Nodes") {
    version == Version::v2_2 ? read_nodes_2(scanner, contents) : read_nodes_4(scanner, contents);
  } else if (section == "Elements") {
    version == Version::v2_2 ? read_elements_2(scanner, contents) : read_elements_4(scanner, contents);
  } else if (section == "PartitionedEntities") {
    scanner.fail("expected a mesh in one piece, found $PartitionedEntities: export it without partitions");
  } else {
    if (version != Version::v4_1) scanner.fail("expected no $Entities in format 2.2, found one");
    if (!contents.elements.empty()) scanner.fail("expected $Entities before $Elements, found it after");
    read_entities_4(scanner, contents);
  }
}

}  // namespace

Mesh parse_gmsh(std::string_view bytes, std::string_view name, bool corners_only) {
  if (const std::string other = describe_other_format(bytes); !other.empty())
    throw InputError(fmt::format("{}: expected a Gmsh .msh file, found what looks like {}", name, other));
  GmshScanner scanner(bytes, name);
  GmshContents contents;
  contents.corners_only = corners_only;
  std::optional<Version> version;
  std::set<std::string_view> seen;
  while (!scanner.at_end()) {
    const auto section = scanner.open_section();
    const bool known = section == "MeshFormat" || std::ranges::find(known_sections, section) != known_sections.end();
    if (known && !seen.insert(section).second) scanner.fail(fmt::format("expected one ${}, found a second", section));
    if (section == "MeshFormat") {
      version = read_format(scanner);
    } else if (!version && section == "NOD") {
      fail_version(scanner, "1.0");
    } else if (!version && section != "Comments") {
      scanner.fail("expected $MeshFormat before any other section, found none");
    } else if (known) {
      read_section(section, *version, scanner, contents);
      scanner.close_section(section);
    } else {
      scanner.skip_section(section);
    }
  }
  for (const std::string_view section : {"MeshFormat", "Nodes", "Elements"})
    if (!seen.contains(section)) scanner.fail(fmt::format("expected ${}, found the end of the file", section));
  if (corners_only) drop_unused_nodes(contents);
  return build_gmsh(contents, name);
}

Mesh read_gmsh(const std::filesystem::path& file, bool corners_only) {
  return parse_gmsh(read_file(file, most_gmsh_bytes), file.string(), corners_only);
}

}  // namespace varimesh::mesh
