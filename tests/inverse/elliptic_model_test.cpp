#include "varimesh/inverse/elliptic_model.h"

#include <gtest/gtest.h>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/inverse/gaussian_likelihood.h"

namespace varimesh::inverse {
namespace {

using mesh::CellType;

struct LinearField {
  // Without source, u = 1 + 2 x - y is solved exactly by every element for constant kappa: sensors must read it
  // exactly.
  static double u(const Point& x) { return 1 + 2 * x[0] - x[1]; }

  explicit LinearField(CellType type) : mesh(test::distorted_mesh(type, 4)) {
    std::vector<fem::BoundaryCondition> conditions;
    for (const auto& part : mesh.boundaries) conditions.push_back(test::dirichlet(part.name, u));
    problem = std::make_shared<fem::EllipticProblem>(mesh, fem::one_per_cell(mesh), std::vector<fem::SourceTerm>{},
                                                     conditions);
  }

  mesh::Mesh mesh;
  std::shared_ptr<const fem::EllipticProblem> problem;
};

TEST(EllipticModel, SensorsReadALinearFieldExactlyAtAnyPoint) {
  for (const CellType type : test::all_cell_types) {
    const LinearField field(type);
    Random random(1);
    std::vector<Point> points;
    for (int s = 0; s < 50; ++s) {
      Point x = Point::Zero();
      for (int axis = 0; axis < field.mesh.dimension(); ++axis) x[axis] = random.uniform();
      points.push_back(x);
    }
    points.emplace_back(0, 0, 0);  // a corner
    const EllipticModel model(field.problem, sensors_at_points(field.mesh, points, *field.problem));
    const Vector reading = model.predict(Vector::Zero(model.num_parameters()));
    for (std::size_t s = 0; s < points.size(); ++s)
      EXPECT_NEAR(reading[static_cast<Eigen::Index>(s)], LinearField::u(points[s]), 1e-12) << topology(type).name;
  }
}

TEST(EllipticModel, NodesAndPointsAtNodesReadTheSame) {
  const LinearField field(CellType::triangle);
  std::vector<Index> nodes;
  for (Index v = 0; v < field.mesh.num_nodes(); ++v) nodes.push_back(v);
  const Vector kappa = Random(2).normal_vector(field.problem->num_coefficients());
  const Vector by_node = EllipticModel(field.problem, sensors_at_nodes(nodes, *field.problem)).predict(kappa);
  const Vector by_point =
      EllipticModel(field.problem, sensors_at_points(field.mesh, field.mesh.nodes, *field.problem)).predict(kappa);
  EXPECT_LT((by_node - by_point).norm(), 1e-12 * by_node.norm());
}

TEST(EllipticModel, ALinearizationOutlivesItsModel) {
  std::unique_ptr<Linearization> linearization;
  Vector expected;
  {
    LinearField field(CellType::triangle);
    const EllipticModel model(field.problem, sensors_at_nodes({12, 13}, *field.problem));
    field.problem.reset();
    const Vector kappa = Random(3).normal_vector(model.num_parameters());
    expected = model.linearize(kappa)->jacobian_transposed(Vector::Ones(2));
    linearization = model.linearize(kappa);
  }
  EXPECT_EQ(linearization->jacobian_transposed(Vector::Ones(2)), expected);
}

TEST(EllipticModel, SensorsOffTheMeshAreNamed) {
  const LinearField field(CellType::quadrilateral);
  EXPECT_INPUT_ERROR(sensors_at_points(field.mesh, {Point(0.5, 0.5, 0), Point(1.25, 0.5, 0)}, *field.problem),
                     "sensor 1 at (1.25, 0.5) is outside the mesh");
  EXPECT_INPUT_ERROR(sensors_at_nodes({3, 25}, *field.problem), "expected a node from 0 to 24, found 25");
}

TEST(GaussianLikelihood, IsMinusInfinityWithAnyKernelWhereTheEquationCannotBeSolved) {
  using linalg::CholeskyKernel;
  const std::vector<std::pair<CholeskyKernel, mesh::Mesh>> cases{
      {CholeskyKernel::tridiagonal, mesh::create_interval(10)},
      {CholeskyKernel::banded, mesh::create_rectangle(CellType::triangle, {5, 5})},
      {CholeskyKernel::supernodal, mesh::create_rectangle(CellType::triangle, {200, 200})}};
  for (const auto& [kernel, mesh] : cases) {
    const auto problem =
        std::make_shared<const fem::EllipticProblem>(mesh, fem::one_per_cell(mesh), std::vector<fem::SourceTerm>{},
                                                     std::vector{test::dirichlet("left", test::constant(1))});
    ASSERT_EQ(problem->cholesky().kernel(), kernel);
    const auto model = std::make_shared<EllipticModel>(problem, sensors_at_nodes({7}, *problem));
    const GaussianLikelihood likelihood(model, observe_means(Vector::Zero(1), Vector::Ones(1), Vector::Ones(1)));
    const Vector bad = Vector::Constant(model->num_parameters(), 1e5);
    Vector gradient;
    EXPECT_EQ(likelihood.value_and_gradient(bad, gradient), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(gradient.array().isNaN().all());
    EXPECT_EQ(likelihood.value(bad), -std::numeric_limits<double>::infinity());
    const auto linearization = model->linearize(bad);  // a workspace that was never factorised
    EXPECT_TRUE(linearization->jacobian().array().isNaN().all());
    EXPECT_TRUE(linearization->jacobian_transposed(Vector::Ones(1)).array().isNaN().all());
  }
}

TEST(GaussianLikelihood, NeedsAsManyObservationsAsSensors) {
  const LinearField field(CellType::triangle);
  auto model = std::make_shared<EllipticModel>(field.problem, sensors_at_nodes({1, 2}, *field.problem));
  EXPECT_INPUT_ERROR(GaussianLikelihood(model, observe_means(Vector::Zero(3), Vector::Ones(3), Vector::Ones(3))),
                     "the model predicts 2 measurements, but there are 3 observations");
}

}  // namespace
}  // namespace varimesh::inverse
