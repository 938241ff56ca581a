#include "varimesh/io/vtu.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "varimesh/io/base64.h"
#include "varimesh/io/xml.h"

namespace varimesh::io {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are written as they are, and called little-endian");

constexpr std::uint8_t vertex = 1;

std::uint8_t vtk_cell_type(mesh::CellType type) {
  switch (type) {
    case mesh::CellType::line:
      return 3;
    case mesh::CellType::triangle:
      return 5;
    case mesh::CellType::quadrilateral:
      return 9;
    case mesh::CellType::tetrahedron:
      return 10;
    case mesh::CellType::hexahedron:
      return 12;
  }
  throw std::invalid_argument("vtk_cell_type: expected a cell type");
}

std::string_view vtk_type(double) { return "Float64"; }
std::string_view vtk_type(std::int64_t) { return "Int64"; }
std::string_view vtk_type(std::uint8_t) { return "UInt8"; }

/// An element DataArray: the number of bytes, then the bytes, in one piece of base64. `attributes` are further ones.
template <class Number>
std::string data_array(std::string_view name, const std::vector<Number>& values, std::string_view attributes = "") {
  const std::uint64_t length = values.size() * sizeof(Number);
  std::vector<std::byte> bytes(sizeof(length) + length);
  std::memcpy(bytes.data(), &length, sizeof(length));
  if (length > 0) std::memcpy(bytes.data() + sizeof(length), values.data(), length);
  return fmt::format("<DataArray type=\"{}\" Name=\"{}\"{} format=\"binary\">{}</DataArray>\n", vtk_type(Number{}),
                     escape_xml(name), attributes, base64(bytes));
}

std::string data_element(std::string_view element, const std::vector<VtuArray>& arrays, std::size_t expected_size) {
  std::string text = fmt::format("<{}>\n", element);
  for (const VtuArray& array : arrays) {
    text += std::visit(
        [&](const auto& values) {
          if (values.size() != expected_size)
            throw std::invalid_argument(fmt::format("VtuGrid: {}: {}: expected {} values, found {}", element,
                                                    array.name, expected_size, values.size()));
          return data_array(array.name, values);
        },
        array.values);
  }
  return text + fmt::format("</{}>\n", element);
}

std::vector<std::int64_t> numbers_up_to(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

VtuGrid::VtuGrid(const mesh::Mesh& mesh)
    : VtuGrid(mesh.nodes, {mesh.cell_nodes.begin(), mesh.cell_nodes.end()},
              static_cast<std::size_t>(topology(mesh.cell_type).num_nodes), vtk_cell_type(mesh.cell_type)) {}

VtuGrid::VtuGrid(const std::vector<Point>& points) : VtuGrid(points, numbers_up_to(points.size()), 1, vertex) {}

VtuGrid::VtuGrid(const std::vector<Point>& points, const std::vector<std::int64_t>& cell_nodes,
                 std::size_t nodes_per_cell, std::uint8_t cell_type)
    : num_points_(points.size()), num_cells_(cell_nodes.size() / nodes_per_cell) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * num_points_);
  for (const Point& point : points) coordinates.insert(coordinates.end(), point.begin(), point.end());
  std::vector<std::int64_t> offsets(num_cells_);  // where the next cell begins
  for (std::size_t c = 0; c < num_cells_; ++c) offsets[c] = static_cast<std::int64_t>((c + 1) * nodes_per_cell);
  const std::vector<std::uint8_t> types(num_cells_, cell_type);
  geometry_ = "<Points>\n" + data_array("Points", coordinates, " NumberOfComponents=\"3\"") + "</Points>\n<Cells>\n" +
              data_array("connectivity", cell_nodes) + data_array("offsets", offsets) + data_array("types", types) +
              "</Cells>\n";
}

std::string VtuGrid::format(const std::vector<VtuArray>& point_data, const std::vector<VtuArray>& cell_data) const {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n{}{}{}"
      "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
      num_points_, num_cells_, data_element("PointData", point_data, num_points_),
      data_element("CellData", cell_data, num_cells_), geometry_);
}

}  // namespace varimesh::io
