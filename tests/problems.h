#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"

namespace varimesh::test {

inline constexpr std::array all_cell_types{mesh::CellType::line, mesh::CellType::triangle,
                                           mesh::CellType::quadrilateral, mesh::CellType::tetrahedron,
                                           mesh::CellType::hexahedron};

/// The unit interval, square or cube with n cells along each axis.
inline mesh::Mesh unit_mesh(mesh::CellType type, Index n) {
  switch (topology(type).dimension) {
    case 1:
      return mesh::create_interval(n);
    case 2:
      return mesh::create_rectangle(type, {n, n});
    default:
      return mesh::create_box(type, {n, n, n});
  }
}

/// The same with nodes moved at random: within the domain by up to 15 % of the cell size, on the boundary along it, and
/// never off the planes x = 0, 1/2, 1.
inline mesh::Mesh distorted_mesh(mesh::CellType type, Index n, std::uint64_t seed = 1) {
  mesh::Mesh mesh = unit_mesh(type, n);
  Random random(seed);
  for (Point& node : mesh.nodes) {
    for (int axis = 0; axis < mesh.dimension(); ++axis) {
      const double shift = 0.15 / n * (2 * random.uniform() - 1);
      const double x = node[axis];
      const bool on_plane = x < 1e-12 || x > 1 - 1e-12 || (axis == 0 && std::abs(x - 0.5) < 1e-12);
      if (!on_plane) node[axis] += shift;
    }
  }
  return mesh;
}

inline ScalarFunction constant(double value) {
  return [value](const Point&) { return value; };
}

inline fem::BoundaryCondition dirichlet(std::string boundary, ScalarFunction value) {
  return {fem::BoundaryCondition::Kind::dirichlet, std::move(boundary), std::move(value)};
}

inline fem::BoundaryCondition neumann(std::string boundary, ScalarFunction value) {
  return {fem::BoundaryCondition::Kind::neumann, std::move(boundary), std::move(value)};
}

/// exp(kappa) du/dn + coefficient (u - ambient) = 0
inline fem::BoundaryCondition robin(std::string boundary, ScalarFunction coefficient, ScalarFunction ambient) {
  return {fem::BoundaryCondition::Kind::robin, std::move(boundary), std::move(ambient), std::move(coefficient)};
}

}  // namespace varimesh::test
