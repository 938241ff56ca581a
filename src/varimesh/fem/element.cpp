#include "varimesh/fem/element.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>

#include "varimesh/mesh/reference_cell.h"

namespace varimesh::fem {
namespace {

using mesh::CellType;

bool is_simplex(CellType type) { return topology(type).num_nodes == topology(type).dimension + 1; }

/// sum_q weight_q integrand(reference point), the integrand being constant on simplices, where one point is enough.
template <class Integrand>
void integrate_gradients(CellType type, const Integrand& integrand) {
  if (!is_simplex(type)) {
    for (const auto& [reference, weight] : mesh::quadrature(type)) integrand(reference, weight);
    return;
  }
  constexpr std::array<double, 4> reference_measure{1, 1, 1. / 2, 1. / 6};
  integrand(Point::Zero(), reference_measure[topology(type).dimension]);
}

/// The reference cell of a mesh's facets; a line mesh's facets are points.
CellType facet_type(const mesh::Mesh& mesh) {
  if (mesh.dimension() == 2) return CellType::line;
  return mesh.cell_type == CellType::tetrahedron ? CellType::triangle : CellType::quadrilateral;
}

/// Calls visit(shape values, point, weight) over a facet's quadrature points, weights including the surface measure.
template <class Visit>
void integrate_facet(const mesh::Mesh& mesh, std::span<const Index> facet, const Visit& visit) {
  if (mesh.dimension() == 1) {
    visit(mesh::ShapeValues::Ones(1), mesh.nodes[facet[0]], 1.0);
    return;
  }
  const CellType type = facet_type(mesh);
  for (const auto& [reference, weight] : mesh::quadrature(type)) {
    const auto values = mesh::shape_values(type, reference);
    const auto gradients = mesh::shape_gradients(type, reference);
    Point x = Point::Zero();
    Eigen::Matrix3d tangents = Eigen::Matrix3d::Zero();
    for (std::size_t a = 0; a < facet.size(); ++a) {
      x += values[static_cast<Eigen::Index>(a)] * mesh.nodes[facet[a]];
      tangents += mesh.nodes[facet[a]] * gradients.row(static_cast<Eigen::Index>(a));
    }
    const double surface =
        type == CellType::line ? tangents.col(0).norm() : tangents.col(0).cross(tangents.col(1)).norm();
    visit(values, x, weight * surface);
  }
}

}  // namespace

ElementMatrix unit_stiffness(const mesh::Mesh& mesh, Index cell) {
  const int n = topology(mesh.cell_type).num_nodes;
  ElementMatrix stiffness = ElementMatrix::Zero(n, n);
  integrate_gradients(mesh.cell_type, [&](const Point& reference, double weight) {
    const Eigen::Matrix3d jacobian = mesh::jacobian(mesh, cell, reference);
    // grad phi = (dx/dxi)^-T dphi/dxi
    const mesh::ShapeGradients gradients = mesh::shape_gradients(mesh.cell_type, reference) * jacobian.inverse();
    stiffness += weight * std::abs(jacobian.determinant()) * gradients * gradients.transpose();
  });
  return stiffness;
}

ElementVector element_load(const mesh::Mesh& mesh, Index cell, const ScalarFunction& f) {
  const auto nodes = mesh.cell(cell);
  ElementVector load = ElementVector::Zero(static_cast<Eigen::Index>(nodes.size()));
  for (const auto& [reference, weight] : mesh::quadrature(mesh.cell_type)) {
    const auto values = mesh::shape_values(mesh.cell_type, reference);
    Point x = Point::Zero();
    for (std::size_t a = 0; a < nodes.size(); ++a) x += values[static_cast<Eigen::Index>(a)] * mesh.nodes[nodes[a]];
    load += weight * std::abs(mesh::jacobian(mesh, cell, reference).determinant()) * f(x) * values;
  }
  return load;
}

ElementVector facet_load(const mesh::Mesh& mesh, std::span<const Index> facet, const ScalarFunction& g) {
  ElementVector load = ElementVector::Zero(static_cast<Eigen::Index>(facet.size()));
  integrate_facet(mesh, facet, [&](const mesh::ShapeValues& values, const Point& x, double weight) {
    load += weight * g(x) * values;
  });
  return load;
}

double facet_measure(const mesh::Mesh& mesh, std::span<const Index> facet) {
  double measure = 0;
  integrate_facet(mesh, facet, [&](const mesh::ShapeValues&, const Point&, double weight) { measure += weight; });
  return measure;
}

}  // namespace varimesh::fem
