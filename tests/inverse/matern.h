#pragma once

#include <cmath>

#include "varimesh/inverse/spde_prior.h"

namespace varimesh::test {

/// 2^(1-nu)/Gamma(nu) (k r)^nu K_nu(k r)
inline double matern_correlation(double nu, double kr) {
  if (kr < 1e-12) return 1;
  return std::pow(2, 1 - nu) / std::tgamma(nu) * std::pow(kr, nu) * std::cyl_bessel_k(nu, kr);
}

/// The sum of the Matern correlations with a point's mirror images in the sides of the unit interval, square or cube, x
/// or -x, shifted by multiples of 2 along each axis: what the field without flux through the sides has.
inline double mirrored_correlation(const inverse::SpdeSettings& settings, int dimension, const Point& x,
                                   const Point& y) {
  const double nu = settings.order - dimension / 2.0, k = std::sqrt(8 * nu) / settings.range;
  double sum = 0;
  Index num_images = 1;
  for (int axis = 0; axis < dimension; ++axis) num_images *= 6;
  for (Index image = 0; image < num_images; ++image) {
    Point z = Point::Zero();
    Index code = image;
    for (int axis = 0; axis < dimension; ++axis, code /= 6) {
      const Index shift = code % 6 / 2 - 1;
      z[axis] = (code % 2 == 0 ? y[axis] : -y[axis]) + 2 * shift;
    }
    const double kr = k * (x - z).norm();
    if (kr < 20) sum += matern_correlation(nu, kr);  // beyond: below 1e-8
  }
  return sum;
}

/// The covariance of the normalised field.
inline double expected_covariance(const inverse::SpdeSettings& settings, int dimension, const Point& x,
                                  const Point& y) {
  const auto mirrored = [&](const Point& a, const Point& b) { return mirrored_correlation(settings, dimension, a, b); };
  return settings.sigma * settings.sigma * mirrored(x, y) / std::sqrt(mirrored(x, x) * mirrored(y, y));
}

inline Index nearest_cell(const mesh::Mesh& mesh, const Point& point) {
  Index nearest = 0;
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    if ((mesh::centroid(mesh, c) - point).norm() < (mesh::centroid(mesh, nearest) - point).norm()) nearest = c;
  }
  return nearest;
}

}  // namespace varimesh::test
