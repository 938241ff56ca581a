#include "varimesh/mesh/reference_cell.h"

#include <array>
#include <cmath>

namespace varimesh::mesh {
namespace {

/// The corners of [0,1]^3 in the order of a hexahedron's nodes; the first two (four) are those of a line
/// (quadrilateral).
constexpr int corner_bits[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

bool is_simplex(CellType type) { return type == CellType::triangle || type == CellType::tetrahedron; }

/// The factors of tensor-product shape functions in each direction: 1-r for the corner 0, r for the corner 1.
using Factors = std::array<std::array<double, 2>, 3>;

Factors factors(const Point& r) { return {{{1 - r[0], r[0]}, {1 - r[1], r[1]}, {1 - r[2], r[2]}}}; }

/// d phi_i / d r_d = (+1 or -1) prod_{e != d} (r_e or 1 - r_e); the dimension is a constant so that loops are unrolled.
template <int dimension>
ShapeGradients tensor_gradients(const Point& reference) {
  const Factors factor = factors(reference);
  ShapeGradients gradients = ShapeGradients::Zero(1 << dimension, 3);
  for (int i = 0; i < 1 << dimension; ++i)
    for (int d = 0; d < dimension; ++d) {
      double product = corner_bits[i][d] ? 1 : -1;
      for (int e = 0; e < dimension; ++e)
        if (e != d) product *= factor[e][corner_bits[i][e]];
      gradients(i, d) = product;
    }
  return gradients;
}

using Rule = std::vector<QuadraturePoint>;

/// Three Gauss points in each of d directions: exact for degree 5 in each variable.
Rule gauss_rule(int dimension) {
  const double shift = std::sqrt(0.15);
  const std::array points = {0.5 - shift, 0.5, 0.5 + shift};
  const std::array weights = {5. / 18, 8. / 18, 5. / 18};
  Rule rule = {{Point::Zero(), 1}};
  for (int d = 0; d < dimension; ++d) {
    Rule next;
    for (std::size_t i = 0; i < 3; ++i)
      for (QuadraturePoint q : rule) {
        q.reference[d] = points[i];
        q.weight *= weights[i];
        next.push_back(q);
      }
    rule = std::move(next);
  }
  return rule;
}

/// Dunavant's rule of degree 4 (1985): two orbits of three points.
Rule triangle_rule() {
  Rule rule;
  const auto add_orbit = [&](double a, double weight) {
    const double b = 1 - 2 * a;
    for (const Point& point : {Point(a, a, 0), Point(b, a, 0), Point(a, b, 0)}) rule.push_back({point, weight / 2});
  };
  add_orbit(0.44594849091596488632, 0.22338158967801146570);
  add_orbit(0.09157621350977074346, 0.10995174365532186764);
  return rule;
}

/// Walkington's rule of degree 5 (2000): two orbits of four points and one of six.
Rule tetrahedron_rule() {
  Rule rule;
  const auto add_vertex_orbit = [&](double a, double weight) {
    const double b = 1 - 3 * a;
    for (const Point& point : {Point(a, a, a), Point(b, a, a), Point(a, b, a), Point(a, a, b)})
      rule.push_back({point, weight / 6});
  };
  add_vertex_orbit(0.31088591926330060980, 0.11268792571801585080);
  add_vertex_orbit(0.092735250310891226402, 0.073493043116361949544);
  const double a = 0.045503704125649649492, b = 0.5 - a, weight = 0.042546020777081466438;
  for (const Point& point :
       {Point(a, a, b), Point(a, b, a), Point(b, a, a), Point(b, b, a), Point(b, a, b), Point(a, b, b)})
    rule.push_back({point, weight / 6});
  return rule;
}

}  // namespace

Point reference_node(CellType type, int local_node) {
  if (type == CellType::triangle || type == CellType::tetrahedron)
    return local_node == 0 ? Point::Zero() : Point(Point::Unit(local_node - 1));
  return {static_cast<double>(corner_bits[local_node][0]), static_cast<double>(corner_bits[local_node][1]),
          static_cast<double>(corner_bits[local_node][2])};
}

ShapeValues shape_values(CellType type, const Point& reference) {
  const int dimension = topology(type).dimension;
  ShapeValues values(topology(type).num_nodes);
  if (is_simplex(type)) {
    // phi_0 = 1 - sum r,  phi_i = r_i
    values.tail(dimension) = reference.head(dimension);
    values[0] = 1 - reference.head(dimension).sum();
    return values;
  }
  // phi_i = prod_d (r_d or 1 - r_d)
  const Factors factor = factors(reference);
  for (int i = 0; i < values.size(); ++i) {
    values[i] = 1;
    for (int d = 0; d < dimension; ++d) values[i] *= factor[d][corner_bits[i][d]];
  }
  return values;
}

ShapeGradients shape_gradients(CellType type, const Point& reference) {
  const int dimension = topology(type).dimension;
  if (is_simplex(type)) {
    ShapeGradients gradients = ShapeGradients::Zero(dimension + 1, 3);
    gradients.row(0).head(dimension).setConstant(-1);
    for (int i = 0; i < dimension; ++i) gradients(i + 1, i) = 1;
    return gradients;
  }
  if (dimension == 1) return tensor_gradients<1>(reference);
  return dimension == 2 ? tensor_gradients<2>(reference) : tensor_gradients<3>(reference);
}

Eigen::Matrix3d jacobian(const Mesh& mesh, Index cell, const Point& reference) {
  // dx/dr = sum_i x_i grad phi_i^T
  const int dimension = mesh.dimension();
  const auto nodes = mesh.cell(cell);
  const ShapeGradients gradients = shape_gradients(mesh.cell_type, reference);
  Eigen::Matrix3d result = Eigen::Matrix3d::Zero();
  for (int i = 0; i < gradients.rows(); ++i) {
    const Point& x = mesh.nodes[nodes[i]];
    for (int d = 0; d < dimension; ++d) result.col(d) += x * gradients(i, d);
  }
  for (int d = dimension; d < 3; ++d) result(d, d) = 1;
  return result;
}

const std::vector<QuadraturePoint>& quadrature(CellType type) {
  static const std::array<Rule, 5> rules = {gauss_rule(1), triangle_rule(), gauss_rule(2), tetrahedron_rule(),
                                            gauss_rule(3)};
  return rules[static_cast<std::size_t>(type)];
}

}  // namespace varimesh::mesh
