// Every built-in problem keeps the contract of a forward model: derivatives against differences, the transposition
// identity, and the same results from several threads. examples/own_solver runs the same checks on a user's solver.

#include <gtest/gtest.h>

#include "problems.h"
#include "varimesh/fem/boundary_flux.h"
#include "varimesh/inverse/contract.h"
#include "varimesh/inverse/elliptic_model.h"
#include "varimesh/inverse/gaussian_likelihood.h"

namespace varimesh::inverse {
namespace {

using fem::CoefficientMap;
using mesh::CellType;
using mesh::Mesh;
using test::constant;
using test::dirichlet;
using test::neumann;

struct BuiltIn {
  std::string name;
  Mesh mesh;
  CoefficientMap coefficients;
  std::vector<fem::BoundaryCondition> conditions;
  linalg::CholeskyKernel kernel;
  std::vector<fem::ReactionTerm> reactions;
  bool observes_all = false;  ///< every kind of observable, behind sensors at points
};

std::vector<Point> scattered_points(const Mesh& mesh, Index count) {
  // Off the hole of the plate, which is within 0.2 of the centre.
  std::vector<Point> points;
  Random random(9);
  while (static_cast<Index>(points.size()) < count) {
    Point x = Point::Zero();
    for (int axis = 0; axis < mesh.dimension(); ++axis) x[axis] = random.uniform();
    if (mesh.dimension() != 2 || (x - Point(0.5, 0.5, 0)).norm() > 0.2) points.push_back(x);
  }
  return points;
}

std::vector<BuiltIn> built_in_problems() {
  using linalg::CholeskyKernel;
  const std::vector<fem::BoundaryCondition> two_sided{dirichlet("left", constant(0)), dirichlet("right", constant(1))};
  const std::vector<fem::BoundaryCondition> mixed{dirichlet("left", [](const Point& x) { return x[1]; }),
                                                  neumann("right", [](const Point& x) { return 1 + x[1]; })};
  const std::vector<fem::BoundaryCondition> plate{dirichlet("right", constant(0)), dirichlet("top", constant(0)),
                                                  neumann("hole", constant(1))};
  std::vector<BuiltIn> list;
  const auto add = [&](std::string name, Mesh mesh, auto map, const auto& conditions, CholeskyKernel kernel) {
    CoefficientMap coefficients = map(mesh);
    list.push_back({std::move(name), std::move(mesh), std::move(coefficients), conditions, kernel, {}, false});
  };
  const auto cells = [](const Mesh& mesh) { return fem::one_per_cell(mesh); };
  const auto blocks = [](const Mesh& mesh) {
    return fem::one_per_block(mesh, std::vector<Index>(static_cast<std::size_t>(mesh.dimension()), 2));
  };
  const auto nodes = [](const Mesh& mesh) { return fem::one_per_node(mesh); };
  add("lines", mesh::create_interval(32), cells, two_sided, CholeskyKernel::tridiagonal);
  add("lines_in_blocks", mesh::create_interval(32), blocks, mixed, CholeskyKernel::tridiagonal);
  add("triangles", test::distorted_mesh(CellType::triangle, 8), cells, mixed, CholeskyKernel::banded);
  add("quadrilaterals_in_blocks", test::distorted_mesh(CellType::quadrilateral, 8), blocks, mixed,
      CholeskyKernel::banded);
  add("tetrahedra", test::distorted_mesh(CellType::tetrahedron, 4), cells, mixed, CholeskyKernel::banded);
  add("hexahedra_in_blocks", test::distorted_mesh(CellType::hexahedron, 4), blocks, mixed, CholeskyKernel::banded);
  add("plate_with_hole", mesh::create_plate_with_hole(), cells, plate, CholeskyKernel::banded);
  add("lines_on_nodes", mesh::create_interval(32), nodes, mixed, CholeskyKernel::tridiagonal);
  add("triangles_on_nodes", test::distorted_mesh(CellType::triangle, 8), nodes, mixed, CholeskyKernel::banded);
  add("quadrilaterals_on_nodes", test::distorted_mesh(CellType::quadrilateral, 8), nodes, mixed,
      CholeskyKernel::banded);
  add("tetrahedra_on_nodes", test::distorted_mesh(CellType::tetrahedron, 4), nodes, mixed, CholeskyKernel::banded);
  add("hexahedra_on_nodes", test::distorted_mesh(CellType::hexahedron, 4), nodes, mixed, CholeskyKernel::banded);
  add("many_triangles", mesh::create_rectangle(CellType::triangle, {220, 220}), blocks, mixed,
      CholeskyKernel::supernodal);
  add("many_hexahedra", mesh::create_box(CellType::hexahedron, {16, 16, 16}), blocks, two_sided,
      CholeskyKernel::supernodal);
  // Without a Dirichlet value, and with one.
  const std::vector<fem::BoundaryCondition> exchange{
      test::robin("left", constant(3), [](const Point& x) { return x[1]; }), neumann("right", constant(1))};
  const std::vector<fem::BoundaryCondition> held{test::robin("left", constant(3), constant(2)),
                                                 dirichlet("right", constant(1))};
  const auto add_with_reaction = [&](const char* name, CellType type, auto map, const auto& conditions,
                                     CholeskyKernel kernel) {
    add(name, test::distorted_mesh(type, type == CellType::hexahedron ? 4 : 8), map, conditions, kernel);
    list.back().reactions = {{"", [](const Point& x) { return 1 + x[0]; }}};
  };
  add_with_reaction("reaction_on_lines", CellType::line, cells, exchange, CholeskyKernel::tridiagonal);
  add_with_reaction("reaction_on_triangles", CellType::triangle, cells, held, CholeskyKernel::banded);
  add_with_reaction("reaction_on_hexahedra_with_nodes", CellType::hexahedron, nodes, exchange, CholeskyKernel::banded);
  const auto add_observables = [&](const char* name, CellType type, auto map, CholeskyKernel kernel) {
    add_with_reaction(name, type, map, held, kernel);
    list.back().observes_all = true;
  };
  add_observables("observables_on_lines", CellType::line, cells, CholeskyKernel::tridiagonal);
  add_observables("observables_on_triangles", CellType::triangle, cells, CholeskyKernel::banded);
  add_observables("observables_on_quadrilaterals_in_blocks", CellType::quadrilateral, blocks, CholeskyKernel::banded);
  add_observables("observables_on_hexahedra_with_nodes", CellType::hexahedron, nodes, CholeskyKernel::banded);
  return list;
}

/// One of each kind, and logarithms of those that are positive.
std::vector<fem::Observable> all_observables(const BuiltIn& p, const fem::EllipticProblem& problem) {
  const Point x = scattered_points(p.mesh, 1).front();
  std::vector<Index> half;
  for (Index c = 0; c < p.mesh.num_cells() / 2; ++c) half.push_back(c);
  using fem::CoefficientScale;
  std::vector<fem::Observable> list{
      fem::value_at(p.mesh, problem, x),
      fem::mean_over_cells(p.mesh, problem, half),
      fem::mean_over_boundary(p.mesh, problem, "left"),
      fem::gradient_at(p.mesh, problem, x, 0),
      fem::flux_at(p.mesh, p.coefficients, problem, x, 0),
      fem::boundary_flux(p.mesh, p.coefficients, p.conditions, problem, "left"),
      fem::boundary_flux(p.mesh, p.coefficients, p.conditions, problem, "right"),
      fem::coefficient_at(p.mesh, p.coefficients, CoefficientScale::kappa, x),
      fem::coefficient_at(p.mesh, p.coefficients, CoefficientScale::conductivity, x),
      fem::mean_coefficient(p.mesh, p.coefficients, CoefficientScale::kappa, half),
      fem::mean_coefficient(p.mesh, p.coefficients, CoefficientScale::conductivity, half)};
  const auto solution = problem.solve(Vector::Zero(problem.num_coefficients()));
  for (std::size_t k = 0, n = list.size(); k < n; ++k) {
    if (!(list[k].value(solution) > 0.1)) continue;
    list.push_back(list[k]);
    list.back().logarithm = true;
  }
  return list;
}

class ForwardModelContract : public testing::TestWithParam<BuiltIn> {
 protected:
  std::shared_ptr<const EllipticModel> model() const {
    const BuiltIn& p = GetParam();
    auto problem =
        std::make_shared<fem::EllipticProblem>(p.mesh, p.coefficients, std::vector<fem::SourceTerm>{{"", constant(2)}},
                                               p.conditions, std::vector<fem::PointSource>{}, p.reactions);
    EXPECT_EQ(problem->cholesky().kernel(), p.kernel);
    fem::Functionals sensors = sensors_at_points(p.mesh, scattered_points(p.mesh, 13), *problem);
    std::vector<fem::Observable> further;
    if (p.observes_all) further = all_observables(p, *problem);
    return std::make_shared<EllipticModel>(std::move(problem), std::move(sensors), std::move(further));
  }
};

INSTANTIATE_TEST_SUITE_P(BuiltIn, ForwardModelContract, testing::ValuesIn(built_in_problems()),
                         [](const auto& param_info) { return param_info.param.name; });

TEST_P(ForwardModelContract, HoldsAlsoOnThreads) {
  const auto built = model();
  Random random(1);
  const Vector kappa = 0.5 * random.normal_vector(built->num_parameters());
  const ModelContract contract = check_forward_model(*built, kappa, random);
  EXPECT_EQ(contract.prediction_error, 0);
  EXPECT_LT(contract.derivative_error, 1e-6);
  EXPECT_LT(contract.transposition_error, 1e-12);
  EXPECT_TRUE(contract.same_on_threads);
}

TEST_P(ForwardModelContract, LikelihoodGradientAgreesWithDifferencesAlsoOnThreads) {
  const auto built = model();
  Random random(2);
  const Vector truth = 0.5 * random.normal_vector(built->num_parameters());
  const Vector data = built->predict(truth);
  const GaussianLikelihood likelihood(
      built, observe_means(data, Vector::Constant(data.size(), 5), Vector::Constant(data.size(), 0.01)));
  const LikelihoodContract contract = check_log_likelihood(likelihood, 0.5 * truth, random);
  EXPECT_EQ(contract.value_error, 0);
  EXPECT_LT(contract.gradient_error, 1e-6);
  EXPECT_TRUE(contract.same_on_threads);
}

TEST_P(ForwardModelContract, BlockedJacobianEqualsOneAdjointSolveASensor) {
  const auto built = model();
  Random random(3);
  const auto linearization = built->linearize(0.5 * random.normal_vector(built->num_parameters()));
  const Matrix blocked = linearization->jacobian();
  const Matrix single = linearization->Linearization::jacobian();
  EXPECT_LT((blocked - single).norm(), 1e-12 * single.norm());
}

/// y = A kappa^2 with a derivative that is wrong on demand: the checks must notice.
class Faulty final : public ForwardModel {
 public:
  enum class Fault { none, derivative, transposition, prediction, state };
  explicit Faulty(Fault fault) : fault_(fault) {}

  Index num_parameters() const override { return 3; }
  Index num_predictions() const override { return 2; }
  Vector predict(const Vector& kappa) const override {
    const double offset = fault_ == Fault::state ? 1e-3 * static_cast<double>(++calls_) : 0;
    return matrix_ * kappa.cwiseAbs2() + Vector::Constant(2, offset);
  }
  std::unique_ptr<Linearization> linearize(const Vector& kappa) const override {
    class Local final : public Linearization {
     public:
      Vector prediction_;
      Matrix jacobian_, transposed_;
      const Vector& prediction() const override { return prediction_; }
      Vector jacobian_transposed(const Vector& w) const override { return transposed_ * w; }
      Matrix jacobian() const override { return jacobian_; }
    };
    auto local = std::make_unique<Local>();
    local->prediction_ = predict(kappa);
    local->jacobian_ = 2 * matrix_ * kappa.asDiagonal();
    if (fault_ == Fault::prediction) local->prediction_[0] += 1e-3;
    if (fault_ == Fault::derivative) local->jacobian_(0, 0) += 1e-3;
    local->transposed_ = local->jacobian_.transpose();
    if (fault_ == Fault::transposition) local->transposed_(1, 1) += 1e-3;
    return local;
  }

 private:
  Fault fault_;
  Matrix matrix_ = (Matrix(2, 3) << 1, 2, 3, -1, 0.5, 2).finished();
  mutable std::atomic<int> calls_ = 0;
};

TEST(ModelContract, NoticesEveryFault) {
  const Vector kappa = Vector::LinSpaced(3, 0.5, 1.5);
  const auto contract = [&](Faulty::Fault fault) {
    Random random(4);
    return check_forward_model(Faulty(fault), kappa, random);
  };
  EXPECT_TRUE(contract(Faulty::Fault::none).holds());
  EXPECT_GT(contract(Faulty::Fault::derivative).derivative_error, 1e-6);
  EXPECT_GT(contract(Faulty::Fault::transposition).transposition_error, 1e-6);
  EXPECT_GT(contract(Faulty::Fault::prediction).prediction_error, 1e-6);
  EXPECT_FALSE(contract(Faulty::Fault::state).same_on_threads);
}

}  // namespace
}  // namespace varimesh::inverse
