#include "varimesh/mesh/surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"

namespace varimesh::mesh {
namespace {

TEST(Surface, OfTheUnitCubeHasItsAreaAndItsFacets) {
  for (const CellType type : test::all_cell_types) {
    const Index n = 3;
    const Mesh mesh = test::unit_mesh(type, n);
    const int d = mesh.dimension();
    // 2 d sides of n^(d-1) squares, which are two triangles each on tetrahedra
    const double squares = 2 * d * std::pow(n, d - 1);
    EXPECT_EQ(static_cast<double>(Surface(mesh).size()), type == CellType::tetrahedron ? 2 * squares : squares);
  }
}

TEST(Surface, DistancesAreThoseOfTheUnitCube) {
  for (const CellType type : test::all_cell_types) {
    const Mesh mesh = test::distorted_mesh(type, 3);
    const Surface surface(mesh);
    Random random(3);
    for (int trial = 0; trial < 50; ++trial) {
      Point x = Point::Zero(), nearest = Point::Zero();
      for (int axis = 0; axis < mesh.dimension(); ++axis) {
        x[axis] = 4 * random.uniform() - 1.5;
        nearest[axis] = std::clamp(x[axis], 0., 1.);
      }
      if (x == nearest) continue;  // inside
      const SurfacePoint found = surface.nearest(x);
      EXPECT_NEAR(found.distance, (x - nearest).norm(), 1e-12);
      EXPECT_LT((found.point - nearest).norm(), 1e-12);
    }
  }
}

}  // namespace
}  // namespace varimesh::mesh
