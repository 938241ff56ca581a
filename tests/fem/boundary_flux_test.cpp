#include "varimesh/fem/boundary_flux.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/fem/element.h"

namespace varimesh::fem {
namespace {

using mesh::CellType;
using test::constant;
using test::dirichlet;
using test::neumann;
using test::robin;

std::vector<std::string> boundary_names(const mesh::Mesh& mesh) {
  std::vector<std::string> names;
  for (const auto& part : mesh.boundaries) names.push_back(part.name);
  return names;
}

/// All parts but "left", which has an inflow, are held at x + 2 y.
std::vector<BoundaryCondition> mixed_conditions(const mesh::Mesh& mesh) {
  std::vector<BoundaryCondition> conditions{neumann("left", [](const Point& x) { return 0.3 + x[1]; })};
  for (const std::string& name : boundary_names(mesh)) {
    if (name != "left") conditions.push_back(dirichlet(name, [](const Point& x) { return x[0] + 2 * x[1]; }));
  }
  return conditions;
}

TEST(BoundaryFlux, FluxesOutBalanceTheSourceForEveryCellType) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 4);
    const auto conditions = mixed_conditions(mesh);
    const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", constant(2)}}, conditions);
    const EllipticSolution solution = problem.solve(Random(1).normal_vector(problem.num_coefficients()));
    double total = 0, largest = 0;
    for (const std::string& name : boundary_names(mesh)) {
      const double flux = boundary_flux(mesh, one_per_cell(mesh), conditions, problem, name).value(solution);
      total += flux;
      largest = std::max(largest, std::abs(flux));
    }
    EXPECT_NEAR(total, 2, 1e-10 * largest) << topology(type).name;  // int f over the unit domain
    EXPECT_NEAR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "left").value(solution),
                type == CellType::line ? -0.3 : -0.8, 1e-12);
  }
}

/// Exchange on the left, an inflow on the right, the other parts held at x + 2 y.
std::vector<BoundaryCondition> conditions_with_exchange(const mesh::Mesh& mesh) {
  const ScalarFunction h = [](const Point& x) { return 2 + x[1]; }, ambient = [](const Point& x) { return x[1] - 3; };
  std::vector<BoundaryCondition> conditions{robin("left", h, ambient), neumann("right", constant(0.5))};
  for (const std::string& name : boundary_names(mesh)) {
    if (name == "left" || name == "right") continue;
    conditions.push_back(dirichlet(name, [](const Point& x) { return x[0] + 2 * x[1]; }));
  }
  return conditions;
}

TEST(BoundaryFlux, FluxesOutAndUptakeBalanceTheSourceForEveryCellType) {
  // int c u = c times the sum over the cells of their measure and mean: u is linear, or bilinear, so by quadrature.
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 4);
    const auto conditions = conditions_with_exchange(mesh);
    const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", constant(2)}}, conditions, {}, {{"", constant(5)}});
    const EllipticSolution solution = problem.solve(Random(1).normal_vector(problem.num_coefficients()));
    const Vector u = problem.in_mesh_order(solution.u());
    double uptake = 0, exchange = 0;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const ElementVector weight = element_load(mesh, c, constant(5));
      for (std::size_t a = 0; a < mesh.cell(c).size(); ++a)
        uptake += weight[static_cast<Eigen::Index>(a)] * u[mesh.cell(c)[a]];
    }
    double total = uptake, largest = std::abs(uptake);
    for (const std::string& name : boundary_names(mesh)) {
      const double flux = boundary_flux(mesh, one_per_cell(mesh), conditions, problem, name).value(solution);
      total += flux;
      largest = std::max(largest, std::abs(flux));
      if (name == "left") exchange = flux;
    }
    EXPECT_NEAR(total, 2, 1e-11 * largest) << topology(type).name;
    // int h (u - ambient) over the left side
    for_each_facet(mesh, mesh.boundary("left"), [&](std::span<const Index> facet) {
      const ElementMatrix mass = facet_mass(mesh, facet, conditions[0].coefficient);
      ElementVector difference(mass.rows());
      for (std::size_t a = 0; a < facet.size(); ++a)
        difference[static_cast<Eigen::Index>(a)] = u[facet[a]] - conditions[0].value(mesh.nodes[facet[a]]);
      exchange -= mass.rowwise().sum().dot(difference);
    });
    EXPECT_NEAR(exchange, 0, 1e-12 * largest) << topology(type).name;
  }
}

TEST(BoundaryFlux, OfAFinIsTheHyperbolicTangentWithOrderTwo) {
  // -u'' + 9 u = 0, u(0) = 1, insulated at 1: what enters at the left is 3 tanh(3).
  double previous = 0;
  for (const Index n : {20, 40, 80}) {
    const mesh::Mesh mesh = mesh::create_interval(n);
    const std::vector<BoundaryCondition> conditions{dirichlet("left", constant(1))};
    const EllipticProblem problem(mesh, one_per_cell(mesh), {}, conditions, {}, {{"", constant(9)}});
    const double error = std::abs(
        boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "left").value(problem.solve(Vector::Zero(n))) +
        3 * std::tanh(3));
    if (previous > 0) {
      EXPECT_NEAR(std::log2(previous / error), 2, 0.05);
    }
    previous = error;
  }
}

TEST(BoundaryFlux, ThroughAWallBetweenTwoAirsIsThatOfResistancesInSeries) {
  const mesh::Mesh mesh = mesh::create_interval(16);
  const std::vector<BoundaryCondition> conditions{robin("left", constant(8), constant(20)),
                                                  robin("right", constant(25), constant(5))};
  const EllipticProblem problem(mesh, one_per_cell(mesh), {}, conditions);
  const Vector kappa = Random(5).normal_vector(16);
  const double current = 15 / (1. / 8 + (-kappa).array().exp().sum() / 16 + 1. / 25);
  const EllipticSolution solution = problem.solve(kappa);
  EXPECT_NEAR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "left").value(solution), -current, 1e-12);
  EXPECT_NEAR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "right").value(solution), current, 1e-12);
}

TEST(BoundaryFlux, IsTheClosedFormInOneDimension) {
  // The flux out on the left is -q, with the notation of EllipticProblem.IsExactAtTheNodesInOneDimension: constant
  // kappa, q = 1/2.
  const mesh::Mesh mesh = mesh::create_interval(8);
  const std::vector<BoundaryCondition> conditions{dirichlet("left", constant(0)), dirichlet("right", constant(0))};
  const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", constant(1)}}, conditions);
  const EllipticSolution solution = problem.solve(Vector::Constant(8, 0.7));
  EXPECT_NEAR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "left").value(solution), 0.5, 1e-14);
}

TEST(BoundaryFlux, SplitsCornersBySymmetry) {
  // On the square with u = 0 all around, each side carries a quarter.
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::quadrilateral, {6, 6});
  std::vector<BoundaryCondition> conditions;
  for (const std::string& name : boundary_names(mesh)) conditions.push_back(dirichlet(name, constant(0)));
  const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", constant(1)}}, conditions);
  const EllipticSolution solution = problem.solve(Vector::Zero(problem.num_coefficients()));
  for (const std::string& name : boundary_names(mesh))
    EXPECT_NEAR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, name).value(solution), 0.25, 1e-13);
}

TEST(BoundaryFlux, OfALinearFieldIsExactAlsoThroughCorners) {
  // u = 2 x - y (+ 3 z), held all around: the flux out of a side is minus its slope along the outer normal.
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 4);
    const int d = mesh.dimension();
    const ScalarFunction u = [d](const Point& x) { return 2 * x[0] - (d > 1 ? x[1] : 0) + (d > 2 ? 3 * x[2] : 0); };
    std::vector<BoundaryCondition> conditions;
    for (const std::string& name : boundary_names(mesh)) conditions.push_back(dirichlet(name, u));
    const EllipticProblem problem(mesh, one_per_cell(mesh), {}, conditions);
    const EllipticSolution solution = problem.solve(Vector::Zero(problem.num_coefficients()));
    std::map<std::string, double> expected{{"left", 2}, {"right", -2}};
    if (d == 2) expected.insert({{"bottom", -1}, {"top", 1}});
    if (d == 3) expected.insert({{"front", -1}, {"back", 1}, {"bottom", 3}, {"top", -3}});
    for (const auto& [name, flux] : expected)
      EXPECT_NEAR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, name).value(solution), flux, 1e-12)
          << topology(type).name << " " << name;
  }
}

TEST(BoundaryFlux, ConvergesWithOrderTwo) {
  // u = x^2 + x y - y^2 / 2 has f = -1, and int du/dx over the right side is 2.5.
  double previous = 0;
  for (const Index n : {8, 16, 32}) {
    const mesh::Mesh mesh = mesh::create_rectangle(CellType::triangle, {n, n});
    std::vector<BoundaryCondition> conditions;
    for (const std::string& name : boundary_names(mesh))
      conditions.push_back(dirichlet(name, [](const Point& x) { return x[0] * x[0] + x[0] * x[1] - x[1] * x[1] / 2; }));
    const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", constant(-1)}}, conditions);
    const EllipticSolution solution = problem.solve(Vector::Zero(problem.num_coefficients()));
    const double error =
        std::abs(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "right").value(solution) + 2.5);
    if (previous > 0) {
      EXPECT_GT(std::log2(previous / error), 1.9);
    }
    previous = error;
  }
}

TEST(BoundaryFlux, APartInsideTheMeshIsRefused) {
  mesh::Mesh mesh = mesh::create_interval(4);
  mesh.boundaries.push_back({"middle", {2}});
  const std::vector<BoundaryCondition> conditions{dirichlet("left", constant(0))};
  const EllipticProblem problem(mesh, one_per_cell(mesh), {}, conditions);
  EXPECT_INPUT_ERROR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "middle"),
                     "'middle' lies inside the mesh, between cells 1 and 2: expected a part of its boundary");
}

void expect_derivative_by_differences(const mesh::Mesh& mesh, const CoefficientMap& map,
                                      const std::vector<BoundaryCondition>& conditions, const char* part = "right",
                                      const std::vector<ReactionTerm>& reactions = {}) {
  const EllipticProblem problem(mesh, map, {{"", constant(2)}}, conditions, {}, reactions);
  const Observable flux = boundary_flux(mesh, map, conditions, problem, part);
  const Vector kappa = 0.5 * Random(2).normal_vector(problem.num_coefficients());
  Vector gradient;
  EXPECT_EQ(flux.value_and_gradient(problem.solve(kappa), gradient), flux.value(problem.solve(kappa)));
  constexpr double h = 1e-5;
  Vector differences(kappa.size());
  for (Eigen::Index c = 0; c < kappa.size(); ++c) {
    const Vector step = h * Vector::Unit(kappa.size(), c);
    differences[c] = (flux.value(problem.solve(kappa + step)) - flux.value(problem.solve(kappa - step))) / (2 * h);
  }
  EXPECT_LT((gradient - differences).norm(), 1e-6 * differences.norm());
}

TEST(BoundaryFlux, DerivativeAgreesWithCentralDifferences) {
  for (const CellType type : test::all_cell_types) {
    SCOPED_TRACE(topology(type).name);
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    auto conditions = mixed_conditions(mesh);
    // With the other end insulated, the flux on a line would not depend on kappa.
    if (type == CellType::line) conditions[0] = dirichlet("left", constant(0));
    expect_derivative_by_differences(mesh, one_per_cell(mesh), conditions);
    expect_derivative_by_differences(mesh, one_per_node(mesh), conditions);
  }
}

TEST(BoundaryFlux, DerivativeWithReactionAndExchangeAgreesWithCentralDifferences) {
  for (const CellType type : test::all_cell_types) {
    SCOPED_TRACE(topology(type).name);
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    auto conditions = conditions_with_exchange(mesh);
    conditions[1] = dirichlet("right", [](const Point& x) { return x[0] + 2 * x[1]; });
    for (const char* part : {"left", "right"}) {
      expect_derivative_by_differences(mesh, one_per_cell(mesh), conditions, part, {{"", constant(5)}});
      expect_derivative_by_differences(mesh, one_per_node(mesh), conditions, part, {{"", constant(5)}});
    }
  }
}

TEST(BoundaryFlux, OfAFieldOnNodesIsThatOfItsMeansInTheCells) {
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    const auto conditions = mixed_conditions(mesh);
    const CoefficientMap nodes = one_per_node(mesh), cells = one_per_cell(mesh);
    const Vector kappa = Random(3).normal_vector(mesh.num_nodes());
    const EllipticProblem on_nodes(mesh, nodes, {}, conditions), in_cells(mesh, cells, {}, conditions);
    const double expected = boundary_flux(mesh, cells, conditions, in_cells, "right")
                                .value(in_cells.solve(cell_means(mesh, nodes) * kappa));
    EXPECT_EQ(boundary_flux(mesh, nodes, conditions, on_nodes, "right").value(on_nodes.solve(kappa)), expected)
        << topology(type).name;
  }
}

TEST(BoundaryFlux, AnUnknownBoundaryIsNamed) {
  const mesh::Mesh mesh = mesh::create_interval(2);
  const std::vector<BoundaryCondition> conditions{dirichlet("left", constant(0))};
  const EllipticProblem problem(mesh, one_per_cell(mesh), {}, conditions);
  EXPECT_INPUT_ERROR(boundary_flux(mesh, one_per_cell(mesh), conditions, problem, "hole"),
                     "the mesh has no boundary 'hole', expected one of 'left', 'right'");
}

}  // namespace
}  // namespace varimesh::fem
