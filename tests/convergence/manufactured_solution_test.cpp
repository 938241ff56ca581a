// Manufactured solutions: on a sequence of refined, distorted meshes of every cell type, the error falls with order 2
// in L2 and order 1 in the H1 seminorm.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <numbers>

#include "problems.h"
#include "varimesh/fem/elliptic_problem.h"
#include "varimesh/mesh/reference_cell.h"
#include "varimesh/mesh/refine.h"

namespace varimesh::fem {
namespace {

using mesh::CellType;
using std::numbers::pi;

struct Exact {
  ScalarFunction u;
  std::function<Point(const Point&)> gradient;
};

struct Errors {
  double l2, h1;
};

/// Norms of u_h - u by the cells' quadrature rule, u_h in the mesh's numbering.
Errors errors(const mesh::Mesh& mesh, const Vector& u_h, const Exact& exact) {
  double l2 = 0, h1 = 0;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    for (const auto& [reference, weight] : mesh::quadrature(mesh.cell_type)) {
      const auto values = mesh::shape_values(mesh.cell_type, reference);
      const Eigen::Matrix3d jacobian = mesh::jacobian(mesh, c, reference);
      const mesh::ShapeGradients gradients = mesh::shape_gradients(mesh.cell_type, reference) * jacobian.inverse();
      double value = 0;
      Point x = Point::Zero(), gradient = Point::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const auto k = static_cast<Eigen::Index>(a);
        value += u_h[nodes[a]] * values[k];
        gradient += u_h[nodes[a]] * gradients.row(k).transpose();
        x += values[k] * mesh.nodes[nodes[a]];
      }
      const double volume = weight * jacobian.determinant();
      l2 += volume * std::pow(value - exact.u(x), 2);
      h1 += volume * (gradient - exact.gradient(x)).squaredNorm();
    }
  }
  return {std::sqrt(l2), std::sqrt(h1)};
}

/// Solves on a mesh and two or more refinements of it; returns the observed orders between the last two.
template <class Solve>
Errors observed_order(mesh::Mesh mesh, int refinements, const Exact& exact, const Solve& solve) {
  Errors previous{}, last = errors(mesh, solve(mesh), exact);
  for (int level = 0; level < refinements; ++level) {
    mesh = mesh::refine(mesh).mesh;
    previous = last;
    last = errors(mesh, solve(mesh), exact);
  }
  return {std::log2(previous.l2 / last.l2), std::log2(previous.h1 / last.h1)};
}

class ManufacturedSolution : public testing::TestWithParam<CellType> {
 protected:
  int dimension() const { return topology(GetParam()).dimension; }
  int refinements() const { return dimension() == 1 ? 5 : dimension() == 2 ? 4 : 2; }

  void expect_orders(const Errors& order) const {
    // Asymptotic orders 2 and 1; on the meshes that tests can afford they are reached to within 0.1.
    EXPECT_NEAR(order.l2, 2, 0.1);
    EXPECT_NEAR(order.h1, 1, 0.1);
  }
};

INSTANTIATE_TEST_SUITE_P(EveryCellType, ManufacturedSolution, testing::ValuesIn(test::all_cell_types),
                         [](const auto& param_info) { return std::string(topology(param_info.param).name); });

/// u = exp(x/2) sin(2y + 1) cos(z), with as many factors as dimensions.
Exact smooth(int d) {
  return {[d](const Point& x) {
            return std::exp(x[0] / 2) * (d > 1 ? std::sin(2 * x[1] + 1) : 1) * (d > 2 ? std::cos(x[2]) : 1);
          },
          [d](const Point& x) {
            const double ex = std::exp(x[0] / 2), sy = d > 1 ? std::sin(2 * x[1] + 1) : 1,
                         cz = d > 2 ? std::cos(x[2]) : 1;
            return Point(ex / 2 * sy * cz, d > 1 ? ex * 2 * std::cos(2 * x[1] + 1) * cz : 0,
                         d > 2 ? -ex * sy * std::sin(x[2]) : 0);
          }};
}

/// Laplace u / u of it
double smooth_laplacian(int d) { return 0.25 - (d > 1 ? 4 : 0) - (d > 2 ? 1 : 0); }

TEST_P(ManufacturedSolution, SmoothSolutionWithDirichletAndNeumannConditions) {
  // kappa = 0.7: f = -exp(0.7) Laplace u
  const Exact exact = smooth(dimension());
  const double laplacian = smooth_laplacian(dimension()), theta = std::exp(0.7);
  const ScalarFunction source = [&](const Point& x) { return -theta * laplacian * exact.u(x); };
  const auto solve = [&](const mesh::Mesh& mesh) {
    std::vector<BoundaryCondition> conditions;
    for (const auto& part : mesh.boundaries) {
      if (part.name == "right") {
        conditions.push_back(test::neumann(part.name, [&](const Point& x) { return theta * exact.gradient(x)[0]; }));
      } else {
        conditions.push_back(test::dirichlet(part.name, exact.u));
      }
    }
    const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", source}}, conditions);
    return problem.in_mesh_order(problem.solve(Vector::Constant(problem.num_coefficients(), 0.7)).u());
  };
  expect_orders(observed_order(test::distorted_mesh(GetParam(), 4), refinements(), exact, solve));
}

TEST_P(ManufacturedSolution, SmoothSolutionWithReactionAndRobinConditionsAllAround) {
  // kappa = 0.7, c = 1 + 4 x, h = 2 + x: f = -exp(0.7) Laplace u + c u, ambient = u + exp(0.7) du/dn / h. Nothing is
  // held.
  const int d = dimension();
  const Exact exact = smooth(d);
  const double laplacian = smooth_laplacian(d), theta = std::exp(0.7);
  const ScalarFunction c = [](const Point& x) { return 1 + 4 * x[0]; }, h = [](const Point& x) { return 2 + x[0]; };
  const ScalarFunction source = [&](const Point& x) { return (c(x) - theta * laplacian) * exact.u(x); };
  const Point up = d == 3 ? Point::UnitZ() : Point::UnitY();
  const std::map<std::string, Point> normals{
      {"left", -Point::UnitX()}, {"right", Point::UnitX()}, {"front", -Point::UnitY()},
      {"back", Point::UnitY()},  {"bottom", -up},           {"top", up}};
  const auto solve = [&](const mesh::Mesh& mesh) {
    std::vector<BoundaryCondition> conditions;
    for (const auto& part : mesh.boundaries) {
      const Point normal = normals.at(part.name);
      conditions.push_back(test::robin(part.name, h, [&exact, &h, theta, normal](const Point& x) {
        return exact.u(x) + theta * exact.gradient(x).dot(normal) / h(x);
      }));
    }
    const EllipticProblem problem(mesh, one_per_cell(mesh), {{"", source}}, conditions, {}, {{"", c}});
    return problem.in_mesh_order(problem.solve(Vector::Constant(problem.num_coefficients(), 0.7)).u());
  };
  expect_orders(observed_order(test::distorted_mesh(GetParam(), 4), refinements(), exact, solve));
}

TEST_P(ManufacturedSolution, TensorsThatJumpBetweenTwoHalves) {
  // Full tensors D on the left and right of x = 1/2, kappa = 0.3, and a flux cos(pi x) through these planes: with
  // u = g(x) + y + 2 z, continuous, exp(kappa) (D_11 g' + D_12 + 2 D_13) = cos(pi x), so f = pi sin(pi x).
  const int d = dimension();
  const double theta = std::exp(0.3);
  const Eigen::Matrix3d left{{2, 0.8, -0.3}, {0.8, 1, 0.2}, {-0.3, 0.2, 0.5}},
      right{{1, -0.5, 0.1}, {-0.5, 3, 0.4}, {0.1, 0.4, 2}};
  const Point slope(0, d > 1 ? 1 : 0, d > 2 ? 2 : 0);
  const auto tensor = [&](const Point& x) { return x[0] < 0.5 ? left : right; };
  const auto along = [&](const Eigen::Matrix3d& t, double x) {
    return (std::sin(pi * x) / (pi * theta) - x * t.row(0).dot(slope)) / t(0, 0);
  };
  const Exact exact{[&](const Point& x) {
                      const Eigen::Matrix3d t = tensor(x);
                      return along(t, x[0]) - along(t, 0.5) + slope.dot(x);
                    },
                    [&](const Point& x) {
                      const Eigen::Matrix3d t = tensor(x);
                      return Point((std::cos(pi * x[0]) / theta - t.row(0).dot(slope)) / t(0, 0), slope[1], slope[2]);
                    }};
  const auto solve = [&](const mesh::Mesh& mesh) {
    std::vector<BoundaryCondition> conditions;
    for (const auto& part : mesh.boundaries) conditions.push_back(test::dirichlet(part.name, exact.u));
    CoefficientMap map = one_per_cell(mesh);
    map.tensors.values = {left, right};
    for (Index c = 0; c < mesh.num_cells(); ++c) map.tensors.of_cell.push_back(centroid(mesh, c)[0] < 0.5 ? 0 : 1);
    const EllipticProblem problem(mesh, map, {{"", [](const Point& x) { return pi * std::sin(pi * x[0]); }}},
                                  conditions);
    return problem.in_mesh_order(problem.solve(Vector::Constant(problem.num_coefficients(), 0.3)).u());
  };
  expect_orders(observed_order(test::distorted_mesh(GetParam(), 4), refinements(), exact, solve));
}

TEST_P(ManufacturedSolution, CoefficientThatJumpsTenfold) {
  // Flux cos(pi x) through theta = 1 (x < 1/2) and 10: u = sin(pi x) / (pi theta) + constant, continuous; f = pi sin(pi
  // x).
  const auto theta = [](const Point& x) { return x[0] < 0.5 ? 1.0 : 10.0; };
  const Exact exact{[&](const Point& x) { return std::sin(pi * x[0]) / (pi * theta(x)) + (x[0] < 0.5 ? 0 : 0.9 / pi); },
                    [&](const Point& x) { return Point(std::cos(pi * x[0]) / theta(x), 0, 0); }};
  const auto solve = [&](const mesh::Mesh& mesh) {
    const EllipticProblem problem(
        mesh, one_per_cell(mesh), {{"", [](const Point& x) { return pi * std::sin(pi * x[0]); }}},
        {test::dirichlet("left", test::constant(0)), test::neumann("right", test::constant(-1))});
    Vector kappa(mesh.num_cells());
    for (Index c = 0; c < mesh.num_cells(); ++c) kappa[c] = std::log(theta(centroid(mesh, c)));
    return problem.in_mesh_order(problem.solve(kappa).u());
  };
  expect_orders(observed_order(test::distorted_mesh(GetParam(), 4), refinements(), exact, solve));
}

}  // namespace
}  // namespace varimesh::fem
