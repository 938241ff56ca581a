#include "varimesh/fem/elliptic_problem.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

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

/// The mean over the nodes of a cell, or the unknown of the cell.
double kappa_of_cell(const mesh::Mesh& mesh, const CoefficientMap& map, const Vector& kappa, Index c) {
  if (!map.on_nodes()) return kappa[map.of_cell[c]];
  double sum = 0;
  for (const Index v : mesh.cell(c)) sum += kappa[v];
  return sum / static_cast<double>(mesh.cell(c).size());
}

/// u by dense algebra, in the mesh's numbering: E + sum exp(kappa_c) K_c, rows of fixed nodes replaced by u = value.
Vector solve_densely(const mesh::Mesh& mesh, const CoefficientMap& map, const Vector& kappa, const Matrix& mass,
                     const Vector& load, const std::vector<std::optional<double>>& fixed) {
  Matrix a = mass;
  Vector b = load;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const ElementMatrix local = std::exp(kappa_of_cell(mesh, map, kappa, c)) * unit_stiffness(mesh, c);
    const auto nodes = mesh.cell(c);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = 0; j < nodes.size(); ++j)
        a(nodes[i], nodes[j]) += local(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
  for (Index v = 0; v < mesh.num_nodes(); ++v) {
    if (!fixed[v]) continue;
    a.row(v).setZero();
    a(v, v) = 1;
    b[v] = *fixed[v];
  }
  return a.partialPivLu().solve(b);
}

void expect_agreement_with_dense_algebra(const mesh::Mesh& mesh, const CoefficientMap& map) {
  const std::vector<BoundaryCondition> conditions{dirichlet("left", [](const Point& x) { return 1 + x[1]; }),
                                                  neumann("right", [](const Point& x) { return 0.5 - x[1]; })};
  const ScalarFunction source = [](const Point& x) { return 1 + x.sum(); };
  const EllipticProblem problem(mesh, map, {{"", source}}, conditions);
  EXPECT_EQ(problem.num_coefficients(), map.num_coefficients);
  Random random(1);
  const Vector kappa = random.normal_vector(map.num_coefficients);

  const NodeConditions nodes = apply_conditions(mesh, conditions);
  Vector load = nodes.load;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto local = element_load(mesh, c, source);
    for (std::size_t a = 0; a < mesh.cell(c).size(); ++a) load[mesh.cell(c)[a]] += local[static_cast<Eigen::Index>(a)];
  }
  const Vector expected =
      solve_densely(mesh, map, kappa, Matrix::Zero(mesh.num_nodes(), mesh.num_nodes()), load, nodes.fixed);
  const EllipticSolution solution = problem.solve(kappa);
  ASSERT_TRUE(solution.ok());
  EXPECT_LT((problem.in_mesh_order(solution.u()) - expected).norm(), 1e-11 * expected.norm());
}

TEST(EllipticProblem, AgreesWithDenseAlgebraForEveryCellType) {
  for (const CellType type : test::all_cell_types) {
    SCOPED_TRACE(topology(type).name);
    const mesh::Mesh mesh = test::distorted_mesh(type, 4);
    expect_agreement_with_dense_algebra(mesh, one_per_cell(mesh));
    expect_agreement_with_dense_algebra(mesh, one_per_node(mesh));
  }
}

TEST(EllipticProblem, ReactionAndRobinConditionsAgreeWithDenseAlgebraForEveryCellType) {
  const ScalarFunction c = [](const Point& x) { return 2 + x[0]; }, h = [](const Point& x) { return 3 - x[1]; },
                       ambient = [](const Point& x) { return 1 + x[1]; };
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 4);
    const CoefficientMap map = one_per_cell(mesh);
    // With Dirichlet nodes, whose columns go into the load, and without any.
    for (const BoundaryCondition& left : {dirichlet("left", ambient), neumann("left", constant(1))}) {
      const std::vector<BoundaryCondition> conditions{left, robin("right", h, ambient)};
      const EllipticProblem problem(mesh, map, {{"", constant(1)}}, conditions, {}, {{"", c}});
      Matrix mass = Matrix::Zero(mesh.num_nodes(), mesh.num_nodes());
      const auto add = [&](std::span<const Index> nodes, const ElementMatrix& local) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
          for (std::size_t j = 0; j < nodes.size(); ++j)
            mass(nodes[i], nodes[j]) += local(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      };
      Vector load = Vector::Zero(mesh.num_nodes());
      const auto add_load = [&](std::span<const Index> nodes, const ElementVector& local) {
        for (std::size_t i = 0; i < nodes.size(); ++i) load[nodes[i]] += local[static_cast<Eigen::Index>(i)];
      };
      for (Index k = 0; k < mesh.num_cells(); ++k) {
        add(mesh.cell(k), element_mass(mesh, k, c));
        add_load(mesh.cell(k), element_load(mesh, k, constant(1)));
      }
      for_each_facet(mesh, mesh.boundary("right"), [&](std::span<const Index> facet) {
        add(facet, facet_mass(mesh, facet, h));
        add_load(facet, facet_load(mesh, facet, [&](const Point& x) { return h(x) * ambient(x); }));
      });
      std::vector<std::optional<double>> fixed(static_cast<std::size_t>(mesh.num_nodes()));
      for_each_facet(mesh, mesh.boundary("left"), [&](std::span<const Index> facet) {
        if (left.kind == BoundaryCondition::Kind::neumann) add_load(facet, facet_load(mesh, facet, constant(1)));
        for (const Index v : facet)
          if (left.kind == BoundaryCondition::Kind::dirichlet) fixed[v] = ambient(mesh.nodes[v]);
      });
      const Vector kappa = Random(4).normal_vector(map.num_coefficients);
      const Vector expected = solve_densely(mesh, map, kappa, mass, load, fixed);
      const EllipticSolution solution = problem.solve(kappa);
      ASSERT_TRUE(solution.ok());
      EXPECT_LT((problem.in_mesh_order(solution.u()) - expected).norm(), 1e-11 * expected.norm())
          << topology(type).name;
    }
  }
}

TEST(EllipticProblem, AFinLosesHeatAsTheHyperbolicCosineSays) {
  // -theta u'' + c u = 0, u(0) = 1, insulated at 1: u = cosh(m (1 - x)) / cosh(m), m^2 = c / theta. The discrete
  // equations have the same solution with another m: cosh(m_h h) = (1 + m^2 h^2 / 3) / (1 - m^2 h^2 / 6).
  const double theta = 2, c = 18, m = 3;
  for (const Index n : {10, 40}) {
    const double h = 1.0 / n, m_h = std::acosh((1 + m * m * h * h / 3) / (1 - m * m * h * h / 6)) / h;
    const mesh::Mesh mesh = mesh::create_interval(n);
    const EllipticProblem problem(mesh, one_per_cell(mesh), {}, {dirichlet("left", constant(1))}, {},
                                  {{"", constant(c)}});
    const Vector u = problem.in_mesh_order(problem.solve(Vector::Constant(n, std::log(theta))).u());
    for (Index v = 0; v <= n; ++v) {
      const double x = static_cast<double>(v) / n;
      EXPECT_NEAR(u[v], std::cosh(m_h * (1 - x)) / std::cosh(m_h), 1e-13);  // n^2 roundings
      // |m_h - m| <= m^3 h^2 / 24 to leading order, and |du/dm| < 1
      EXPECT_NEAR(u[v], std::cosh(m * (1 - x)) / std::cosh(m), 1.5 * m * m * m * h * h / 24);
    }
  }
}

TEST(EllipticProblem, AWallBetweenTwoAirsIsAChainOfResistances) {
  // No Dirichlet value: 1/h_left, the cells' h / exp(kappa) and 1/h_right in series, between 20 and 5 degrees.
  const mesh::Mesh mesh = mesh::create_interval(16);
  const EllipticProblem problem(mesh, one_per_cell(mesh), {},
                                {robin("left", constant(8), constant(20)), robin("right", constant(25), constant(5))});
  const Vector kappa = Random(5).normal_vector(16);
  const Vector resistance = (-kappa).array().exp() / 16;
  const double current = 15 / (1. / 8 + resistance.sum() + 1. / 25);
  const Vector u = problem.in_mesh_order(problem.solve(kappa).u());
  double expected = 20 - current / 8;
  for (Index v = 0; v <= 16; ++v) {
    EXPECT_NEAR(u[v], expected, 1e-12);
    if (v < 16) expected -= current * resistance[v];
  }
}

TEST(EllipticProblem, ReactionHoldsThePartsThatNoBoundaryHolds) {
  // Two parts, of which the right one is insulated: there c u = f.
  mesh::Mesh mesh = mesh::create_interval(3);
  mesh.cell_nodes = {0, 1, 2, 3};  // without the middle cell
  mesh.regions = {{"rest", {1}}};
  const EllipticProblem problem(mesh, one_per_cell(mesh), {{"rest", constant(6)}}, {dirichlet("left", constant(1))}, {},
                                {{"rest", constant(2)}});
  const Vector u = problem.in_mesh_order(problem.solve(Vector::Zero(2)).u());
  EXPECT_NEAR(u[1], 1, 1e-15);
  EXPECT_NEAR(u[2], 3, 1e-14);
  EXPECT_NEAR(u[3], 3, 1e-14);
}

TEST(EllipticProblem, AReactionOrExchangeThatIsNegativeOrAbsentIsNamed) {
  const mesh::Mesh mesh = mesh::create_interval(4);
  const auto build = [&](const std::vector<BoundaryCondition>& conditions, double reaction) {
    return EllipticProblem(mesh, one_per_cell(mesh), {}, conditions, {}, {{"", constant(reaction)}});
  };
  EXPECT_INPUT_ERROR(build({dirichlet("left", constant(0))}, -1),
                     "expected a reaction of at least 0, found -1 at (0.0281754)");
  EXPECT_INPUT_ERROR(build({robin("right", constant(-2), constant(0))}, 1),
                     "expected a Robin coefficient on boundary 'right' of at least 0, found -2 at (1)");
  EXPECT_INPUT_ERROR(build({robin("right", constant(0), constant(1))}, 0),
                     "no boundary has a Dirichlet value or a Robin condition, and there is no reaction: a pure "
                     "Neumann problem determines the solution only up to a constant");
}

TEST(EllipticProblem, IsExactAtTheNodesInOneDimension) {
  // -(exp(kappa) u')' = 1, u(0) = u(1) = 0: the flux is q - x, u = int (q - x) / exp(kappa), and q follows from u(1) =
  // 0.
  const mesh::Mesh mesh = mesh::create_interval(32);
  const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", constant(1)}},
                                {dirichlet("left", constant(0)), dirichlet("right", constant(0))});
  EXPECT_EQ(problem.cholesky().kernel(), linalg::CholeskyKernel::tridiagonal);
  const Vector kappa = Random(2).normal_vector(32);
  const Vector resistance = (-kappa).array().exp() / 32;
  double sum = 0, moment = 0;
  for (Index c = 0; c < 32; ++c) {
    sum += resistance[c];
    moment += resistance[c] * (c + 0.5) / 32;
  }
  const double q = moment / sum;
  const Vector u = problem.in_mesh_order(problem.solve(kappa).u());
  double expected = 0;
  for (Index c = 0; c < 32; ++c) {
    expected += resistance[c] * (q - (c + 0.5) / 32);
    EXPECT_NEAR(u[c + 1], expected, 1e-14);
  }
}

TEST(EllipticProblem, SourcesMayDifferBetweenRegions) {
  mesh::Mesh mesh = mesh::create_interval(4);
  mesh.regions = {{"cold", {0, 1}}, {"hot", {2, 3}}};
  const EllipticProblem problem(mesh, one_per_cell(mesh), {{"cold", constant(1)}, {"hot", constant(3)}},
                                {dirichlet("left", constant(0))});
  EXPECT_NEAR(problem.load().sum(), 0.5 * 1 + 0.5 * 3, 1e-14);
}

TEST(EllipticProblem, AFailedSolveIsMarkedAndNothingBreaks) {
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::triangle, {6, 6});
  for (const CoefficientMap& map : {one_per_cell(mesh), one_per_node(mesh)}) {
    const EllipticProblem problem(mesh, map, {{"", constant(1)}}, {dirichlet("left", constant(0))});
    const Functionals sensors{{0, 1}, {0}, {1.0}};
    for (const double bad :
         {1e4, -1e4, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Vector kappa = Vector::Zero(problem.num_coefficients()), gradient;
      kappa.head(20).setConstant(bad);
      const EllipticSolution solution = problem.solve(kappa);
      EXPECT_FALSE(solution.ok()) << bad;
      EXPECT_TRUE(solution.u().array().isNaN().all());
      solution.gradient(Vector::Ones(problem.num_nodes()), gradient);
      EXPECT_TRUE(gradient.size() == kappa.size() && gradient.array().isNaN().all());
      const Matrix jacobian = solution.jacobian(sensors);
      EXPECT_TRUE(jacobian.cols() == kappa.size() && jacobian.array().isNaN().all());
    }
    EXPECT_TRUE(problem.solve(Vector::Zero(problem.num_coefficients())).ok());
    EXPECT_THROW(problem.solve(Vector::Zero(3)), std::invalid_argument);
  }
}

TEST(EllipticProblem, BadConditionsAreNamed) {
  const mesh::Mesh mesh = mesh::create_rectangle(CellType::quadrilateral, {2, 2});
  const CoefficientMap map = one_per_cell(mesh);
  const auto build = [&](const std::vector<BoundaryCondition>& conditions) {
    return EllipticProblem(mesh, map, {}, conditions);
  };
  EXPECT_INPUT_ERROR(
      build({neumann("left", constant(1))}),
      "no boundary has a Dirichlet value or a Robin condition, and there is no reaction: a pure Neumann problem "
      "determines the solution only up to a constant");
  EXPECT_INPUT_ERROR(
      build({dirichlet("lefft", constant(1))}),
      "the mesh has no boundary 'lefft', expected one of 'left', 'right', 'bottom', 'top'; did you mean 'left'?");
  EXPECT_INPUT_ERROR(build({dirichlet("left", constant(1)), neumann("left", constant(1))}),
                     "the conditions on 'left' and 'left' overlap: both contain the facet with nodes 3, 0");
  EXPECT_INPUT_ERROR(build({dirichlet("left", constant(1)), dirichlet("top", constant(2))}),
                     "boundaries 'left' and 'top' meet at node 6 at (0, 1) with different values, 1 and 2");
  EXPECT_INPUT_ERROR(build({dirichlet("left", [](const Point& x) { return 1 / x[0]; })}),
                     "the value on boundary 'left' is not finite at (0, 0.5)");
  EXPECT_INPUT_ERROR(EllipticProblem(mesh, map, {{"", [](const Point& x) { return std::sqrt(x[0] - 0.6); }}},
                                     {dirichlet("left", constant(0))}),
                     "the source term is not finite in cell 0");
  const mesh::Mesh two_nodes = mesh::create_interval(1);
  EXPECT_INPUT_ERROR(EllipticProblem(two_nodes, one_per_cell(two_nodes), {},
                                     {dirichlet("left", constant(0)), dirichlet("right", constant(0))}),
                     "every node of the mesh has a Dirichlet value: nothing is left to solve for");
}

TEST(EllipticProblem, AFloatingPartOfTheMeshIsNamed) {
  mesh::Mesh mesh = mesh::create_interval(3);
  mesh.cell_nodes = {0, 1, 2, 3};  // without the middle cell
  EXPECT_INPUT_ERROR(EllipticProblem(mesh, one_per_cell(mesh), {}, {dirichlet("left", constant(0))}),
                     "no Dirichlet value, Robin condition or reaction holds the part of the mesh with node 2 at "
                     "(0.6666666666666666): with Neumann conditions only, the solution is determined up to a constant");
}

}  // namespace
}  // namespace varimesh::fem
