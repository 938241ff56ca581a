#include "varimesh/fem/element.h"

#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"
#include "varimesh/mesh/generate.h"

namespace varimesh::fem {
namespace {

using mesh::CellType;

TEST(Element, LineStiffnessIsOneOverLength) {
  const auto mesh = mesh::create_interval(4);
  ElementMatrix expected(2, 2);
  expected << 4, -4, -4, 4;
  EXPECT_LT((unit_stiffness(mesh, 2) - expected).norm(), 1e-14);
}

TEST(Element, RightTriangleStiffnessIsIndependentOfSize) {
  const auto mesh = mesh::create_rectangle(CellType::triangle, {5, 5});
  // The right angle's node couples with -1/2 to both others, which do not couple with each other.
  const ElementMatrix stiffness = unit_stiffness(mesh, 7);
  std::vector<double> off_diagonal{stiffness(0, 1), stiffness(0, 2), stiffness(1, 2)};
  std::sort(off_diagonal.begin(), off_diagonal.end());
  EXPECT_NEAR(off_diagonal[0], -0.5, 1e-14);
  EXPECT_NEAR(off_diagonal[1], -0.5, 1e-14);
  EXPECT_NEAR(off_diagonal[2], 0.0, 1e-14);
}

TEST(Element, SquareStiffnessIsTheTextbookMatrix) {
  const auto mesh = mesh::create_rectangle(CellType::quadrilateral, {3, 3});
  ElementMatrix expected(4, 4);
  expected << 4, -1, -2, -1, -1, 4, -1, -2, -2, -1, 4, -1, -1, -2, -1, 4;
  EXPECT_LT((unit_stiffness(mesh, 4) - expected / 6).norm(), 1e-14);
}

TEST(Element, MassOfATriangleIsTheTextbookMatrix) {
  // int phi_i phi_j = |K| / 12 (1 + delta_ij)
  const auto mesh = test::distorted_mesh(CellType::triangle, 3);
  const ElementMatrix expected =
      signed_measure(mesh, 5) / 12 * (ElementMatrix::Ones(3, 3) + ElementMatrix::Identity(3, 3));
  EXPECT_LT((element_mass(mesh, 5, test::constant(2)) - 2 * expected).norm(), 1e-15);
}

TEST(Element, MassIntegratesProductsOfLinearFunctionsOverCellsAndFacets) {
  // On the unit domain, int (1 + x) x = 5/6; over its right side, where x = 1, int 3 y^2 = 1.
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    double cells = 0, facets = 0;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const auto nodes = mesh.cell(c);
      const ElementMatrix mass = element_mass(mesh, c, [](const Point& x) { return 1 + x[0]; });
      ElementVector x(mass.rows());
      for (std::size_t a = 0; a < nodes.size(); ++a) x[static_cast<Eigen::Index>(a)] = mesh.nodes[nodes[a]][0];
      cells += x.dot(mass * ElementVector::Ones(mass.rows()));
    }
    EXPECT_NEAR(cells, 5. / 6, 1e-13) << topology(type).name;
    for_each_facet(mesh, mesh.boundary("right"), [&](std::span<const Index> facet) {
      const ElementMatrix mass = facet_mass(mesh, facet, test::constant(3));
      ElementVector y(mass.rows());
      for (std::size_t a = 0; a < facet.size(); ++a)
        y[static_cast<Eigen::Index>(a)] = type == CellType::line ? 1 : mesh.nodes[facet[a]][1];
      facets += y.dot(mass * y);
    });
    EXPECT_NEAR(facets, type == CellType::line ? 3 : 1, 1e-13) << topology(type).name;
  }
}

TEST(Element, StiffnessIsSymmetricExactOnLinearFunctionsAndFreeOfConstants) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    const Point slope(0.3, mesh.dimension() > 1 ? -0.7 : 0, mesh.dimension() > 2 ? 1.1 : 0);
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const ElementMatrix stiffness = unit_stiffness(mesh, c);
      EXPECT_LT((stiffness - stiffness.transpose()).norm(), 1e-14);
      EXPECT_LT(stiffness.rowwise().sum().norm(), 1e-13 * stiffness.norm());
      // int |grad (slope . x)|^2 = |slope|^2 measure
      ElementVector linear(stiffness.rows());
      for (Eigen::Index a = 0; a < linear.size(); ++a)
        linear[a] = slope.dot(mesh.nodes[mesh.cell(c)[static_cast<std::size_t>(a)]]);
      EXPECT_NEAR(linear.dot(stiffness * linear), slope.squaredNorm() * signed_measure(mesh, c), 1e-13);
    }
  }
}

TEST(Element, LumpedStiffnessIsSymmetricExactOnLinearFunctionsAndFreeOfConstants) {
  // On cells with parallel sides, for any tensor.
  Eigen::Matrix3d tensor;
  tensor << 2, 0.5, 0.2, 0.5, 1, -0.3, 0.2, -0.3, 3;
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::unit_mesh(type, 3);
    const Point slope(0.3, mesh.dimension() > 1 ? -0.7 : 0, mesh.dimension() > 2 ? 1.1 : 0);
    const ElementMatrix stiffness = lumped_stiffness(mesh, 2, tensor);
    EXPECT_LT((stiffness - stiffness.transpose()).norm(), 1e-14);
    EXPECT_LT(stiffness.rowwise().sum().norm(), 1e-13 * stiffness.norm());
    ElementVector linear(stiffness.rows());
    for (Eigen::Index a = 0; a < linear.size(); ++a)
      linear[a] = slope.dot(mesh.nodes[mesh.cell(2)[static_cast<std::size_t>(a)]]);
    EXPECT_NEAR(linear.dot(stiffness * linear), slope.dot(tensor * slope) * signed_measure(mesh, 2), 1e-13);
  }
}

TEST(Element, LumpedSquareStiffnessCouplesAlongTheSides) {
  const auto mesh = mesh::create_rectangle(CellType::quadrilateral, {3, 3});
  ElementMatrix expected(4, 4);
  expected << 2, -1, 0, -1, -1, 2, -1, 0, 0, -1, 2, -1, -1, 0, -1, 2;
  EXPECT_LT((lumped_stiffness(mesh, 4, Eigen::Matrix3d::Identity()) - expected / 2).norm(), 1e-14);
}

TEST(Element, LoadsIntegrateTheSource) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    double integral = 0;
    for (Index c = 0; c < mesh.num_cells(); ++c)
      integral += element_load(mesh, c, [](const Point& x) { return 1 + x[0] * x[0]; }).sum();
    EXPECT_NEAR(integral, 1 + 1.0 / 3, 1e-12) << topology(type).name;
  }
}

TEST(Element, FacetLoadsIntegrateTheFlux) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    double measure = 0, moment = 0;
    for_each_facet(mesh, mesh.boundary("right"), [&](std::span<const Index> facet) {
      measure += facet_measure(mesh, facet);
      moment += facet_load(mesh, facet, [](const Point& x) { return x[0] + x[1]; }).sum();
    });
    EXPECT_NEAR(measure, 1, 1e-13) << topology(type).name;
    EXPECT_NEAR(moment, mesh.dimension() == 1 ? 1 : 1.5, 1e-13) << topology(type).name;
  }
}

}  // namespace
}  // namespace varimesh::fem
