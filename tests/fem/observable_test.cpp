#include "varimesh/fem/observable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/fem/boundary_flux.h"
#include "varimesh/fem/extreme.h"

namespace varimesh::fem {
namespace {

/// u = 1 + 2 x on the unit cube with kappa = 0, or another u for another kappa.
struct Cube {
  explicit Cube(mesh::CellType type, bool on_nodes = false, bool reacts = false)
      : mesh(test::distorted_mesh(type, 4)),
        map(on_nodes ? one_per_node(mesh) : one_per_cell(mesh)),
        conditions{test::dirichlet("left", test::constant(1)), test::dirichlet("right", test::constant(3))},
        problem(mesh, map, {}, conditions, {},
                reacts ? std::vector<ReactionTerm>{{"", test::constant(2)}} : std::vector<ReactionTerm>{}) {}

  std::vector<Index> cells(double to) const {
    std::vector<Index> found;
    for (Index c = 0; c < mesh.num_cells(); ++c)
      if (mesh::centroid(mesh, c)[0] < to) found.push_back(c);
    return found;
  }

  /// (0.37, 0.61, 0.23), as many as there are dimensions.
  Point point() const {
    Point x(0.37, 0.61, 0.23);
    for (int d = mesh.dimension(); d < 3; ++d) x[d] = 0;
    return x;
  }

  mesh::Mesh mesh;
  CoefficientMap map;
  std::vector<BoundaryCondition> conditions;
  EllipticProblem problem;
};

TEST(Observable, OfALinearSolutionIsExact) {
  for (const mesh::CellType type : test::all_cell_types) {
    SCOPED_TRACE(topology(type).name);
    const Cube setup(type);
    const Vector kappa = Vector::Constant(setup.problem.num_coefficients(), 0.4);
    const EllipticSolution solution = setup.problem.solve(kappa);
    const Point x = setup.point();
    EXPECT_NEAR(value_at(setup.mesh, setup.problem, x).value(solution), 1 + 2 * 0.37, 1e-12);
    // The left half ends at x = 1/2, which distorted meshes keep:  mean of 1 + 2 x over [0, 1/2] = 3/2.
    EXPECT_NEAR(mean_over_cells(setup.mesh, setup.problem, setup.cells(0.5)).value(solution), 1.5, 1e-12);
    EXPECT_NEAR(mean_over_boundary(setup.mesh, setup.problem, "right").value(solution), 3, 1e-12);
    if (setup.mesh.dimension() > 1) {
      // Over a side along x, of which distorted meshes move the nodes along it.
      EXPECT_NEAR(mean_over_boundary(setup.mesh, setup.problem, "bottom").value(solution), 2, 1e-12);
    }
    for (int axis = 0; axis < setup.mesh.dimension(); ++axis) {
      const double slope = axis == 0 ? 2 : 0;
      EXPECT_NEAR(gradient_at(setup.mesh, setup.problem, x, axis).value(solution), slope, 1e-11);
      EXPECT_NEAR(flux_at(setup.mesh, setup.map, setup.problem, x, axis).value(solution), -std::exp(0.4) * slope,
                  1e-11);
    }
    Observable logarithm = value_at(setup.mesh, setup.problem, x);
    logarithm.logarithm = true;
    EXPECT_NEAR(logarithm.value(solution), std::log(1 + 2 * 0.37), 1e-12);
  }
}

TEST(Observable, MeansAreTheQuadratureOfTheSolution) {
  // u on the boundary is that of its facets: trapezoids in the plane.
  const Cube setup(mesh::CellType::triangle);
  const EllipticSolution solution = setup.problem.solve(Random(1).normal_vector(setup.problem.num_coefficients()));
  const Vector u = setup.problem.in_mesh_order(solution.u());
  double sum = 0, length = 0;
  for_each_facet(setup.mesh, setup.mesh.boundary("top"), [&](std::span<const Index> facet) {
    const double h = (setup.mesh.nodes[facet[0]] - setup.mesh.nodes[facet[1]]).norm();
    sum += h * (u[facet[0]] + u[facet[1]]) / 2;
    length += h;
  });
  EXPECT_NEAR(mean_over_boundary(setup.mesh, setup.problem, "top").value(solution), sum / length, 1e-14);
  double integral = 0, area = 0;
  for (const Index c : setup.cells(0.5)) {
    const double measure = mesh::signed_measure(setup.mesh, c);
    for (const Index node : setup.mesh.cell(c)) integral += measure * u[node] / 3;
    area += measure;
  }
  EXPECT_NEAR(mean_over_cells(setup.mesh, setup.problem, setup.cells(0.5)).value(solution), integral / area, 1e-13);
}

TEST(Observable, GradientsArePlanesThroughTheCorners) {
  // On a triangle, u(b) - u(a) = grad u . (b - a) for any two corners.
  const Cube setup(mesh::CellType::triangle);
  const EllipticSolution solution = setup.problem.solve(Random(2).normal_vector(setup.problem.num_coefficients()));
  const Vector u = setup.problem.in_mesh_order(solution.u());
  for (const Index c : {3, 17}) {
    const Point x = mesh::centroid(setup.mesh, c);
    const Point slope(gradient_at(setup.mesh, setup.problem, x, 0).value(solution),
                      gradient_at(setup.mesh, setup.problem, x, 1).value(solution), 0);
    const auto nodes = setup.mesh.cell(c);
    for (const std::size_t k : {1, 2})
      EXPECT_NEAR(slope.dot(setup.mesh.nodes[nodes[k]] - setup.mesh.nodes[nodes[0]]), u[nodes[k]] - u[nodes[0]], 1e-13);
    EXPECT_NEAR(flux_at(setup.mesh, setup.map, setup.problem, x, 1).value(solution),
                -solution.conductivity()[c] * slope[1], 1e-12);
  }
}

TEST(Observable, MeansOfTheCoefficientAreItsIntegralsOverMeasures) {
  for (const mesh::CellType type : test::all_cell_types) {
    const Cube setup(type);
    Vector kappa(setup.problem.num_coefficients());
    double logs = 0, values = 0, total = 0;
    for (Index c = 0; c < setup.mesh.num_cells(); ++c) {
      kappa[c] = std::sin(3.0 * c);
      const double volume = mesh::signed_measure(setup.mesh, c);
      total += volume;
      logs += volume * kappa[c];
      values += volume * std::exp(kappa[c]);
    }
    const EllipticSolution solution = setup.problem.solve(kappa);
    const std::vector<Index> all = setup.cells(2);
    const auto mean = [&](CoefficientScale scale) {
      return mean_coefficient(setup.mesh, setup.map, scale, all).value(solution);
    };
    EXPECT_NEAR(mean(CoefficientScale::kappa), logs / total, 1e-12);
    EXPECT_NEAR(mean(CoefficientScale::conductivity), values / total, 1e-12);
    const Extreme largest(setup.mesh, setup.map, setup.problem, Extreme::Field::kappa, all, Extreme::Which::largest);
    EXPECT_NEAR(largest.value(solution), kappa.maxCoeff(), 1e-12);
  }
}

TEST(Extreme, OfALinearSolutionIsAtTheEnds) {
  for (const mesh::CellType type : test::all_cell_types) {
    const Cube setup(type);
    const EllipticSolution solution = setup.problem.solve(Vector::Zero(setup.problem.num_coefficients()));
    const auto extreme = [&](Extreme::Which which) {
      return Extreme(setup.mesh, setup.map, setup.problem, Extreme::Field::u, setup.cells(0.5), which).value(solution);
    };
    EXPECT_NEAR(extreme(Extreme::Which::largest), 2, 1e-12);
    EXPECT_NEAR(extreme(Extreme::Which::smallest), 1, 1e-12);
  }
}

/// The gradient of a scalar against a central difference, whose error is h^2 / 6 times a third derivative of order one,
/// plus rounding / h.
template <class Scalar>
void expect_gradient(const EllipticProblem& problem, const Scalar& scalar, const char* name) {
  SCOPED_TRACE(name);
  Random random(3);
  const Vector kappa = 0.5 * random.normal_vector(problem.num_coefficients());
  const Vector direction = random.normal_vector(problem.num_coefficients());
  Vector gradient;
  const double value = scalar.value_and_gradient(problem.solve(kappa), gradient);
  EXPECT_EQ(value, scalar.value(problem.solve(kappa)));
  constexpr double h = 1e-5;
  const double difference =
      (scalar.value(problem.solve(kappa + h * direction)) - scalar.value(problem.solve(kappa - h * direction))) /
      (2 * h);
  EXPECT_NEAR(gradient.dot(direction), difference, 1e-8 * std::max(1.0, std::abs(difference)));
}

TEST(Observable, GradientsAreThoseOfCentralDifferences) {
  for (const bool on_nodes : {false, true}) {
    for (const mesh::CellType type : test::all_cell_types) {
      SCOPED_TRACE(topology(type).name);
      const Cube setup(type, on_nodes, true);
      const auto& [mesh, map, conditions, problem] = setup;
      const std::vector<Index> half = setup.cells(0.5);
      const Point x = setup.point();
      const EllipticSolution solution = problem.solve(0.5 * Random(3).normal_vector(problem.num_coefficients()));
      const auto expect = [&](const char* name, Observable observable) {
        expect_gradient(problem, observable, name);
        // Near zero a logarithm is too curved for differences.
        if (!(observable.value(solution) > 0.3)) return;
        observable.logarithm = true;
        expect_gradient(problem, observable, name);
      };
      expect("value", value_at(mesh, problem, x));
      expect("mean", mean_over_cells(mesh, problem, half));
      expect("boundary mean", mean_over_boundary(mesh, problem, "right"));
      expect("slope", gradient_at(mesh, problem, x, 0));
      expect("flux density", flux_at(mesh, map, problem, x, 0));
      expect("flux", boundary_flux(mesh, map, conditions, problem, "right"));
      for (const CoefficientScale scale : {CoefficientScale::kappa, CoefficientScale::conductivity}) {
        expect("coefficient", coefficient_at(mesh, map, scale, x));
        expect("mean coefficient", mean_coefficient(mesh, map, scale, half));
      }
      for (const auto field : {Extreme::Field::u, Extreme::Field::kappa, Extreme::Field::conductivity})
        expect_gradient(problem, Extreme(mesh, map, problem, field, half, Extreme::Which::largest), "extreme");
    }
  }
}

TEST(Observable, IsNotANumberWhereTheEquationHasNoSolutionAndForLogarithmsOfWhatIsNotPositive) {
  const Cube setup(mesh::CellType::triangle);
  const Observable kappa = coefficient_at(setup.mesh, setup.map, CoefficientScale::kappa, setup.point());
  EXPECT_TRUE(std::isnan(kappa.value(setup.problem.solve(Vector::Constant(setup.problem.num_coefficients(), 1e4)))));
  Observable flux = boundary_flux(setup.mesh, setup.map, setup.conditions, setup.problem, "right");
  const EllipticSolution solution = setup.problem.solve(Vector::Zero(setup.problem.num_coefficients()));
  EXPECT_LT(flux.value(solution), 0);
  flux.logarithm = true;
  EXPECT_TRUE(std::isnan(flux.value(solution)));
}

TEST(Observable, APointOutsideIsRefused) {
  const Cube setup(mesh::CellType::triangle);
  EXPECT_INPUT_ERROR(value_at(setup.mesh, setup.problem, Point(2, 0, 0)), "the point is outside the mesh");
}

}  // namespace
}  // namespace varimesh::fem
