// Unknowns of the load, of Dirichlet values and of mass terms.
#include "varimesh/fem/inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "varimesh/fem/boundary_flux.h"
#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/fem/observable.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/random.h"

namespace varimesh::fem {
namespace {

/// a = (exp(z_0), z_1, exp(z_2), z_1 exp(z_0)).
class ExampleAmplitudes final : public Amplitudes {
 public:
  Index num_unknowns() const override { return 3; }
  Index size() const override { return 4; }
  void evaluate(const Eigen::Ref<const Vector>& z, Vector& a, SparseRows& slope) const override {
    a = Vector{{std::exp(z[0]), z[1], std::exp(z[2]), z[1] * std::exp(z[0])}};
    slope = Matrix{{a[0], 0, 0}, {0, 1, 0}, {0, 0, a[2]}, {a[3], a[0], 0}}.sparseView();
  }
};

ScalarFunction constant(double value) {
  return [value](const Point&) { return value; };
}

struct ExampleEquation {
  mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {4, 3}, {});
  CoefficientMap map = one_per_cell(mesh);
  std::vector<BoundaryCondition> conditions{{BoundaryCondition::Kind::dirichlet, "left", constant(1)},
                                            {BoundaryCondition::Kind::neumann, "top", constant(0.5)},
                                            {BoundaryCondition::Kind::robin, "right", constant(0), constant(0)}};
  Inputs inputs;
  std::shared_ptr<const EllipticProblem> problem;

  ExampleEquation() {
    using Kind = InputTerm::Kind;
    inputs.amplitudes = std::make_shared<ExampleAmplitudes>();
    inputs.terms = {{Kind::source, "", [](const Point& x) { return 1 + x[0]; }, 0},
                    {Kind::dirichlet, "left", [](const Point& x) { return x[1]; }, 1},
                    {Kind::neumann, "top", [](const Point& x) { return x[0]; }, 3},
                    {Kind::neumann, "right", constant(2), 2},
                    {Kind::robin, "right", constant(1), 2},
                    {Kind::reaction, "", constant(0.7), 2}};
    inputs.points = {{Point(0.3, 0.4, 0), 3}};
    problem = std::make_shared<const EllipticProblem>(mesh, map, std::vector<SourceTerm>{{"", constant(3)}}, conditions,
                                                      std::vector<PointSource>{},
                                                      std::vector<ReactionTerm>{{"", constant(0.2)}}, inputs);
  }

  /// The same equation with the amplitudes at one z written into its functions.
  EllipticProblem at(const Vector& z) const {
    Vector a;
    SparseRows slope;
    inputs.amplitudes->evaluate(z, a, slope);
    const std::vector<BoundaryCondition> known{
        {BoundaryCondition::Kind::dirichlet, "left", [a](const Point& x) { return 1 + a[1] * x[1]; }},
        {BoundaryCondition::Kind::neumann, "top", [a](const Point& x) { return 0.5 + a[3] * x[0]; }},
        {BoundaryCondition::Kind::robin, "right", constant(2), constant(a[2])}};
    return {mesh,
            map,
            {{"", [a](const Point& x) { return 3 + a[0] * (1 + x[0]); }}},
            known,
            {{Point(0.3, 0.4, 0), a[3]}},
            {{"", constant(0.2 + 0.7 * a[2])}}};
  }
};

Vector join(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

TEST(Inputs, GiveTheSolutionOfTheEquationWithTheirValuesWrittenIn) {
  const ExampleEquation setup;
  Random random(1);
  const Vector kappa = 0.5 * random.normal_vector(setup.map.num_coefficients), z{{0.3, -0.8, 0.4}};
  const Vector u = setup.problem->in_mesh_order(setup.problem->solve(join(kappa, z)).u());
  const EllipticProblem known = setup.at(z);
  const Vector expected = known.in_mesh_order(known.solve(kappa).u());
  EXPECT_LT((u - expected).norm(), 1e-13 * expected.norm());
}

TEST(Inputs, AreDifferentiatedByTheModelContract) {
  const ExampleEquation setup;
  std::vector<Observable> further;
  for (const char* part : {"left", "right", "top", "bottom"})
    further.push_back(boundary_flux(setup.mesh, setup.map, setup.conditions, *setup.problem, part, setup.inputs));
  further.push_back(input_value(3));
  further.push_back(mean_over_boundary(setup.mesh, *setup.problem, "left"));
  const std::vector<Point> points{{0.2, 0.3, 0}, {0.9, 0.8, 0}, {0, 0.5, 0}};
  const inverse::EllipticModel model(setup.problem, inverse::sensors_at_points(setup.mesh, points, *setup.problem),
                                     further);
  ASSERT_EQ(model.num_parameters(), setup.map.num_coefficients + 3);
  Random random(2);
  const Vector x = 0.4 * random.normal_vector(model.num_parameters());
  const inverse::ModelContract contract = inverse::check_forward_model(model, x, random);
  EXPECT_TRUE(contract.holds(1e-7)) << contract.derivative_error << ' ' << contract.transposition_error;

  // Each observable by itself, with one adjoint solve.
  const EllipticSolution solution = setup.problem->solve(x);
  const Matrix jacobian = model.linearize(x)->jacobian();
  for (std::size_t k = 0; k < further.size(); ++k) {
    Vector gradient;
    further[k].value_and_gradient(solution, gradient);
    const Vector row = jacobian.row(static_cast<Index>(points.size() + k)).transpose();
    EXPECT_LT((gradient - row).norm(), 1e-12 * (1 + row.norm())) << k;
  }
}

TEST(Inputs, KeepTheBalanceOfFluxes) {
  const ExampleEquation setup;
  const Vector z{{0.3, -0.8, 0.4}};
  const Vector kappa = 0.5 * Random(3).normal_vector(setup.map.num_coefficients);
  const EllipticSolution solution = setup.problem->solve(join(kappa, z));
  const EllipticProblem known = setup.at(z);
  const EllipticSolution expected = known.solve(kappa);
  const std::vector<BoundaryCondition> conditions{
      {BoundaryCondition::Kind::dirichlet, "left", [&](const Point& x) { return 1 + z[1] * x[1]; }},
      {BoundaryCondition::Kind::neumann, "top", [&](const Point& x) { return 0.5 + z[1] * std::exp(z[0]) * x[0]; }},
      {BoundaryCondition::Kind::robin, "right", constant(2), constant(std::exp(z[2]))}};
  for (const char* part : {"left", "right", "top", "bottom"}) {
    const double found =
        boundary_flux(setup.mesh, setup.map, setup.conditions, *setup.problem, part, setup.inputs).value(solution);
    EXPECT_NEAR(found, boundary_flux(setup.mesh, setup.map, conditions, known, part).value(expected), 1e-12) << part;
  }
}

TEST(Inputs, OfFieldsOnCellsAndNodesAreTheirIntegrals) {
  const mesh::Mesh mesh = mesh::create_rectangle(mesh::CellType::triangle, {3, 3}, {});
  for (const CoefficientMap& map : {one_per_cell(mesh), one_per_node(mesh), one_per_block(mesh, {2, 1})}) {
    Inputs inputs;
    inputs.fields = {{map, 2}};
    const NodeInputs found = assemble_inputs(mesh, inputs);
    double total = 0;
    for (const LoadEntry& entry : found.load) total += entry.value;
    EXPECT_NEAR(total, 1, 1e-14);  // int 1
  }
}

}  // namespace
}  // namespace varimesh::fem
