#include "varimesh/mesh/measure.h"

#include <array>

namespace varimesh::mesh {

double measure(const Mesh& mesh, std::span<const Index> cells) {
  double sum = 0;
  for (const Index c : cells) sum += signed_measure(mesh, c);
  return sum;
}

double measure(const Mesh& mesh) {
  double sum = 0;
  for (Index c = 0; c < mesh.num_cells(); ++c) sum += signed_measure(mesh, c);
  return sum;
}

std::string_view measure_name(int dimension) {
  constexpr std::array<std::string_view, 3> names = {"length", "area", "volume"};
  return names[static_cast<std::size_t>(dimension - 1)];
}

}  // namespace varimesh::mesh
