#include "varimesh/fem/element.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

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

/// Calls visit(shape values, point, weight) over a cell's quadrature points; weights include the volume.
template <class Visit>
void integrate_cell(const mesh::Mesh& mesh, Index cell, const Visit& visit) {
  const auto nodes = mesh.cell(cell);
  for (const auto& [reference, weight] : mesh::quadrature(mesh.cell_type)) {
    const auto values = mesh::shape_values(mesh.cell_type, reference);
    Point x = Point::Zero();
    for (std::size_t a = 0; a < nodes.size(); ++a) x += values[static_cast<Eigen::Index>(a)] * mesh.nodes[nodes[a]];
    visit(values, x, weight * std::abs(mesh::jacobian(mesh, cell, reference).determinant()));
  }
}

/// The reference cell of a mesh's facets; a line mesh's facets are points.
CellType facet_type(const mesh::Mesh& mesh) {
  if (mesh.dimension() == 2) return CellType::line;
  return mesh.cell_type == CellType::tetrahedron ? CellType::triangle : CellType::quadrilateral;
}

/// Calls visit(shape values, point, unit normal, weight) over a facet's quadrature points; weights include the surface
/// measure.
template <class Visit>
void integrate_facet(const mesh::Mesh& mesh, std::span<const Index> facet, const Visit& visit) {
  if (mesh.dimension() == 1) {
    visit(mesh::ShapeValues::Ones(1), mesh.nodes[facet[0]], Point(Point::UnitX()), 1.0);
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
    if (type == CellType::line) tangents.col(1) = Point::UnitZ();
    const Point normal = tangents.col(0).cross(tangents.col(1));
    visit(values, x, Point(normal.normalized()), weight * normal.norm());
  }
}

}  // namespace

ElementMatrix unit_stiffness(const mesh::Mesh& mesh, Index cell, const Eigen::Matrix3d& tensor) {
  const int n = topology(mesh.cell_type).num_nodes;
  ElementMatrix stiffness = ElementMatrix::Zero(n, n);
  integrate_gradients(mesh.cell_type, [&](const Point& reference, double weight) {
    const Eigen::Matrix3d jacobian = mesh::jacobian(mesh, cell, reference);
    // grad phi = (dx/dxi)^-T dphi/dxi
    const mesh::ShapeGradients gradients = mesh::shape_gradients(mesh.cell_type, reference) * jacobian.inverse();
    stiffness += weight * std::abs(jacobian.determinant()) * gradients * tensor * gradients.transpose();
  });
  return stiffness;
}

ElementMatrix lumped_stiffness(const mesh::Mesh& mesh, Index cell, const Eigen::Matrix3d& tensor) {
  const int n = topology(mesh.cell_type).num_nodes;
  ElementMatrix stiffness = ElementMatrix::Zero(n, n);
  const auto add = [&](const Point& reference, double weight) {
    const Eigen::Matrix3d jacobian = mesh::jacobian(mesh, cell, reference);
    const mesh::ShapeGradients gradients = mesh::shape_gradients(mesh.cell_type, reference) * jacobian.inverse();
    stiffness += weight * std::abs(jacobian.determinant()) * gradients * tensor * gradients.transpose();
  };
  if (is_simplex(mesh.cell_type)) {
    integrate_gradients(mesh.cell_type, add);
  } else {
    for (int i = 0; i < n; ++i) add(mesh::reference_node(mesh.cell_type, i), 1.0 / n);
  }
  return stiffness;
}

ElementVector element_load(const mesh::Mesh& mesh, Index cell, const ScalarFunction& f) {
  ElementVector load = ElementVector::Zero(topology(mesh.cell_type).num_nodes);
  integrate_cell(mesh, cell, [&](const mesh::ShapeValues& values, const Point& x, double weight) {
    load += weight * f(x) * values;
  });
  return load;
}

ElementMatrix element_mass(const mesh::Mesh& mesh, Index cell, const ScalarFunction& c) {
  const int n = topology(mesh.cell_type).num_nodes;
  ElementMatrix mass = ElementMatrix::Zero(n, n);
  integrate_cell(mesh, cell, [&](const mesh::ShapeValues& values, const Point& x, double weight) {
    mass += weight * c(x) * values * values.transpose();
  });
  return mass;
}

ElementVector facet_load(const mesh::Mesh& mesh, std::span<const Index> facet, const ScalarFunction& g) {
  ElementVector load = ElementVector::Zero(static_cast<Eigen::Index>(facet.size()));
  integrate_facet(mesh, facet, [&](const mesh::ShapeValues& values, const Point& x, const Point&, double weight) {
    load += weight * g(x) * values;
  });
  return load;
}

ElementMatrix facet_mass(const mesh::Mesh& mesh, std::span<const Index> facet, const ScalarFunction& h) {
  const auto n = static_cast<Eigen::Index>(facet.size());
  ElementMatrix mass = ElementMatrix::Zero(n, n);
  integrate_facet(mesh, facet, [&](const mesh::ShapeValues& values, const Point& x, const Point&, double weight) {
    mass += weight * h(x) * values * values.transpose();
  });
  return mass;
}

Matrix facet_normal_derivatives(const mesh::Mesh& mesh, Index cell, std::span<const Index> facet,
                                const Eigen::Matrix3d& tensor) {
  const auto nodes = mesh.cell(cell);
  // The facet's corners in the cell's reference coordinates; points between follow by the facet's shape functions.
  std::array<Point, 4> corner;
  for (std::size_t a = 0; a < facet.size(); ++a) {
    const auto local = std::find(nodes.begin(), nodes.end(), facet[a]) - nodes.begin();
    corner[a] = mesh::reference_node(mesh.cell_type, static_cast<int>(local));
  }
  const Point inside = centroid(mesh, cell);
  Matrix result = Matrix::Zero(static_cast<Eigen::Index>(facet.size()), static_cast<Eigen::Index>(nodes.size()));
  integrate_facet(
      mesh, facet, [&](const mesh::ShapeValues& values, const Point& x, const Point& normal, double weight) {
        Point reference = Point::Zero();
        for (std::size_t a = 0; a < facet.size(); ++a) reference += values[static_cast<Eigen::Index>(a)] * corner[a];
        const mesh::ShapeGradients gradients =
            mesh::shape_gradients(mesh.cell_type, reference) * mesh::jacobian(mesh, cell, reference).inverse();
        const double sign = normal.dot(x - inside) > 0 ? 1 : -1;
        result += weight * sign * values * (gradients * tensor * normal).transpose();
      });
  return result;
}

double facet_measure(const mesh::Mesh& mesh, std::span<const Index> facet) {
  double measure = 0;
  integrate_facet(mesh, facet,
                  [&](const mesh::ShapeValues&, const Point&, const Point&, double weight) { measure += weight; });
  return measure;
}

}  // namespace varimesh::fem
