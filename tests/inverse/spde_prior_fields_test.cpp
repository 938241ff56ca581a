// Matern fields on nodes, with anisotropy, and with barriers.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "expect_input_error.h"
#include "inverse/matern.h"
#include "problems.h"

namespace varimesh::inverse {
namespace {

using mesh::CellType;
using test::nearest_cell;

constexpr FieldSupport supports[] = {FieldSupport::cells, FieldSupport::nodes};

Index nearest_node(const mesh::Mesh& mesh, const Point& point) {
  Index nearest = 0;
  for (Index v = 0; v < mesh.num_nodes(); ++v) {
    if ((mesh.nodes[v] - point).norm() < (mesh.nodes[nearest] - point).norm()) nearest = v;
  }
  return nearest;
}

Index nearest(const mesh::Mesh& mesh, FieldSupport support, const Point& point) {
  return support == FieldSupport::cells ? nearest_cell(mesh, point) : nearest_node(mesh, point);
}

Matrix covariance_of(const SpdePrior& prior) {
  return prior.gaussian().covariance_times(Matrix::Identity(prior.size(), prior.size()));
}

/// The correlation of a field with sigma = 1 between the values nearest to two points.
double correlation(const mesh::Mesh& mesh, const SpdeSettings& settings, const Point& a, const Point& b) {
  const SpdePrior prior(mesh, settings);
  const Index here = nearest(mesh, settings.support, a), there = nearest(mesh, settings.support, b);
  return prior.gaussian().covariance_times(Vector::Unit(prior.size(), here))(there, 0);
}

/// The largest error of the correlations with the node at the centre of the unit interval, square or cube.
double error_at_centre(const mesh::Mesh& mesh, double range) {
  const SpdeSettings settings{.range = range, .support = FieldSupport::nodes};
  const SpdePrior prior(mesh, settings);
  Point centre = Point::Zero();
  centre.head(mesh.dimension()).setConstant(0.5);
  const Index here = nearest_node(mesh, centre);
  const Vector covariance = prior.gaussian().covariance_times(Vector::Unit(prior.size(), here));
  double worst = 0;
  for (Index v = 0; v < mesh.num_nodes(); ++v) {
    const double expected = test::expected_covariance(settings, mesh.dimension(), mesh.nodes[v], mesh.nodes[here]);
    worst = std::max(worst, std::abs(covariance[v] - expected));
  }
  return worst;
}

TEST(SpdePriorOnNodes, ConvergesToTheMaternField) {
  // nu = 3/2 on a line and 1 in the plane: errors of second order, up to a logarithm in the plane. In space nu = 1/2,
  // and few nodes are compared: errors of first order, of which the mesh's own distances hide some.
  const auto check = [](CellType type, Index n, double range, double tolerance, double rate) {
    const double coarse = error_at_centre(test::unit_mesh(type, n), range);
    const double fine = error_at_centre(test::unit_mesh(type, 2 * n), range);
    EXPECT_LT(fine, tolerance) << mesh::topology(type).name;
    EXPECT_LT(fine, coarse / rate) << mesh::topology(type).name;
  };
  check(CellType::line, 20, 0.4, 0.006, 3.5);
  check(CellType::triangle, 16, 0.4, 0.02, 2.5);
  check(CellType::quadrilateral, 16, 0.4, 0.02, 2.5);
  check(CellType::tetrahedron, 4, 0.7, 0.04, 1);
  check(CellType::hexahedron, 4, 0.7, 0.04, 1);
}

TEST(SpdePriorOnNodes, AgreesWithTheFieldOnCells) {
  // Between cells as the means of their nodes. Both err by 1 to 3 % where the range is 10 cells, and the means are
  // smoother than the field: most between neighbours.
  for (const CellType type : {CellType::line, CellType::triangle, CellType::quadrilateral}) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 24);
    Matrix mean = Matrix::Zero(mesh.num_cells(), mesh.num_nodes());
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      for (const Index v : mesh.cell(c)) mean(c, v) = 1.0 / mesh::topology(type).num_nodes;
    }
    Matrix on_nodes =
        mean * covariance_of(SpdePrior(mesh, {.range = 0.4, .support = FieldSupport::nodes})) * mean.transpose();
    const Vector scale = on_nodes.diagonal().cwiseSqrt().cwiseInverse();
    on_nodes = (scale.asDiagonal() * on_nodes * scale.asDiagonal()).eval();
    const Matrix on_cells = covariance_of(SpdePrior(mesh, {.range = 0.4}));
    EXPECT_LT((on_nodes - on_cells).cwiseAbs().maxCoeff(), 0.08) << mesh::topology(type).name;
    EXPECT_LT((on_nodes - on_cells).cwiseAbs().mean(), 0.02) << mesh::topology(type).name;
  }
}

TEST(SpdePriorOnNodes, HasThePrecisionOfTheNodesNeighbours) {
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::triangle, {5, 4});
  const SpdePrior prior(mesh, {.range = 0.5, .support = FieldSupport::nodes});
  ASSERT_EQ(prior.size(), mesh.num_nodes());
  const Matrix identity = *prior.sparse_precision() * covariance_of(prior);
  EXPECT_LT((identity - Matrix::Identity(prior.size(), prior.size())).norm(), 1e-10);
}

TEST(SpdePriorWithAnisotropy, IsTheIsotropicFieldOfTheStretchedMesh) {
  // x' = H^(-1/2) x maps int grad u' H grad u to int |grad' u|^2. Both stiffness matrices follow exactly, on every
  // mesh.
  for (const CellType type : test::all_cell_types) {
    const int dimension = mesh::topology(type).dimension;
    if (dimension == 1) continue;
    const mesh::Mesh mesh = test::distorted_mesh(type, dimension == 2 ? 6 : 3);
    constexpr double ratio = 2.5, angle = 35;
    const Point axis =
        dimension == 2 ? Point(std::cos(angle * std::numbers::pi / 180), std::sin(angle * std::numbers::pi / 180), 0)
                       : Point(Point(1, 2, -1).normalized());
    // Along the axis lengths shrink by ratio^((d-1)/d), across they grow by ratio^(1/d).
    const double along = std::pow(ratio, -(dimension - 1.0) / dimension), across = std::pow(ratio, 1.0 / dimension);
    mesh::Mesh stretched = mesh;
    for (Point& node : stretched.nodes) {
      const Point part = axis.dot(node) * axis;
      node = along * part + across * (node - part);
    }
    for (const FieldSupport support : supports) {
      SpdeSettings settings{.sigma = 1.3, .range = 0.5, .support = support};
      const Matrix expected = covariance_of(SpdePrior(stretched, settings));
      settings.anisotropy = {{.ratio = ratio, .angle = angle, .direction = 3 * axis}};
      const Matrix found = covariance_of(SpdePrior(mesh, settings));
      EXPECT_LT((found - expected).norm(), 1e-11 * expected.norm()) << mesh::topology(type).name;
    }
  }
}

TEST(SpdePriorWithAnisotropy, HasRangesAlongAndAcrossTheAxisOfThatRatio) {
  // The ranges are 0.15 sqrt(3) and 0.15 / sqrt(3): at both, the correlation is about 0.14.
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::triangle, {64, 64});
  const double angle = 30 * std::numbers::pi / 180;
  const Point centre(0.5, 0.5, 0), axis(std::cos(angle), std::sin(angle), 0), normal(-axis.y(), axis.x(), 0);
  for (const FieldSupport support : supports) {
    const SpdeSettings settings{.range = 0.15, .support = support, .anisotropy = {{.ratio = 3, .angle = 30}}};
    EXPECT_NEAR(correlation(mesh, settings, centre, centre + 0.15 * std::sqrt(3) * axis), 0.14, 0.03);
    EXPECT_NEAR(correlation(mesh, settings, centre, centre + 0.15 / std::sqrt(3) * normal), 0.14, 0.03);
    EXPECT_GT(correlation(mesh, settings, centre, centre + 0.15 * axis), 0.3);
    EXPECT_LT(correlation(mesh, settings, centre, centre + 0.15 * normal), 0.05);
  }
}

/// The unit square with a wall of cells with 0.45 < x < 0.55 up to this height.
mesh::Mesh with_wall(CellType type, double height) {
  mesh::Mesh mesh = test::unit_mesh(type, 40);
  mesh.regions = {{"wall", {}}, {"right", {}}};
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const Point x = mesh::centroid(mesh, c);
    if (std::abs(x.x() - 0.5) < 0.05 && x.y() < height) mesh.regions[0].cells.push_back(c);
    if (x.x() > 0.5) mesh.regions[1].cells.push_back(c);
  }
  return mesh;
}

TEST(SpdePriorWithAnisotropy, HoldsInItsRegionOnly) {
  const mesh::Mesh mesh = with_wall(CellType::triangle, 1);
  for (const FieldSupport support : supports) {
    const SpdeSettings isotropic{.range = 0.15, .support = support};
    SpdeSettings settings = isotropic;
    settings.anisotropy = {{.region = "right", .ratio = 3, .angle = 90}};
    const Point left(0.2, 0.5, 0), right(0.8, 0.5, 0), up(0, 0.15, 0);
    EXPECT_NEAR(correlation(mesh, settings, left, left + up), correlation(mesh, isotropic, left, left + up), 0.01);
    EXPECT_GT(correlation(mesh, settings, right, right + up), 2 * correlation(mesh, isotropic, right, right + up));
  }
}

TEST(SpdePriorWithBarriers, DoesNotCorrelateAcross) {
  const Point left(0.4, 0.3, 0), right(0.6, 0.3, 0);
  for (const CellType type : {CellType::triangle, CellType::quadrilateral}) {
    for (const FieldSupport support : supports) {
      const SpdeSettings open{.range = 0.5, .support = support};
      SpdeSettings closed = open;
      closed.barriers = {"wall"};
      const mesh::Mesh mesh = with_wall(type, 1);
      const double without = correlation(mesh, open, left, right);
      EXPECT_GT(without, 0.5);
      EXPECT_LT(correlation(mesh, closed, left, right), 0.01 * without);
      // The way around a wall that ends is long.
      const double around = correlation(with_wall(type, 0.5), closed, left, right);
      EXPECT_LT(around, 0.3 * without);
      EXPECT_GT(around, 0.03 * without);
      // On one side all is nearly as before.
      const Point above(0.3, 0.6, 0), below(0.3, 0.4, 0);
      EXPECT_NEAR(correlation(mesh, closed, above, below), correlation(mesh, open, above, below), 0.06);
    }
  }
}

TEST(SpdePriorWithBarriers, KeepsSigmaInAndBesideThem) {
  for (const FieldSupport support : supports) {
    const SpdePrior prior(with_wall(CellType::triangle, 0.8),
                          {.sigma = 0.6, .range = 0.5, .support = support, .barriers = {"wall"}});
    Matrix some = Matrix::Zero(prior.size(), prior.size() / 7);
    for (Index k = 0; k < some.cols(); ++k) some(7 * k, k) = 1;
    prior.gaussian().multiply_root_transposed(some);
    EXPECT_LT((some.colwise().norm().array() / 0.6 - 1).abs().maxCoeff(), 1e-11);
  }
}

TEST(SpdePriorSettings, ThatAreWrongAreNamed) {
  const mesh::Mesh line = mesh::create_interval(4), square = with_wall(CellType::triangle, 1),
                   cube = mesh::create_box(CellType::hexahedron, {2, 2, 2});
  EXPECT_INPUT_ERROR(SpdePrior(line, {.anisotropy = {{.ratio = 2}}}),
                     "expected no anisotropy on a line, which has one direction only");
  EXPECT_INPUT_ERROR(SpdePrior(square, {.anisotropy = {{.ratio = 0}}}), "expected a positive ratio of ranges, found 0");
  EXPECT_INPUT_ERROR(SpdePrior(square, {.anisotropy = {{.ratio = 2, .angle = NAN}}}),
                     "expected a finite angle of anisotropy");
  EXPECT_INPUT_ERROR(SpdePrior(cube, {.anisotropy = {{.ratio = 2, .angle = 30}}}),
                     "expected a direction of the long axis of anisotropy that is not zero");
  EXPECT_INPUT_ERROR(SpdePrior(square, {.anisotropy = {{.region = "north", .ratio = 2}}}),
                     "the mesh has no region 'north', expected one of 'wall', 'right'");
  EXPECT_INPUT_ERROR(SpdePrior(square, {.barriers = {"north"}}),
                     "the mesh has no region 'north', expected one of 'wall', 'right'");
}

}  // namespace
}  // namespace varimesh::inverse
