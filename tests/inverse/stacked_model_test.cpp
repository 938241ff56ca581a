// Several experiments on the same unknowns as one.
#include "varimesh/inverse/stacked_model.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "expect_input_error.h"
#include "problems.h"
#include "variational/linear_problem.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/information_root.h"
#include "varimesh/noise/noise.h"

namespace varimesh::inverse {
namespace {

using test::LinearModel;

/// A square heated from inside, or with a flux through it, with the same kappa.
std::shared_ptr<const EllipticModel> experiment(const mesh::Mesh& mesh, double source, double inflow,
                                                const std::vector<Point>& sensors) {
  auto problem = std::make_shared<const fem::EllipticProblem>(
      mesh, fem::one_per_cell(mesh), std::vector<fem::SourceTerm>{{"", test::constant(source)}},
      std::vector<fem::BoundaryCondition>{test::dirichlet("left", test::constant(0)),
                                          test::neumann("right", test::constant(inflow))});
  return std::make_shared<const EllipticModel>(problem, sensors_at_points(mesh, sensors, *problem));
}

struct TwoLoads {
  mesh::Mesh mesh = test::unit_mesh(mesh::CellType::triangle, 4);
  std::shared_ptr<const EllipticModel> heated = experiment(mesh, 1, 0, {{0.5, 0.5, 0}, {0.9, 0.2, 0}}),
                                       crossed = experiment(mesh, 0, 2, {{0.3, 0.6, 0}, {0.8, 0.8, 0}, {1, 0, 0}});
  Vector kappa = Random(1).normal_vector(mesh.num_cells());
};

TEST(StackedModel, OfTwoLoadsKeepsTheContractOfAForwardModel) {
  const TwoLoads two;
  const StackedModel both(two.mesh.num_cells(), {{two.heated}, {two.crossed}});
  ASSERT_EQ(both.num_predictions(), 5);
  EXPECT_EQ(both.first_prediction(1), 2);
  Random random(2);
  EXPECT_TRUE(check_forward_model(both, two.kappa, random).holds());
  const Vector found = both.predict(two.kappa);
  EXPECT_EQ(found.head(2), two.heated->predict(two.kappa));
  EXPECT_EQ(found.tail(3), two.crossed->predict(two.kappa));
  const auto at = both.linearize(two.kappa);
  const Matrix jacobian = at->jacobian();
  EXPECT_EQ(jacobian.topRows(2), two.heated->linearize(two.kappa)->jacobian());
  const Matrix w = random.normal_matrix(5, 3), v = random.normal_matrix(both.num_parameters(), 3);
  EXPECT_LT((at->jacobian_transposed_block(w) - jacobian.transpose() * w).norm(), 1e-12 * jacobian.norm() * w.norm());
  EXPECT_LT((at->jacobian_block(v) - jacobian * v).norm(), 1e-12 * jacobian.norm() * v.norm());
}

TEST(StackedModel, GivesTheSumOfTheLogLikelihoods) {
  const TwoLoads two;
  const Observations first = observe_means(Vector{{0.2, 0.4}}, Vector{{1, 3}}, Vector{{0.1, 0.2}});
  const std::vector<Vector> readings = {Vector{{1.0, 1.1}}, Vector{{1.5}}, Vector{{9.0}}};
  const Matrix covariance = Matrix{{0.3, 0.1, 0}, {0.1, 0.3, 0.1}, {0, 0.1, 0.3}};
  for (const Observations& second : {observe_means(Vector{{1, 2, 3}}, Vector::Ones(3), Vector::Constant(3, 0.3)),
                                     observe_student(readings, Vector::Constant(3, 0.2), 4),
                                     observe_correlated(Vector{{1, 2, 3}}, Vector::Ones(3), covariance)}) {
    const GaussianLikelihood alone(two.heated, first), other(two.crossed, second);
    const GaussianLikelihood both(
        std::make_shared<const StackedModel>(two.mesh.num_cells(),
                                             std::vector<StackedModel::Part>{{two.heated}, {two.crossed}}),
        stack({first, second}));
    EXPECT_EQ(both.observations().has_normal_noise(), second.has_normal_noise());
    EXPECT_NEAR(both.value(two.kappa), alone.value(two.kappa) + other.value(two.kappa),
                1e-12 * std::abs(both.value(two.kappa)));
    Vector gradient, one, two_more;
    both.value_and_gradient(two.kappa, gradient);
    alone.value_and_gradient(two.kappa, one);
    other.value_and_gradient(two.kappa, two_more);
    EXPECT_LT((gradient - one - two_more).norm(), 1e-12 * gradient.norm());
    // What is known of the predictions is known apart.
    const Vector prediction = both.model().predict(two.kappa);
    Matrix information = Matrix::Identity(5, 5), own = Matrix::Identity(3, 3);
    const InformationRoot root(both.observations()), own_root(second);
    root.multiply(prediction, information);
    root.multiply_transposed(prediction, information);
    own_root.multiply(prediction.tail(3), own);
    own_root.multiply_transposed(prediction.tail(3), own);
    EXPECT_EQ(information.bottomRightCorner(3, 3), own);
    EXPECT_LT((Matrix(information.topLeftCorner(2, 2)) - Matrix(first.weight.asDiagonal())).norm(), 1e-12);
    EXPECT_EQ(information.topRightCorner(2, 3).norm(), 0);
  }
}

TEST(StackedModel, GivesThePosteriorOfAllData) {
  // Linear experiments, of which the second does not see the first unknown: the dense posterior of all rows.
  Random random(3);
  const Matrix a = random.normal_matrix(4, 3), b = random.normal_matrix(3, 2);
  Matrix all = Matrix::Zero(7, 3);
  all.topRows(4) = a;
  all.bottomRows(3)(Eigen::all, std::vector<Index>{2, 1}) = b;
  const Observations of_a = observe_means(random.normal_vector(4), Vector::Ones(4), Vector::Constant(4, 0.5)),
                     of_b = observe_means(random.normal_vector(3), Vector::Ones(3), Vector::Constant(3, 0.2));
  const Observations data = stack({of_a, of_b});
  const GaussianLikelihood both(std::make_shared<const StackedModel>(
                                    3, std::vector<StackedModel::Part>{{std::make_shared<LinearModel>(a), {}},
                                                                       {std::make_shared<LinearModel>(b), {2, 1}}}),
                                data);
  EXPECT_LT((both.model().linearize(Vector::Zero(3))->jacobian() - all).norm(), 1e-15);
  const Vector kappa = random.normal_vector(3);
  Matrix noise = Matrix::Zero(7, 7);
  noise.diagonal() << Vector::Constant(4, 0.25), Vector::Constant(3, 0.04);
  EXPECT_NEAR(both.value(kappa), test::normal_log_density(data.mean, all * kappa, noise), 1e-11);
  Vector gradient;
  both.value_and_gradient(kappa, gradient);
  EXPECT_LT((gradient - all.transpose() * noise.inverse() * (data.mean - all * kappa)).norm(), 1e-11);
}

TEST(StackedModel, FailsAsAWholeWhereOneExperimentFails) {
  const TwoLoads two;
  const StackedModel both(two.mesh.num_cells(), {{two.heated}, {two.crossed}});
  Vector kappa = two.kappa;
  kappa[3] = 1e4;
  EXPECT_TRUE(both.predict(kappa).array().isNaN().all());
  EXPECT_TRUE(both.linearize(kappa)->prediction().array().isNaN().all());
}

TEST(StackedModel, RefusesPartsThatDoNotFit) {
  const auto line = std::make_shared<LinearModel>(Matrix::Ones(1, 2));
  EXPECT_INPUT_ERROR(StackedModel(3, {}), "expected at least one experiment, found none");
  EXPECT_INPUT_ERROR(StackedModel(3, {{line}}), "experiment 0: expected 2 unknowns, as its model has, found 3");
  EXPECT_INPUT_ERROR(StackedModel(3, {{line, {0, 3}}}),
                     "experiment 0: expected unknowns from 0 to 2, each once, found 3");
  EXPECT_INPUT_ERROR(StackedModel(3, {{line, {1, 1}}}),
                     "experiment 0: expected unknowns from 0 to 2, each once, found 1");
}

}  // namespace
}  // namespace varimesh::inverse
