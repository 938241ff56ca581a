#pragma once

#include <string>
#include <string_view>

namespace varimesh::mesh {

/// What a file's first bytes look like, and how to make a Gmsh file of it: "a VTK file: convert it with ..."; empty if
/// they look like no other format that is known.
std::string describe_other_format(std::string_view bytes);

}  // namespace varimesh::mesh
