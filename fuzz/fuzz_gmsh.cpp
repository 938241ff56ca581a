#include <cstddef>
#include <cstdint>
#include <string_view>

#include "varimesh/error.h"
#include "varimesh/mesh/gmsh.h"

/// Any bytes are either a mesh or an InputError. Seeds: fuzz/corpus/gmsh.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    varimesh::mesh::parse_gmsh({reinterpret_cast<const char*>(data), size}, "fuzz.msh");
  } catch (const varimesh::InputError&) {
  }
  return 0;
}
