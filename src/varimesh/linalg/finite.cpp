#include "varimesh/linalg/finite.h"

#include <cstddef>

#include "varimesh/linalg/simd.h"

namespace varimesh::linalg {
namespace {

/// The sum of 0 x_i: zero, or NaN if any is not finite.
VARIMESH_SIMD_CLONES double sum_of_zeros(std::ptrdiff_t count, const double* x) {
  constexpr std::ptrdiff_t width = 4 * pack_size;
  Pack sum[4] = {};
  std::ptrdiff_t i = 0;
  for (; i + width <= count; i += width) {
    for (int p = 0; p < 4; ++p) sum[p] += 0.0 * load(x + i + p * pack_size);
  }
  double rest = 0;
  for (; i < count; ++i) rest += 0.0 * x[i];
  return sum_of((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

}  // namespace

bool all_finite(const Eigen::Ref<const Vector>& x) { return sum_of_zeros(x.size(), x.data()) == 0; }

}  // namespace varimesh::linalg
