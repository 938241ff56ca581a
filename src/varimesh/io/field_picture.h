#pragma once

#include <optional>
#include <string>
#include <vector>

#include "varimesh/mesh/mesh.h"
#include "varimesh/types.h"

namespace varimesh::io {

/// A coefficient field, the solution it gives, and the measurements beside it.
struct FieldPicture {
  const mesh::Mesh& mesh;
  Vector kappa;  ///< in each cell, or at each node
  Vector u;      ///< at each node
  std::vector<Point> sensors;
  Vector measured;        ///< mean at each sensor
  Vector standard_error;  ///< of that mean
  bool kappa_at_nodes = false;
};

/// kappa and u side by side as SVG: graphs over a line, coloured maps over a plane mesh. None in 3D, or for more than
/// 50,000 cells, which are better looked at in ParaView.
std::optional<std::string> draw(const FieldPicture& picture);

}  // namespace varimesh::io
