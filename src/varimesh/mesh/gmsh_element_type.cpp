#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "varimesh/mesh/gmsh_raw.h"

namespace varimesh::mesh {
namespace {

/// What messages call the element types of Gmsh's list that meshes may well have but that we do not read.
constexpr std::array<std::pair<int, std::string_view>, 15> others = {{
    {6, "6-node prism"},
    {7, "5-node pyramid"},
    {8, "3-node second-order line"},
    {9, "6-node second-order triangle"},
    {10, "9-node second-order quadrilateral"},
    {11, "10-node second-order tetrahedron"},
    {12, "27-node second-order hexahedron"},
    {13, "18-node second-order prism"},
    {14, "14-node second-order pyramid"},
    {16, "8-node second-order quadrilateral"},
    {17, "20-node second-order hexahedron"},
    {18, "15-node second-order prism"},
    {19, "13-node second-order pyramid"},
    {20, "9-node third-order triangle"},
    {21, "10-node third-order triangle"},
}};

struct SecondOrder {
  int number, num_nodes, first_order;
};
constexpr std::array<SecondOrder, 7> second_order = {
    {{8, 3, 1}, {9, 6, 2}, {10, 9, 3}, {16, 8, 3}, {11, 10, 4}, {12, 27, 5}, {17, 20, 5}}};

}  // namespace

std::optional<GmshElementType> gmsh_element_type(int number) {
  switch (number) {
    case 1:
      return GmshElementType{1, 1, 2, CellType::line};
    case 2:
      return GmshElementType{2, 2, 3, CellType::triangle};
    case 3:
      return GmshElementType{3, 2, 4, CellType::quadrilateral};
    case 4:
      return GmshElementType{4, 3, 4, CellType::tetrahedron};
    case 5:
      return GmshElementType{5, 3, 8, CellType::hexahedron};
    case 15:
      return GmshElementType{15, 0, 1, std::nullopt};
    default:
      return std::nullopt;
  }
}

GmshElementType read_element_type(GmshScanner& scanner, bool corners_only) {
  const int number = scanner.integer("an element type");
  if (const auto type = gmsh_element_type(number)) return *type;
  const auto second = std::ranges::find(second_order, number, &SecondOrder::number);
  if (corners_only && second != second_order.end()) {
    // Gmsh lists the corners first.
    GmshElementType type = *gmsh_element_type(second->first_order);
    type.further_nodes = second->num_nodes - type.num_nodes;
    return type;
  }
  const auto other = std::ranges::find(others, number, &std::pair<int, std::string_view>::first);
  scanner.fail(
      fmt::format("expected first-order points, lines, triangles, quadrilaterals, tetrahedra or hexahedra, found Gmsh "
                  "element type {}{}{}",
                  number, other != others.end() ? fmt::format(" ({})", other->second) : "",
                  second != second_order.end()
                      ? ": export the mesh with `gmsh -order 1`, or read its corners by corners_only = true in [mesh]"
                      : ""));
}

}  // namespace varimesh::mesh
