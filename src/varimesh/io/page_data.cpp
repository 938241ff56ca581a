#include "varimesh/io/page_data.h"

#include <nlohmann/json.hpp>

namespace varimesh::io {

using Json = nlohmann::ordered_json;

Json encode(const PackedNumbers& numbers) {
  if (numbers.type.empty()) return numbers.plain;
  Json packed = {{"type", numbers.type}};
  if (numbers.type.starts_with('q')) {
    packed["lo"] = numbers.lo;
    packed["hi"] = numbers.hi;
  }
  packed["data"] = numbers.data;
  return packed;
}

Json numbers(const Vector& values, Packing packing) { return encode(pack(values, packing)); }

Json encode(const std::vector<Point>& points, int dimension) {
  Vector coordinates(static_cast<Eigen::Index>(points.size()) * dimension);
  for (std::size_t k = 0; k < points.size(); ++k)
    coordinates.segment(static_cast<Eigen::Index>(k) * dimension, dimension) = points[k].head(dimension);
  const double largest = coordinates.size() == 0 ? 0 : coordinates.cwiseAbs().maxCoeff();
  const double extent = coordinates.size() == 0 ? 0 : coordinates.maxCoeff() - coordinates.minCoeff();
  const bool precise = dimension == 1 || points.size() < 1000 || !(largest <= 4 * extent);
  return numbers(coordinates, precise ? Packing::f64 : Packing::f32);
}

Json encode_mesh(const result::ProblemRecord& problem) {
  const auto& mesh = problem.mesh;
  Json object = {{"dimension", mesh.dimension()},
                 {"cell_type", mesh::topology(mesh.cell_type).name},
                 {"nodes", encode(mesh.nodes, mesh.dimension())},
                 {"cells", encode(pack_integers(mesh.cell_nodes))}};
  if (problem.on_nodes()) {
    object["unknowns"] = "nodes";
  } else if (!problem.one_unknown_per_cell()) {
    object["unknown_of_cell"] = encode(pack_integers(problem.unknown_of_cell));
  }
  return object;
}

}  // namespace varimesh::io
