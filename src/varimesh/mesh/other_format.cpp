#include "varimesh/mesh/other_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace varimesh::mesh {
namespace {

struct Format {
  std::string_view beginning;  ///< in lower case
  std::string_view name;
  std::string_view suffix;  ///< that meshio knows it by
};

constexpr std::array<Format, 14> formats = {{
    {"# vtk datafile", "a VTK file", "vtk"},
    {"<vtkfile", "a VTK file", "vtu"},
    {"<?xml version=\"1.0\"?>\n<vtkfile", "a VTK file", "vtu"},
    {"<xdmf", "an XDMF file", "xdmf"},
    {"<?xml", "an XML file, such as VTK or XDMF", "vtu"},
    {"*heading", "an Abaqus file", "inp"},
    {"*node", "an Abaqus file", "inp"},
    {"meshversionformatted", "a Medit file", "mesh"},
    {"\x89hdf", "an HDF5 file, such as MED, XDMF or CGNS", "med"},
    {"cdf", "a NetCDF file, such as Exodus", "e"},
    {"netgen", "a Netgen file", "vol"},
    {"mesh3d", "a Netgen file", "vol"},
    {"solid", "an STL surface, which has no cells to solve on", ""},
    {"// gmsh", "a Gmsh geometry", ""},
}};

}  // namespace

std::string describe_other_format(std::string_view bytes) {
  std::string start(bytes.substr(0, 64));
  std::ranges::transform(start, start.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto first = start.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  start.erase(0, first);
  const auto found = std::ranges::find_if(formats, [&](const Format& f) { return start.starts_with(f.beginning); });
  if (found == formats.end()) return "";
  if (found->suffix.empty())
    return fmt::format("{}: make a mesh of it with Gmsh, and export that as .msh", found->name);
  return fmt::format("{}: convert it with `meshio convert --output-format gmsh22 mesh.{} mesh.msh`", found->name,
                     found->suffix);
}

}  // namespace varimesh::mesh
