#include "varimesh/inverse/spde_prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "expect_input_error.h"
#include "inverse/matern.h"
#include "problems.h"
#include "varimesh/parallel.h"

namespace varimesh::inverse {
namespace {

using mesh::CellType;
using test::expected_covariance;
using test::matern_correlation;
using test::nearest_cell;

Vector covariances_with(const SpdePrior& prior, Index cell) {
  return prior.gaussian().covariance_times(Vector::Unit(prior.size(), cell));
}

/// The largest error, relative to sigma^2, of the covariances with the cell nearest to a point of the unit interval,
/// square or cube.
double error_at(const mesh::Mesh& mesh, const SpdeSettings& settings, const Point& point) {
  const SpdePrior prior(mesh, settings);
  const Index here = nearest_cell(mesh, point);
  const Vector covariance = covariances_with(prior, here);
  double worst = 0;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const double expected =
        expected_covariance(settings, mesh.dimension(), mesh::centroid(mesh, c), mesh::centroid(mesh, here));
    worst = std::max(worst, std::abs(covariance[c] - expected) / (settings.sigma * settings.sigma));
  }
  return worst;
}

TEST(SpdePrior, OnALineIsTheMirroredExponentialCovariance) {
  // Order 1: sigma^2 exp(-k r). With k h = 0.067 the finite-volume error, (k h)^2 / 6 or so, is below 0.1 %.
  const SpdeSettings settings{2, 0.3, 1, 0};
  for (const double x : {0.5, 0.13, 0.0}) {
    EXPECT_LT(error_at(mesh::create_interval(100), settings, {x, 0, 0}), 2e-3) << x;
  }
}

TEST(SpdePrior, OnALineHasEveryOrder) {
  for (const int order : {2, 3, 4}) {
    EXPECT_LT(error_at(mesh::create_interval(100), {1, 0.4, order, 0}, {0.3, 0, 0}), 3e-3) << order;
  }
}

TEST(SpdePrior, OnRightTrianglesIsTheMaternFieldInEveryDirection) {
  // nu = 1. All other cells are compared, at all distances and in all directions. The errors are those of a
  // second-order operator, largest between neighbours, and fall by about 3 when h is halved.
  const SpdeSettings settings{1.5, 0.3, 2, 0};
  const Point centre(0.5, 0.5, 0);
  const double coarse = error_at(mesh::create_rectangle(CellType::triangle, {24, 24}), settings, centre);
  const double fine = error_at(mesh::create_rectangle(CellType::triangle, {48, 48}), settings, centre);
  EXPECT_LT(coarse, 0.022);
  EXPECT_LT(fine, 0.008);
  EXPECT_LT(fine, coarse / 2);
}

TEST(SpdePrior, CorrelationAtTheRangeIsAboutOneSeventh) {
  // sqrt(8) K_1(sqrt(8)) = 0.14 for nu = 1, along the axes and the diagonals.
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::triangle, {40, 40});
  const SpdePrior prior(mesh, {1, 0.25, 2, 0});
  const Index centre = nearest_cell(mesh, {0.5, 0.5, 0});
  const Vector covariance = covariances_with(prior, centre);
  for (int direction = 0; direction < 8; ++direction) {
    const double angle = direction * 0.25 * std::numbers::pi;
    const Index there =
        nearest_cell(mesh, mesh::centroid(mesh, centre) + 0.25 * Point(std::cos(angle), std::sin(angle), 0));
    EXPECT_NEAR(covariance[there], 0.14, 0.025) << direction;  // the next cell may be 4 % nearer or farther
  }
}

TEST(SpdePrior, OnOtherCellsIsTheMaternFieldUpToAFewPercent) {
  // Where the range is 7 to 15 cells. In three dimensions nu = 1/2: the covariance has a kink at 0, which no mesh
  // resolves, and errors fall with the first power of h.
  const auto check = [](const mesh::Mesh& mesh, double range, double tolerance) {
    const Point centre = mesh.dimension() == 2 ? Point(0.5, 0.5, 0) : Point(0.5, 0.5, 0.5);
    EXPECT_LT(error_at(mesh, {1, range, 2, 0}, centre), tolerance) << mesh::topology(mesh.cell_type).name;
  };
  check(test::unit_mesh(CellType::quadrilateral, 32), 0.3, 0.035);
  check(test::distorted_mesh(CellType::quadrilateral, 32), 0.3, 0.035);
  check(test::distorted_mesh(CellType::triangle, 32), 0.3, 0.02);
  check(mesh::create_rectangle(CellType::triangle, {20, 60}), 0.3, 0.04);
  check(test::unit_mesh(CellType::hexahedron, 10), 0.5, 0.08);
  check(test::unit_mesh(CellType::tetrahedron, 5), 0.5, 0.1);
}

TEST(SpdePrior, OnAnUnstructuredMeshIsTheMaternField) {
  mesh::PlateWithHole plate;
  plate.radius = 0.1;
  plate.cell_size = 0.04;
  const mesh::Mesh mesh = mesh::create_plate_with_hole(plate);
  const SpdeSettings settings{1, 0.2, 2, 0};
  const SpdePrior prior(mesh, settings);
  const Index here = nearest_cell(mesh, {0.25, 0.25, 0});
  const Vector covariance = covariances_with(prior, here);
  const double k = std::sqrt(8.0) / settings.range;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const double r = (mesh::centroid(mesh, c) - mesh::centroid(mesh, here)).norm();
    // The range is 7 cells; mirror images in the sides and the hole, 0.25 and more away, add about 1 %.
    if (r < 0.12) {
      EXPECT_NEAR(covariance[c], matern_correlation(1, k * r), 0.06) << r;
    }
  }
}

TEST(SpdePrior, StandardDeviationIsSigmaUpToSidesAndCorners) {
  // Exact for orders 1 and 2, up to differences in k^2 for the others (gaussian/operator_gaussian.cpp).
  for (const FieldSupport support : {FieldSupport::cells, FieldSupport::nodes}) {
    for (const CellType type : test::all_cell_types) {
      const int dimension = mesh::topology(type).dimension;
      const mesh::Mesh mesh = test::distorted_mesh(type, dimension == 3 ? 3 : dimension == 2 ? 7 : 30);
      for (int order = dimension / 2 + 1; order <= SpdePrior::max_order; ++order) {
        const SpdePrior prior(mesh, {0.8, 0.4, order, 0, support});
        const Matrix covariance = prior.gaussian().covariance_times(Matrix::Identity(prior.size(), prior.size()));
        const Vector deviation = covariance.diagonal().cwiseSqrt() / 0.8;
        EXPECT_LT((deviation.array() - 1).abs().maxCoeff(), order <= 2 ? 1e-12 : 1e-6)
            << mesh::topology(type).name << " " << order;
        EXPECT_EQ(prior.gaussian().variance(), Vector::Constant(prior.size(), 0.8 * 0.8));
      }
    }
  }
}

TEST(SpdePrior, FactorIsThatOfTheSparsePrecision) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, mesh::topology(type).dimension == 3 ? 3 : 7);
    for (int order = mesh.dimension() == 1 ? 1 : 2; order <= SpdePrior::max_order; ++order) {
      const SpdePrior prior(mesh, {0.8, 0.4, order, 1.5}, 2);
      const Matrix x = Matrix::NullaryExpr(
          prior.size(), 2, [](Eigen::Index i, Eigen::Index j) { return std::sin(static_cast<double>(3 * i + j)); });
      const Matrix expected = *prior.sparse_precision() * x;
      EXPECT_TRUE(prior.has_sparse_precision());
      EXPECT_LT((prior.gaussian().precision_times(x) - expected).norm(), 1e-12 * expected.norm());
      EXPECT_LT((prior.precision_times(x.col(1)) - expected.col(1)).norm(), 1e-12 * expected.norm());
      EXPECT_LT((prior.gaussian().covariance_times(expected) - x).norm(), 1e-9 * x.norm());
      EXPECT_LT((prior.gaussian().precision_diagonal() - prior.precision_diagonal()).norm(),
                1e-12 * prior.precision_diagonal().norm());
      EXPECT_EQ(prior.gaussian().mean(), Vector::Constant(prior.size(), 1.5));
    }
  }
}

TEST(SpdePrior, GradientIsThatOfItsLogDensity) {
  const SpdePrior prior(mesh::create_rectangle(CellType::triangle, {4, 4}), {1.2, 0.5, 2, -1});
  const Vector kappa = Random(3).normal_vector(prior.size());
  Vector gradient;
  EXPECT_NEAR(prior.log_density_and_gradient(kappa, gradient), prior.log_density(kappa),
              1e-12 * std::abs(prior.log_density(kappa)));
  for (Index c = 0; c < prior.size(); ++c) {
    // The density is quadratic: central differences are exact up to rounding.
    const Vector step = 0.1 * Vector::Unit(prior.size(), c);
    const double difference = (prior.log_density(kappa + step) - prior.log_density(kappa - step)) / 0.2;
    EXPECT_NEAR(gradient[c], difference, 1e-9 * gradient.norm()) << c;
  }
}

TEST(SpdePrior, ResultsDoNotDependOnTheThreads) {
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::triangle, {20, 20});
  Random a(1), b(1);
  EXPECT_EQ(SpdePrior(mesh, {1, 0.2, 2, 0}, 1).sample(a), SpdePrior(mesh, {1, 0.2, 2, 0}, 3).sample(b));
}

TEST(SpdePrior, PrecisionIsComputedOnceForAllThreads) {
  const SpdePrior prior(mesh::create_rectangle(CellType::triangle, {6, 6}), {.range = 0.4});
  std::vector<const SparseMatrix*> found(4);
  std::vector<double> trace(4);
  parallel_for(4, 4, [&](Index t) {
    found[t] = prior.sparse_precision();
    trace[t] = prior.precision_diagonal().sum();
  });
  for (Index t = 0; t < 4; ++t) {
    EXPECT_EQ(found[t], found[0]);
    EXPECT_EQ(trace[t], trace[0]);
  }
  EXPECT_NEAR(trace[0], found[0]->diagonal().sum(), 1e-12 * trace[0]);
}

TEST(SpdePrior, BadSettingsAreNamed) {
  const mesh::Mesh line = mesh::create_interval(4), square = mesh::create_rectangle(CellType::triangle, {2, 2}),
                   cube = mesh::create_box(CellType::hexahedron, {2, 2, 2});
  EXPECT_INPUT_ERROR(SpdePrior(line, {0, 1, 2, 0}), "expected a positive sigma, found 0");
  EXPECT_INPUT_ERROR(SpdePrior(line, {1, -2, 2, 0}), "expected a positive range, found -2");
  EXPECT_INPUT_ERROR(SpdePrior(line, {1, 1, 2, NAN}), "expected a finite mean");
  EXPECT_INPUT_ERROR(SpdePrior(line, {1, 1, 0, 0}),
                     "expected an order from 1 to 4, so that nu = order - 1/2 is positive, found 0");
  EXPECT_INPUT_ERROR(SpdePrior(square, {1, 1, 1, 0}),
                     "expected an order from 2 to 4, so that nu = order - 2/2 is positive, found 1");
  EXPECT_INPUT_ERROR(SpdePrior(cube, {1, 1, 5, 0}),
                     "expected an order from 2 to 4, so that nu = order - 3/2 is positive, found 5");
  // Eigenvalues of M / C from 1 to about 4 / (k h)^2, here 1e9: differences for order 4 magnify what rounding leaves.
  const std::string lost_digits =
      "the operator of the field is so badly conditioned that its variances are lost in rounding: take a lower order, "
      "a "
      "shorter range or larger cells";
  EXPECT_INPUT_ERROR(SpdePrior(mesh::create_interval(100), {1, 1000, 4, 0}), lost_digits);
  EXPECT_INPUT_ERROR(SpdePrior(mesh::create_interval(100), {1, 1e12, 2, 0}), lost_digits);
}

}  // namespace
}  // namespace varimesh::inverse
