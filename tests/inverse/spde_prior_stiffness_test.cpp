#include "varimesh/inverse/spde_prior_stiffness.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "problems.h"
#include "varimesh/fem/element.h"

namespace varimesh::inverse {
namespace {

using mesh::CellType;

Vector volumes(const mesh::Mesh& mesh) {
  return Vector::NullaryExpr(mesh.num_cells(),
                             [&](Eigen::Index c) { return mesh::signed_measure(mesh, static_cast<Index>(c)); });
}

/// The values at the cells' centroids of a linear function.
Vector linear_field(const mesh::Mesh& mesh, const Point& gradient) {
  return Vector::NullaryExpr(mesh.num_cells(), [&](Eigen::Index c) {
    return 0.7 + gradient.dot(mesh::centroid(mesh, static_cast<Index>(c)));
  });
}

/// Whether a cell keeps this distance from the boundary of the unit cube.
bool is_inside(const mesh::Mesh& mesh, Index cell, double distance) {
  const Vector x = mesh::centroid(mesh, cell).head(mesh.dimension());
  return (x.array() > distance).all() && (x.array() < 1 - distance).all();
}

TEST(CellStiffness, IsSymmetricAndVanishesOnlyOnConstants) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, mesh::topology(type).dimension == 3 ? 3 : 6);
    const Matrix stiffness = cell_stiffness(mesh);
    const double scale = stiffness.norm();
    EXPECT_LT((stiffness - stiffness.transpose()).norm(), 1e-14 * scale);
    EXPECT_LT(stiffness.rowwise().sum().norm(), 1e-14 * scale);
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(stiffness).eigenvalues();
    EXPECT_GT(eigenvalues[0], -1e-13 * scale);
    EXPECT_GT(eigenvalues[1], 1e-3 * eigenvalues[eigenvalues.size() - 1]) << mesh::topology(type).name;
  }
}

TEST(CellStiffness, LinearFieldsAreInBalanceInside) {
  // The patch test. Simplices of any shape pass it; quadrilaterals and hexahedra as parallelepipeds.
  for (const CellType type : test::all_cell_types) {
    const bool simplex = type == CellType::line || type == CellType::triangle || type == CellType::tetrahedron;
    const Index n = mesh::topology(type).dimension == 3 ? 4 : 8;
    mesh::Mesh mesh = simplex ? test::distorted_mesh(type, n) : test::unit_mesh(type, n);
    const SparseMatrix stiffness = cell_stiffness(mesh);
    const Vector balance = stiffness * linear_field(mesh, {1, -2, 0.5});
    const double scale = stiffness.norm();
    Index checked = 0;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      // Cells that touch the boundary have centroids within 1.2 cell sizes of it.
      if (!is_inside(mesh, c, 1.2 / n)) continue;
      EXPECT_LT(std::abs(balance[c]), 1e-14 * scale) << mesh::topology(type).name << " " << c;
      ++checked;
    }
    EXPECT_GT(checked, 0) << mesh::topology(type).name;
  }
}

TEST(CellStiffness, WithATensorLinearFieldsAreInBalanceInside) {
  Eigen::Matrix3d tensor;
  tensor << 2, 0.5, 0.2, 0.5, 1, -0.3, 0.2, -0.3, 3;
  for (const CellType type : {CellType::triangle, CellType::tetrahedron}) {
    const Index n = type == CellType::tetrahedron ? 4 : 8;
    const mesh::Mesh mesh = test::distorted_mesh(type, n);
    const SparseMatrix stiffness = cell_stiffness(mesh, {{{tensor, false}}, {}});
    const Vector balance = stiffness * linear_field(mesh, {1, -2, 0.5});
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      if (is_inside(mesh, c, 1.2 / n)) {
        EXPECT_LT(std::abs(balance[c]), 1e-14 * stiffness.norm()) << c;
      }
    }
  }
}

TEST(CellStiffness, OfABarrierIsApartFromTheRest) {
  for (const CellType type : {CellType::triangle, CellType::quadrilateral, CellType::hexahedron}) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 4);
    Media media{{{}, {0.01 * Eigen::Matrix3d::Identity(), true}}, {}};
    for (Index c = 0; c < mesh.num_cells(); ++c) media.of_cell.push_back(mesh::centroid(mesh, c).x() > 0.5 ? 1 : 0);
    const Matrix stiffness = cell_stiffness(mesh, media);
    const Vector barrier =
        Vector::NullaryExpr(mesh.num_cells(), [&](Eigen::Index c) { return media.of_cell[c] == 1 ? 1.0 : 0.0; });
    EXPECT_LT((stiffness * barrier).norm(), 1e-13 * stiffness.norm());
    EXPECT_LT((stiffness - stiffness.transpose()).norm(), 1e-14 * stiffness.norm());
    // Two zero modes, one for each side, and no more.
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(stiffness).eigenvalues();
    EXPECT_LT(eigenvalues[1], 1e-13 * stiffness.norm());
    EXPECT_GT(eigenvalues[2], 1e-5 * stiffness.norm());
  }
}

TEST(NodeStiffness, OfTrianglesIsThatOfFiniteElements) {
  const mesh::Mesh mesh = test::distorted_mesh(CellType::triangle, 5);
  Matrix expected = Matrix::Zero(mesh.num_nodes(), mesh.num_nodes());
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    const fem::ElementMatrix element = fem::unit_stiffness(mesh, c);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) expected(nodes[i], nodes[j]) += element(i, j);
    }
  }
  EXPECT_LT((Matrix(node_stiffness(mesh)) - expected).norm(), 1e-13 * expected.norm());
}

TEST(CellStiffness, AlongAFlatBoundaryLinearFieldsAreInBalance) {
  // A field that does not change across the upper and lower side has no flux through them: the natural condition.
  const Index n = 8;
  const mesh::Mesh mesh = test::distorted_mesh(CellType::triangle, n);
  const SparseMatrix stiffness = cell_stiffness(mesh);
  const Vector balance = stiffness * linear_field(mesh, {1, 0, 0});
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const double x = mesh::centroid(mesh, c).x();
    if (x > 1.2 / n && x < 1 - 1.2 / n) {
      EXPECT_LT(std::abs(balance[c]), 1e-14 * stiffness.norm()) << c;
    }
  }
}

TEST(CellStiffness, OfRectanglesIsTheFivePointStencil) {
  // Between cells side by side: length of the edge over distance of the centroids.
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::quadrilateral, {5, 4}, {{{0, 1}, {0, 3}}});
  const double hx = 1.0 / 5, hy = 3.0 / 4;
  Matrix expected = Matrix::Zero(20, 20);
  const auto couple = [&](Index a, Index b, double w) {
    expected(a, a) += w;
    expected(b, b) += w;
    expected(a, b) -= w;
    expected(b, a) -= w;
  };
  for (Index j = 0; j < 4; ++j) {
    for (Index i = 0; i < 5; ++i) {
      if (i < 4) couple(i + 5 * j, i + 1 + 5 * j, hy / hx);
      if (j < 3) couple(i + 5 * j, i + 5 * (j + 1), hx / hy);
    }
  }
  EXPECT_LT((Matrix(cell_stiffness(mesh)) - expected).norm(), 1e-14 * expected.norm());
}

TEST(CellStiffness, HasTheLowestFrequenciesOfTheNeumannLaplacian) {
  // S u = mu C u on the unit interval, square or cube: mu = 0, then pi^2 for each axis, up to a few times (pi h)^2 /
  // 12, which is 0.2 % to 5 % here, and what moving the nodes of quadrilaterals and hexahedra adds, below 1 %.
  constexpr double pi2 = std::numbers::pi * std::numbers::pi;
  for (const CellType type : test::all_cell_types) {
    const int dimension = mesh::topology(type).dimension;
    const Index n = dimension == 1 ? 16 : dimension == 2 ? 12 : type == CellType::hexahedron ? 7 : 4;
    for (const mesh::Mesh& mesh : {test::unit_mesh(type, n), test::distorted_mesh(type, n)}) {
      const Vector scale = volumes(mesh).cwiseSqrt().cwiseInverse();
      const Matrix symmetric = scale.asDiagonal() * Matrix(cell_stiffness(mesh)) * scale.asDiagonal();
      const Vector mu = Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
      for (int k = 1; k <= dimension; ++k) EXPECT_NEAR(mu[k] / pi2, 1, 0.04) << mesh::topology(type).name;
      EXPECT_GT(mu[dimension + 1], 1.8 * pi2) << mesh::topology(type).name;  // then 2 pi^2, or 4 pi^2 on a line
    }
  }
}

}  // namespace
}  // namespace varimesh::inverse
