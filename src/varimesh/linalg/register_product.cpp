#include "varimesh/linalg/register_product.h"

#include <cstddef>

#include "varimesh/linalg/simd.h"

namespace varimesh::linalg {
namespace {

struct Operands {
  std::ptrdiff_t depth;  ///< the columns of A, which are the rows of B
  const double* a;
  std::ptrdiff_t a_step;  ///< from column to column
  const double* b;
  std::ptrdiff_t b_step;
  Update update;
  double* c;
  std::ptrdiff_t c_step;
};

constexpr int tall = 3, wide = 8;  // packs of rows and columns, whose sums fill most of 32 registers

/// As many packs of rows of C from row i on, and as many columns from column j on.
template <int packs, int columns>
[[gnu::always_inline]] inline void compute_tile(const Operands& x, std::ptrdiff_t i, std::ptrdiff_t j) {
  Pack sum[columns][packs] = {};
  const double *a = x.a + i, *b = x.b + j * x.b_step;
  double* c = x.c + i + j * x.c_step;
  if (x.update == Update::add) {
#pragma GCC unroll 8
    for (int m = 0; m < columns; ++m)
      for (int p = 0; p < packs; ++p) sum[m][p] = load(c + m * x.c_step + p * pack_size);
  }
  for (std::ptrdiff_t k = 0; k < x.depth; ++k) {
    Pack column[packs];
    for (int p = 0; p < packs; ++p) column[p] = load(a + k * x.a_step + p * pack_size);
#pragma GCC unroll 8
    for (int m = 0; m < columns; ++m)
      for (int p = 0; p < packs; ++p) sum[m][p] += column[p] * b[m * x.b_step + k];
  }
#pragma GCC unroll 8
  for (int m = 0; m < columns; ++m)
    for (int p = 0; p < packs; ++p) store(c + m * x.c_step + p * pack_size, sum[m][p]);
}

/// All rows of as many columns.
template <int columns>
[[gnu::always_inline]] inline void compute_strip(const Operands& x, std::ptrdiff_t rows, std::ptrdiff_t j) {
  std::ptrdiff_t i = 0;
  for (; i + tall * pack_size <= rows; i += tall * pack_size) compute_tile<tall, columns>(x, i, j);
  for (; i + pack_size <= rows; i += pack_size) compute_tile<1, columns>(x, i, j);
  for (; i < rows; ++i) {
    for (std::ptrdiff_t m = j; m < j + columns; ++m) {
      double sum = x.update == Update::add ? x.c[i + m * x.c_step] : 0;
      for (std::ptrdiff_t k = 0; k < x.depth; ++k) sum += x.a[i + k * x.a_step] * x.b[k + m * x.b_step];
      x.c[i + m * x.c_step] = sum;
    }
  }
}

VARIMESH_SIMD_CLONES void compute_strips(const Operands& x, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  std::ptrdiff_t j = 0;
  for (; j + wide <= columns; j += wide) compute_strip<wide>(x, rows, j);
  // What is left, in strips as wide as there are bits in the number of columns.
  static_assert(wide == 8);
  if (columns & 4) compute_strip<4>(x, rows, j);
  j += columns & 4;
  if (columns & 2) compute_strip<2>(x, rows, j);
  j += columns & 2;
  if (columns & 1) compute_strip<1>(x, rows, j);
}

}  // namespace

bool fits_register_product(Eigen::Index n) {
#ifdef __x86_64__
  static const bool has_registers = __builtin_cpu_supports("avx512f") != 0;
#else
  constexpr bool has_registers = false;
#endif
  return has_registers && n <= 320;
}

void register_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b, Update update,
                      Eigen::Ref<Matrix> c) {
  if (a.cols() == 0) {  // whose data may be nowhere
    if (update == Update::set) c.setZero();
    return;
  }
  compute_strips({a.cols(), a.data(), a.outerStride(), b.data(), b.outerStride(), update, c.data(), c.outerStride()},
                 c.rows(), c.cols());
}

}  // namespace varimesh::linalg
