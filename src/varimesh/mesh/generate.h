#pragma once

#include <array>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// The closed interval from `from` to `to`.
struct Interval {
  double from = 0, to = 1;
};

/// Equal cells on an interval; boundaries "left" and "right".
Mesh create_interval(Index cells, Interval x = {});

/// A rectangle of triangles (each rectangle split along its rising diagonal) or quadrilaterals, numbered x fastest;
/// boundaries "left", "right" (x), "bottom", "top" (y).
Mesh create_rectangle(CellType type, std::array<Index, 2> cells, std::array<Interval, 2> extent = {});

/// A box of tetrahedra (six for each hexahedron, conforming) or hexahedra, numbered x fastest;
/// boundaries "left", "right" (x), "front", "back" (y), "bottom", "top" (z).
Mesh create_box(CellType type, std::array<Index, 3> cells, std::array<Interval, 3> extent = {});

/// The unit square with a hole at its centre: a regular polygon inscribed in a circle.
struct PlateWithHole {
  double radius = 0.2;       ///< the paper's figure that gives centre and radius is lost: ours to choose
  double cell_size = 0.096;  ///< target edge length inside; edges on the square's sides are up to half as long again
  Index hole_segments = 0;   ///< edges around the hole; 0: the fewest that are no longer than cell_size
};

/// Triangles by the Gmsh library; boundaries "left", "right", "bottom", "top", "hole". The default has the sizes of the
/// paper's mesh, 125 nodes and 208 triangles: 7 edges a side, 14 around the hole.
Mesh create_plate_with_hole(const PlateWithHole& options = {});

}  // namespace varimesh::mesh
