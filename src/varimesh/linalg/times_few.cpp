#include "varimesh/linalg/times_few.h"

#include <cstddef>

#include "varimesh/simd_clones.h"

namespace varimesh::linalg {
namespace {

VARIMESH_SIMD_CLONES void add_columns(std::ptrdiff_t rows, std::ptrdiff_t columns, const double* a, std::ptrdiff_t step,
                                      const double* x, double* __restrict y) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) y[i] = x[0] * a[i];
  for (std::ptrdiff_t k = 1; k < columns; ++k)
    for (std::ptrdiff_t i = 0; i < rows; ++i) y[i] += x[k] * a[k * step + i];
}

}  // namespace

void times_few(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y) {
  add_columns(a.rows(), a.cols(), a.data(), a.outerStride(), x.data(), y.data());
}

}  // namespace varimesh::linalg
