#include "varimesh/mesh/reference_cell.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "mesh/mesh_checks.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::mesh {
namespace {

constexpr CellType all_types[] = {CellType::line, CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
                                  CellType::hexahedron};

/// The integral of x^a y^b z^c over the reference cell, in closed form.
double monomial_integral(CellType type, int a, int b, int c) {
  if (type == CellType::triangle) return std::tgamma(a + 1) * std::tgamma(b + 1) / std::tgamma(a + b + 3);
  if (type == CellType::tetrahedron)
    return std::tgamma(a + 1) * std::tgamma(b + 1) * std::tgamma(c + 1) / std::tgamma(a + b + c + 4);
  return 1. / ((a + 1) * (b + 1) * (c + 1));
}

bool is_simplex(CellType type) { return type == CellType::triangle || type == CellType::tetrahedron; }

TEST(ReferenceCell, QuadratureIsExactUpToItsDegree) {
  for (const CellType type : all_types) {
    const int dimension = topology(type).dimension;
    const int degree = type == CellType::triangle ? 4 : 5;
    for (int a = 0; a <= degree; ++a)
      for (int b = 0; b <= (dimension > 1 ? degree : 0); ++b)
        for (int c = 0; c <= (dimension > 2 ? degree : 0); ++c) {
          if (is_simplex(type) && a + b + c > degree) continue;
          double sum = 0;
          for (const auto& [r, weight] : quadrature(type))
            sum += weight * std::pow(r.x(), a) * std::pow(r.y(), b) * std::pow(r.z(), c);
          EXPECT_NEAR(sum, monomial_integral(type, a, b, c), 1e-15) << topology(type).name << a << b << c;
        }
  }
}

TEST(ReferenceCell, QuadratureWeightsArePositiveAndPointsInside) {
  for (const CellType type : all_types)
    for (const auto& [r, weight] : quadrature(type)) {
      EXPECT_GT(weight, 0);
      EXPECT_GT(shape_values(type, r).minCoeff(), 0);
    }
}

TEST(ReferenceCell, ShapeFunctionsAreOneAtTheirOwnNode) {
  for (const CellType type : all_types) {
    // One cell at its reference position: interval, unit square, unit cube, or the first simplex.
    const int n = topology(type).num_nodes;
    const std::vector<Point> simplex = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::vector<Point> cube = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < n; ++i) {
      const ShapeValues values = shape_values(type, is_simplex(type) ? simplex[i] : cube[i]);
      for (int j = 0; j < n; ++j) EXPECT_EQ(values[j], i == j ? 1 : 0);
    }
  }
}

TEST(ReferenceCell, GradientsAreDifferenceQuotientsOfValues) {
  const Point r(0.2, 0.3, 0.1);
  constexpr double h = 1e-6;
  for (const CellType type : all_types)
    for (int d = 0; d < topology(type).dimension; ++d) {
      const ShapeValues difference =
          shape_values(type, r + h * Point::Unit(d)) - shape_values(type, r - h * Point::Unit(d));
      EXPECT_LT((difference / (2 * h) - shape_gradients(type, r).col(d)).cwiseAbs().maxCoeff(), 1e-9);
    }
}

TEST(ReferenceCell, JacobianIsTheDerivativeOfThePosition) {
  constexpr double h = 1e-6;
  const Point r(0.2, 0.3, 0.1);
  for (const CellType type : {CellType::tetrahedron, CellType::hexahedron}) {
    Mesh mesh = create_box(type, {3, 3, 3});
    shake(mesh, 0.05);
    for (const Index c : {0, 13, 20}) {
      Eigen::Matrix3d expected;
      for (int d = 0; d < 3; ++d)
        expected.col(d) =
            (position_of(mesh, c, r + h * Point::Unit(d)) - position_of(mesh, c, r - h * Point::Unit(d))) / (2 * h);
      EXPECT_LT((jacobian(mesh, c, r) - expected).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

TEST(ReferenceCell, JacobianOfAPlaneCellCanBeInverted) {
  const Mesh line = create_interval(4), plate = create_rectangle(CellType::quadrilateral, {2, 4});
  EXPECT_DOUBLE_EQ(jacobian(line, 1, Point::Zero()).determinant(), 0.25);
  EXPECT_DOUBLE_EQ(jacobian(plate, 1, Point::Zero()).determinant(), 0.125);
}

}  // namespace
}  // namespace varimesh::mesh
