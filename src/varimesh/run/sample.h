#pragma once

#include <string>
#include <vector>

#include "varimesh/run/result_directory.h"

namespace varimesh::run {

/// A result at some points: one column for each field and statistic, NaN at points outside the mesh.
struct Samples {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  ///< one vector per name
  Index outside = 0;                        ///< points outside the mesh
  bool sd_is_bound = false;  ///< u_sd is interpolated between nodes, which is too large, for want of draws of u
};

/// kappa, exp(kappa) and u, with their uncertainty. In a cell that has an unknown of its own, kappa is that everywhere;
/// a field on nodes is linear between them, its sds and quantiles are those of the draws there. So are those of u, if
/// the result has draws of u.
Samples sample_result(const StoredResult& stored, const std::vector<Point>& points);

/// So many points at equal distances, from one to another.
std::vector<Point> points_on_line(const Point& from, const Point& to, Index count);

/// Centres of square pixels over the bounding box of a plane mesh, so many along x, as many as it takes along y; row by
/// row, the uppermost first.
struct PixelGrid {
  Index columns = 0, rows = 0;
  Point upper_left = Point::Zero();  ///< corner
  double step = 0;
  std::vector<Point> centres;
};
PixelGrid pixels_over(const mesh::Mesh& mesh, Index columns);

}  // namespace varimesh::run
