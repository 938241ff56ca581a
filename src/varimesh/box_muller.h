#pragma once

#include <cstddef>

namespace varimesh {

/// Standard normals from uniforms on (0, 1): the pair k of `normals` is sqrt(-2 log u_k) times the cosine and the sine
/// of 2 pi v_k. `count` is at most box_muller_most.
void box_muller(std::size_t count, const double* u, const double* v, double* normals);
inline constexpr std::size_t box_muller_most = 64;

}  // namespace varimesh
