#include "varimesh/linalg/triangular_times_vector.h"

#include <algorithm>
#include <cstddef>

#include "varimesh/linalg/simd.h"

namespace varimesh::linalg {
namespace {

constexpr int columns = 4;  // at a time, so that a piece of x or y is read once for all of them

const double* column(const double* l, int ld, int j) { return l + static_cast<std::ptrdiff_t>(j) * ld; }

}  // namespace

VARIMESH_SIMD_CLONES void lower_times_vector(int n, const double* l, int ld, const double* x, double* y) {
  std::fill_n(y, n, 0.0);
  int j = 0;
  for (; j + columns <= n; j += columns) {
    const double *a = column(l, ld, j), *b = column(l, ld, j + 1), *c = column(l, ld, j + 2), *d = column(l, ld, j + 3);
    const double xa = x[j], xb = x[j + 1], xc = x[j + 2], xd = x[j + 3];
    y[j] += a[j] * xa;
    y[j + 1] += a[j + 1] * xa + b[j + 1] * xb;
    y[j + 2] += a[j + 2] * xa + b[j + 2] * xb + c[j + 2] * xc;
    int i = j + 3;
    for (; i + pack_size <= n; i += pack_size)
      store(y + i, load(y + i) + (load(a + i) * xa + load(b + i) * xb) + (load(c + i) * xc + load(d + i) * xd));
    for (; i < n; ++i) y[i] += (a[i] * xa + b[i] * xb) + (c[i] * xc + d[i] * xd);
  }
  for (; j < n; ++j) {
    const double* a = column(l, ld, j);
    for (int i = j; i < n; ++i) y[i] += a[i] * x[j];
  }
}

VARIMESH_SIMD_CLONES void lower_transposed_times_vector(int n, const double* l, int ld, const double* x, double* y) {
  int j = 0;
  for (; j + columns <= n; j += columns) {
    const double *a = column(l, ld, j), *b = column(l, ld, j + 1), *c = column(l, ld, j + 2), *d = column(l, ld, j + 3);
    Pack sum_a{}, sum_b{}, sum_c{}, sum_d{};
    int i = j + 3;
    for (; i + pack_size <= n; i += pack_size) {
      const Pack piece = load(x + i);
      sum_a += load(a + i) * piece;
      sum_b += load(b + i) * piece;
      sum_c += load(c + i) * piece;
      sum_d += load(d + i) * piece;
    }
    double rest_a = 0, rest_b = 0, rest_c = 0, rest_d = 0;
    for (; i < n; ++i) {
      rest_a += a[i] * x[i];
      rest_b += b[i] * x[i];
      rest_c += c[i] * x[i];
      rest_d += d[i] * x[i];
    }
    y[j] = sum_of(sum_a) + rest_a + (a[j] * x[j] + a[j + 1] * x[j + 1] + a[j + 2] * x[j + 2]);
    y[j + 1] = sum_of(sum_b) + rest_b + (b[j + 1] * x[j + 1] + b[j + 2] * x[j + 2]);
    y[j + 2] = sum_of(sum_c) + rest_c + c[j + 2] * x[j + 2];
    y[j + 3] = sum_of(sum_d) + rest_d;
  }
  for (; j < n; ++j) {
    y[j] = 0;
    for (int i = j; i < n; ++i) y[j] += column(l, ld, j)[i] * x[i];
  }
}

}  // namespace varimesh::linalg
