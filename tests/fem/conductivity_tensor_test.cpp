// Conductivities exp(kappa) D that depend on the direction.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <string>

#include "expect_input_error.h"
#include "problems.h"
#include "varimesh/fem/boundary_flux.h"
#include "varimesh/fem/observable.h"
#include "varimesh/mesh/refine.h"

namespace varimesh::fem {
namespace {

using mesh::CellType;

/// The same field of kappa, sources and values at the boundary on a mesh and on its image y = B x. With D = B B' / |B|
/// and sources divided by |B| the discrete equations are the same.
struct Stretched {
  explicit Stretched(CellType type) : square(test::distorted_mesh(type, 3)), image(square) {
    const auto d = static_cast<Eigen::Index>(square.dimension());
    const Matrix askew = Matrix{{2, 0.7, -0.3}, {0.4, 0.6, 0.2}, {-0.5, 0.1, 1.3}};
    stretch.topLeftCorner(d, d) = askew.topLeftCorner(d, d);
    for (Point& node : image.nodes) node = stretch * node;
    const double volume = stretch.determinant();
    add_tensor(tensors, image, "", stretch * stretch.transpose() / volume);
    const Eigen::Matrix3d back = stretch.inverse();
    const ScalarFunction held = [](const Point& x) { return 1 + x[0] - 2 * x[1] * x[0] + x[2]; };
    const ScalarFunction source = [](const Point& x) { return 3 + x[0] + x[1]; };
    conditions = {test::dirichlet("left", held), test::dirichlet("right", held)};
    image_conditions = {test::dirichlet("left", [=](const Point& y) { return held(back * y); }),
                        test::dirichlet("right", [=](const Point& y) { return held(back * y); })};
    sources = {{"", source}};
    image_sources = {{"", [=](const Point& y) { return source(back * y) / volume; }}};
  }

  /// A map of the image with the tensors.
  CoefficientMap with_tensors(CoefficientMap map) const {
    map.tensors = tensors;
    return map;
  }

  mesh::Mesh square, image;
  Eigen::Matrix3d stretch = Eigen::Matrix3d::Identity();
  ConductivityTensors tensors;
  std::vector<BoundaryCondition> conditions, image_conditions;
  std::vector<SourceTerm> sources, image_sources;
};

TEST(ConductivityTensor, OfAnAffineImageGivesTheSameSolutionAndDerivatives) {
  for (const CellType type : test::all_cell_types) {
    const Stretched s(type);
    for (const bool on_nodes : {false, true}) {
      const auto map = [&](const mesh::Mesh& mesh) { return on_nodes ? one_per_node(mesh) : one_per_cell(mesh); };
      const EllipticProblem plain(s.square, map(s.square), s.sources, s.conditions);
      const EllipticProblem tensor(s.image, s.with_tensors(map(s.image)), s.image_sources, s.image_conditions);
      const Vector kappa = Random(1).normal_vector(plain.num_coefficients());
      const EllipticSolution expected = plain.solve(kappa), found = tensor.solve(kappa);
      // Rounding of some ten operations in each entry, times the condition of a small matrix.
      const double tolerance = 1e-11 * expected.u().lpNorm<Eigen::Infinity>();
      EXPECT_LT((found.u() - expected.u()).lpNorm<Eigen::Infinity>(), tolerance) << topology(type).name;
      Vector gradient, expected_gradient;
      const Vector functional = Random(2).normal_vector(s.square.num_nodes());
      found.gradient(functional, gradient);
      expected.gradient(functional, expected_gradient);
      EXPECT_LT((gradient - expected_gradient).norm(), 1e-11 * expected_gradient.norm()) << topology(type).name;
    }
  }
}

TEST(ConductivityTensor, OfAnAffineImageGivesTheSameFluxes) {
  for (const CellType type : test::all_cell_types) {
    const Stretched s(type);
    const CoefficientMap map = one_per_cell(s.square), image_map = s.with_tensors(one_per_cell(s.image));
    const EllipticProblem plain(s.square, map, s.sources, s.conditions);
    const EllipticProblem tensor(s.image, image_map, s.image_sources, s.image_conditions);
    const Vector kappa = Random(1).normal_vector(plain.num_coefficients());
    const EllipticSolution expected = plain.solve(kappa), found = tensor.solve(kappa);
    for (const char* side : {"left", "right"}) {
      const double flux = boundary_flux(s.square, map, s.conditions, plain, side).value(expected);
      EXPECT_NEAR(boundary_flux(s.image, image_map, s.image_conditions, tensor, side).value(found), flux,
                  1e-10 * (1 + std::abs(flux)))
          << topology(type).name << ' ' << side;
    }
    // The flux density of the image is B q / |B|.
    const Point x(0.41, s.square.dimension() > 1 ? 0.23 : 0, s.square.dimension() > 2 ? 0.57 : 0);
    Point q = Point::Zero(), q_image = Point::Zero();
    for (int axis = 0; axis < s.square.dimension(); ++axis) {
      q[axis] = flux_at(s.square, map, plain, x, axis).value(expected);
      q_image[axis] = flux_at(s.image, image_map, tensor, s.stretch * x, axis).value(found);
    }
    EXPECT_LT((q_image - s.stretch * q / s.stretch.determinant()).norm(), 1e-10 * q.norm()) << topology(type).name;
  }
}

TEST(ConductivityTensor, FluxesOfALinearFieldAreExactOutOfEverySide) {
  // -exp(kappa) n' D grad u times the side's measure, which is 1, with corners that belong to several sides.
  Eigen::Matrix3d tensor;
  tensor << 2, 0.8, -0.3, 0.8, 1, 0.2, -0.3, 0.2, 0.5;
  for (const CellType type : test::all_cell_types) {
    const mesh::Mesh mesh = test::distorted_mesh(type, 3);
    const int d = mesh.dimension();
    const Point slope(3, d > 1 ? -1 : 0, d > 2 ? 2 : 0), up = d == 3 ? Point::UnitZ() : Point::UnitY();
    const std::map<std::string, Point> normals{
        {"left", -Point::UnitX()}, {"right", Point::UnitX()}, {"front", -Point::UnitY()},
        {"back", Point::UnitY()},  {"bottom", -up},           {"top", up}};
    std::vector<BoundaryCondition> conditions;
    for (const auto& part : mesh.boundaries)
      conditions.push_back(test::dirichlet(part.name, [slope](const Point& x) { return slope.dot(x); }));
    CoefficientMap map = one_per_cell(mesh);
    add_tensor(map.tensors, mesh, "", tensor);
    const EllipticProblem problem(mesh, map, {}, conditions);
    const EllipticSolution solution = problem.solve(Vector::Constant(mesh.num_cells(), 0.4));
    for (const auto& part : mesh.boundaries)
      EXPECT_NEAR(boundary_flux(mesh, map, conditions, problem, part.name).value(solution),
                  -std::exp(0.4) * normals.at(part.name).dot(tensor * slope), 1e-12)
          << topology(type).name << ' ' << part.name;
  }
}

TEST(ConductivityTensor, AlongAnAxisIsTheRatioTimesThatAcross) {
  const Point axis(1, 2, -2), across(2, 1, 2);
  const Eigen::Matrix3d tensor = axial_tensor(5, axis);
  EXPECT_LT((tensor * axis - 5 * axis).norm(), 1e-14);
  EXPECT_LT((tensor * across - across).norm(), 1e-14);
}

TEST(ConductivityTensor, BelongsToTheCellsOfARegionAndToTheirChildren) {
  auto mesh = mesh::create_rectangle(CellType::triangle, {2, 1});
  mesh.regions = {{"sand", {1, 2}}, {"clay", {2, 3}}};
  CoefficientMap map = one_per_cell(mesh);
  EXPECT_EQ(map.tensor(1), Eigen::Matrix3d::Identity());
  const Eigen::Matrix3d tensor = axial_tensor(3, Point::UnitY());
  add_tensor(map.tensors, mesh, "sand", tensor);
  EXPECT_EQ(map.tensor(0), Eigen::Matrix3d::Identity());
  EXPECT_EQ(map.tensor(1), tensor);
  const mesh::RefinedMesh fine = mesh::refine(mesh);
  const CoefficientMap refined = refine(map, fine);
  for (std::size_t c = 0; c < fine.parent.size(); ++c)
    EXPECT_EQ(refined.tensor(static_cast<Index>(c)), map.tensor(fine.parent[c]));
  EXPECT_EQ(fix(map, {0}, Vector{{1.0}}).tensor(2), tensor);
  EXPECT_INPUT_ERROR(add_tensor(map.tensors, mesh, "clay", tensor), "cell 2 has two tensors: expected one");
}

TEST(ConductivityTensor, IsSymmetricAndPositiveDefinite) {
  const auto mesh = mesh::create_rectangle(CellType::triangle, {2, 1});
  const auto fault = [&](double xx, double xy, double yx, double yy) {
    Eigen::Matrix3d tensor = Eigen::Matrix3d::Identity();
    tensor.topLeftCorner<2, 2>() << xx, xy, yx, yy;
    ConductivityTensors tensors;
    return test::input_error([&] { add_tensor(tensors, mesh, "", tensor); });
  };
  EXPECT_EQ(fault(2, 1, 0, 2), "expected a tensor that is symmetric and positive definite, found [2, 1, 0, 2]");
  EXPECT_EQ(fault(1, 1, 1, 1), "expected a tensor that is symmetric and positive definite, found [1, 1, 1, 1]");
  EXPECT_EQ(fault(1, 2, 2, 1), "expected a tensor that is symmetric and positive definite, found [1, 2, 2, 1]");
}

}  // namespace
}  // namespace varimesh::fem
