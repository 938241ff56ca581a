#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// How large a file may be.
constexpr std::uintmax_t most_gmsh_bytes = std::uintmax_t{16} << 30;

/// Reads a Gmsh .msh file (2.2 or 4.1, text or binary). Cells are the elements of the highest dimension; physical
/// groups become regions and, one dimension lower, boundary parts. Every fault is an InputError that names file and
/// place. With `corners_only`, second-order elements are read by their corners.
Mesh read_gmsh(const std::filesystem::path& file, bool corners_only = false);

/// The same from memory; `name` stands for the file in messages.
Mesh parse_gmsh(std::string_view bytes, std::string_view name, bool corners_only = false);

}  // namespace varimesh::mesh
