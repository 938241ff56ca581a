#include "varimesh/fem/field_quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "expect_input_error.h"
#include "problems.h"

namespace varimesh::fem {
namespace {

using Field = FieldQuantity::Field;
using Extreme = FieldQuantity::Extreme;

/// u = 1 + 2 x on the unit cube with kappa = 0, or another u for another kappa.
struct Cube {
  explicit Cube(mesh::CellType type, bool on_nodes = false)
      : mesh(test::distorted_mesh(type, 4)),
        map(on_nodes ? one_per_node(mesh) : one_per_cell(mesh)),
        problem(mesh, map, {},
                {test::dirichlet("left", test::constant(1)), test::dirichlet("right", test::constant(3))}) {}

  std::vector<Index> cells(double to) const {
    std::vector<Index> found;
    for (Index c = 0; c < mesh.num_cells(); ++c)
      if (mesh::centroid(mesh, c)[0] < to) found.push_back(c);
    return found;
  }

  mesh::Mesh mesh;
  CoefficientMap map;
  EllipticProblem problem;
};

TEST(FieldQuantity, ValuesMeansAndExtremesOfALinearSolutionAreExact) {
  for (const mesh::CellType type : test::all_cell_types) {
    const Cube setup(type);
    const EllipticSolution solution = setup.problem.solve(Vector::Zero(setup.problem.num_coefficients()));
    Point x(0.37, 0.61, 0.23);
    for (int d = setup.mesh.dimension(); d < 3; ++d) x[d] = 0;
    const auto at = FieldQuantity::at_point(setup.mesh, setup.map, setup.problem, Field::u, x);
    EXPECT_NEAR(at.value(solution), 1 + 2 * 0.37, 1e-12);
    // The left half ends at x = 1/2, which distorted meshes keep:  mean of 1 + 2 x over [0, 1/2] = 3/2.
    const std::vector<Index> half = setup.cells(0.5);
    const auto mean = FieldQuantity::mean(setup.mesh, setup.map, setup.problem, Field::u, half);
    EXPECT_NEAR(mean.value(solution), 1.5, 1e-12);
    const auto largest = FieldQuantity::extreme(setup.mesh, setup.map, setup.problem, Field::u, half, Extreme::largest);
    const auto smallest =
        FieldQuantity::extreme(setup.mesh, setup.map, setup.problem, Field::u, half, Extreme::smallest);
    EXPECT_NEAR(largest.value(solution), 2, 1e-12);
    EXPECT_NEAR(smallest.value(solution), 1, 1e-12);
  }
}

TEST(FieldQuantity, MeansOfTheCoefficientAreItsIntegralsOverMeasures) {
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
    const auto mean = [&](Field field) {
      return FieldQuantity::mean(setup.mesh, setup.map, setup.problem, field, all).value(solution);
    };
    EXPECT_NEAR(mean(Field::kappa), logs / total, 1e-12);
    EXPECT_NEAR(mean(Field::conductivity), values / total, 1e-12);
    EXPECT_NEAR(FieldQuantity::extreme(setup.mesh, setup.map, setup.problem, Field::kappa, all, Extreme::largest)
                    .value(solution),
                kappa.maxCoeff(), 1e-12);
  }
}

TEST(FieldQuantity, GradientsAreThoseOfCentralDifferences) {
  for (const bool on_nodes : {false, true}) {
    const Cube setup(mesh::CellType::triangle, on_nodes);
    Random random(3);
    const Vector kappa = 0.5 * random.normal_vector(setup.problem.num_coefficients());
    const Vector direction = random.normal_vector(setup.problem.num_coefficients());
    std::vector<FieldQuantity> quantities;
    for (const Field field : {Field::u, Field::kappa, Field::conductivity}) {
      const std::vector<Index> half = setup.cells(0.5);
      quantities.push_back(FieldQuantity::at_point(setup.mesh, setup.map, setup.problem, field, Point(0.37, 0.61, 0)));
      quantities.push_back(FieldQuantity::mean(setup.mesh, setup.map, setup.problem, field, half));
      quantities.push_back(FieldQuantity::extreme(setup.mesh, setup.map, setup.problem, field, half, Extreme::largest));
      quantities.push_back(
          FieldQuantity::extreme(setup.mesh, setup.map, setup.problem, field, setup.cells(2), Extreme::smallest));
    }
    for (const FieldQuantity& quantity : quantities) {
      Vector gradient;
      const double value = quantity.value_and_gradient(setup.problem.solve(kappa), gradient);
      EXPECT_EQ(value, quantity.value(setup.problem.solve(kappa)));
      // The error of a central difference is h^2 / 6 times a third derivative of order one, plus rounding / h.
      const double h = 1e-5;
      const double difference = (quantity.value(setup.problem.solve(kappa + h * direction)) -
                                 quantity.value(setup.problem.solve(kappa - h * direction))) /
                                (2 * h);
      EXPECT_NEAR(gradient.dot(direction), difference, 1e-8);
    }
  }
}

TEST(FieldQuantity, APointOutsideIsRefused) {
  const Cube setup(mesh::CellType::triangle);
  EXPECT_INPUT_ERROR(FieldQuantity::at_point(setup.mesh, setup.map, setup.problem, Field::u, Point(2, 0, 0)),
                     "the point is outside the mesh");
}

}  // namespace
}  // namespace varimesh::fem
