#include "varimesh/mesh/surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

namespace varimesh::mesh {
namespace {

Point nearest_in_segment(const Point& a, const Point& b, const Point& x) {
  const Point side = b - a;
  const double length = side.squaredNorm();
  return a + (length > 0 ? std::clamp((x - a).dot(side) / length, 0., 1.) : 0.) * side;
}

/// The foot of the perpendicular if that is inside, else the nearest point of the sides.
Point nearest_in_triangle(const Point& a, const Point& b, const Point& c, const Point& x) {
  const Point normal = (b - a).cross(c - a);
  const auto inside = [&](const Point& from, const Point& to) { return (to - from).cross(x - from).dot(normal) >= 0; };
  if (normal.squaredNorm() > 0 && inside(a, b) && inside(b, c) && inside(c, a))
    return x - normal * ((x - a).dot(normal) / normal.squaredNorm());
  Point best = nearest_in_segment(a, b, x);
  for (const Point& other : {nearest_in_segment(b, c, x), nearest_in_segment(c, a, x)})
    if ((other - x).squaredNorm() < (best - x).squaredNorm()) best = other;
  return best;
}

}  // namespace

Point nearest_in_facet(const Mesh& mesh, std::span<const Index> facet, const Point& point) {
  const auto node = [&](std::size_t i) -> const Point& { return mesh.nodes[facet[i]]; };
  if (facet.size() == 1) return node(0);
  if (facet.size() == 2) return nearest_in_segment(node(0), node(1), point);
  Point best = nearest_in_triangle(node(0), node(1), node(2), point);
  if (facet.size() == 4) {
    const Point other = nearest_in_triangle(node(0), node(2), node(3), point);
    if ((other - point).squaredNorm() < (best - point).squaredNorm()) best = other;
  }
  return best;
}

double diameter(const Mesh& mesh, Index cell) {
  double longest = 0;
  const auto nodes = mesh.cell(cell);
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size(); ++b)
      longest = std::max(longest, (mesh.nodes[nodes[a]] - mesh.nodes[nodes[b]]).norm());
  return longest;
}

Surface::Surface(const Mesh& mesh) : mesh_(&mesh), facets_(outer_facets(mesh)) {
  for (std::size_t f = 0; f < size(); ++f) {
    Point centre = Point::Zero();
    for (const Index n : facet(f)) centre += mesh.nodes[n] / static_cast<double>(facet(f).size());
    double radius = 0;
    for (const Index n : facet(f)) radius = std::max(radius, (mesh.nodes[n] - centre).norm());
    centres_.push_back(centre);
    radii_.push_back(radius);
  }
}

SurfacePoint Surface::nearest(const Point& point) const {
  Point x = Point::Zero();
  x.head(mesh_->dimension()) = point.head(mesh_->dimension());
  SurfacePoint best{Point::Zero(), std::numeric_limits<double>::infinity(), -1};
  for (std::size_t f = 0; f < size(); ++f) {
    // No point of the facet is nearer than the ball around it.
    if ((centres_[f] - x).norm() - radii_[f] > best.distance) continue;
    const Point foot = nearest_in_facet(*mesh_, facet(f), x);
    const double distance = (foot - x).norm();
    const Index cell = facets_.cells[f];
    if (distance < best.distance || (distance == best.distance && cell < best.cell)) best = {foot, distance, cell};
  }
  return best;
}

}  // namespace varimesh::mesh
