#pragma once

#include <vector>

#include "varimesh/mesh/facets.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// The point of a facet, an end point, a side, a triangle or a quadrilateral (as two triangles), nearest to another.
Point nearest_in_facet(const Mesh& mesh, std::span<const Index> facet, const Point& point);

/// The longest distance between two nodes of a cell.
double diameter(const Mesh& mesh, Index cell);

/// Where a point comes nearest to the surface of a mesh.
struct SurfacePoint {
  Point point;
  double distance = 0;
  Index cell = -1;  ///< that has the facet
};

/// The whole surface of a mesh, named or not. The mesh must outlive it.
class Surface {
 public:
  explicit Surface(const Mesh& mesh);

  /// The nearest point; of several facets equally near, that of the lowest cell. Looks at every facet.
  SurfacePoint nearest(const Point& point) const;

  const OuterFacets& facets() const { return facets_; }
  std::size_t size() const { return facets_.cells.size(); }
  std::span<const Index> facet(std::size_t f) const {
    const auto width = static_cast<std::size_t>(topology(mesh_->cell_type).nodes_per_facet);
    return std::span(facets_.nodes).subspan(f * width, width);
  }
  /// A ball around each facet.
  const std::vector<Point>& centres() const { return centres_; }
  const std::vector<double>& radii() const { return radii_; }

 private:
  const Mesh* mesh_;
  OuterFacets facets_;
  std::vector<Point> centres_;
  std::vector<double> radii_;
};

}  // namespace varimesh::mesh
