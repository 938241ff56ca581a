// This file alone is compiled with -ffast-math, with which GCC calls the vector functions of the C library: several
// times as fast, and accurate to a few units in the last place.
#include "varimesh/box_muller.h"

#include <cmath>
#include <numbers>

#include "varimesh/simd_clones.h"

namespace varimesh {

VARIMESH_SIMD_CLONES void box_muller(std::size_t count, const double* __restrict u, const double* __restrict v,
                                     double* __restrict normals) {
  double radius[box_muller_most], cosine[box_muller_most], sine[box_muller_most];
  for (std::size_t k = 0; k < count; ++k) radius[k] = std::sqrt(-2 * std::log(u[k]));
  // In two loops: GCC would make one call of both, for which there is no vector function.
  for (std::size_t k = 0; k < count; ++k) cosine[k] = std::cos(2 * std::numbers::pi * v[k]);
  for (std::size_t k = 0; k < count; ++k) sine[k] = std::sin(2 * std::numbers::pi * v[k]);
  for (std::size_t k = 0; k < count; ++k) {
    normals[2 * k] = radius[k] * cosine[k];
    normals[2 * k + 1] = radius[k] * sine[k];
  }
}

}  // namespace varimesh
