#pragma once

#include <fmt/format.h>

#include <string>

#include "varimesh/mesh/generate.h"

namespace varimesh::test {

/// The unit square in 2 n^2 triangles as a Gmsh file, with the boundary "rim" all around, and the regions "well", the
/// lower left quarter, and "rest".
inline std::string region_mesh(Index n) {
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {n, n});
  std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"rim\"\n2 2 \"well\"\n2 3 \"rest\"\n"
      "$EndPhysicalNames\n$Nodes\n";
  text += fmt::format("{}\n", mesh.num_nodes());
  for (Index v = 0; v < mesh.num_nodes(); ++v)
    text += fmt::format("{} {} {} 0\n", v + 1, mesh.nodes[v][0], mesh.nodes[v][1]);
  std::string elements;
  Index count = 0;
  for (const mesh::BoundaryPart& part : mesh.boundaries) {
    for_each_facet(mesh, part, [&](std::span<const Index> facet) {
      elements += fmt::format("{} 1 2 1 1 {} {}\n", ++count, facet[0] + 1, facet[1] + 1);
    });
  }
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const Point x = mesh::centroid(mesh, c);
    const auto nodes = mesh.cell(c);
    elements += fmt::format("{} 2 2 {} 1 {} {} {}\n", ++count, x[0] < 0.5 && x[1] < 0.5 ? 2 : 3, nodes[0] + 1,
                            nodes[1] + 1, nodes[2] + 1);
  }
  return text + fmt::format("$EndNodes\n$Elements\n{}\n", count) + elements + "$EndElements\n";
}

}  // namespace varimesh::test
