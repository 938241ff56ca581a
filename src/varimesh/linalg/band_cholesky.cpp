#include "varimesh/linalg/band_cholesky.h"

#include <algorithm>
#include <cmath>

#include "varimesh/cancellation.h"
#include "varimesh/linalg/simd.h"

namespace varimesh::linalg {
namespace {

// Storage: block columns of eight columns each, dense and column-major, from the diagonal block down to the last block
// that the band touches: `rows` = 8 (blocks + 1) rows, every column aligned to a cache line. The matrix is padded to
// whole blocks by a unit diagonal, and `blocks` zero block columns follow it, so that no loop needs a special end. The
// upper triangles of diagonal blocks hold numbers that nobody reads.

constexpr std::size_t block = pack_size;

struct BandPlan {
  std::size_t size;               ///< of the matrix
  std::size_t block_columns;      ///< that hold it
  std::size_t blocks;             ///< below each diagonal block
  std::vector<std::size_t> slot;  ///< where each value of the pattern goes

  std::size_t rows() const { return (blocks + 1) * block; }
  std::size_t columns() const { return block_columns * block; }
};

// In the two functions below the loops must be unrolled whole, so that the eight columns live in registers.

/// L of the diagonal block in place, by columns, with the reciprocals of its diagonal; false at a pivot that is not
/// positive. Eliminates as A = M D M', which keeps square roots out of the chain of dependent operations.
[[gnu::always_inline]] inline bool factorize_diagonal_block(double* a, std::size_t rows, double* inverse_diagonal) {
  Pack column[block];
  double pivot[block];
  for (std::size_t k = 0; k < block; ++k) column[k] = load_aligned(a + k * rows);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < block; ++k) {
    pivot[k] = column[k][k];
    const Pack scaled = column[k] * (1 / pivot[k]);
#pragma GCC unroll 8
    for (std::size_t m = k + 1; m < block; ++m) column[m] -= scaled * column[k][m];
  }
  bool positive = true;
  for (std::size_t k = 0; k < block; ++k) {
    positive &= pivot[k] > 0 && pivot[k] < HUGE_VAL;
    inverse_diagonal[k] = 1 / std::sqrt(pivot[k]);
  }
  for (std::size_t k = 0; k < block; ++k) store_aligned(a + k * rows, column[k] * inverse_diagonal[k]);
  return positive;
}

/// X <- X L^-T for one block of eight rows below the diagonal block.
[[gnu::always_inline]] inline void solve_block(const double* l, std::size_t rows, const double* inverse_diagonal,
                                               double* x) {
  Pack column[block];
  for (std::size_t k = 0; k < block; ++k) column[k] = load_aligned(x + k * rows);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < block; ++k) {
    column[k] *= inverse_diagonal[k];
    store_aligned(x + k * rows, column[k]);
#pragma GCC unroll 8
    for (std::size_t m = k + 1; m < block; ++m) column[m] -= column[k] * l[k * rows + m];
  }
}

/// C <- C - X Y' for `count` blocks of X above each other and one block Y, all in one block column. Four columns of C
/// stay in registers at a time: enough independent sums to hide the latency of the multiply-adds.
template <std::size_t count>
[[gnu::always_inline]] inline void update_blocks(const double* x, const double* y, std::size_t rows, double* c) {
  constexpr std::size_t strip = 4;
  for (std::size_t first = 0; first < block; first += strip) {
    Pack sum[strip][count];
    for (std::size_t m = 0; m < strip; ++m)
      for (std::size_t i = 0; i < count; ++i) sum[m][i] = load_aligned(c + (first + m) * rows + i * block);
    for (std::size_t k = 0; k < block; ++k) {
      Pack value[count];
      for (std::size_t i = 0; i < count; ++i) value[i] = load_aligned(x + k * rows + i * block);
      for (std::size_t m = 0; m < strip; ++m)
        for (std::size_t i = 0; i < count; ++i) sum[m][i] -= value[i] * y[k * rows + first + m];
    }
    for (std::size_t m = 0; m < strip; ++m)
      for (std::size_t i = 0; i < count; ++i) store_aligned(c + (first + m) * rows + i * block, sum[m][i]);
  }
}

/// A = L L' in place, right-looking by block columns.
VARIMESH_SIMD_CLONES bool factorize_band(std::size_t block_columns, std::size_t blocks, double* a,
                                         double* inverse_diagonal) {
  const std::size_t rows = (blocks + 1) * block;
  for (std::size_t j = 0; j < block_columns; ++j) {
    double* panel = a + j * block * rows;
    if (!factorize_diagonal_block(panel, rows, inverse_diagonal + j * block)) return false;
    for (std::size_t i = 1; i <= blocks; ++i) solve_block(panel, rows, inverse_diagonal + j * block, panel + i * block);
    for (std::size_t m = 1; m <= blocks; ++m) {
      double* trailing = panel + m * block * rows;
      const double* factors = panel + m * block;
      std::size_t i = m;
      for (; i + 1 <= blocks; i += 2) update_blocks<2>(panel + i * block, factors, rows, trailing + (i - m) * block);
      if (i <= blocks) update_blocks<1>(panel + i * block, factors, rows, trailing + (i - m) * block);
    }
  }
  return true;
}

/// x <- L^-T L^-1 x; x has 8 * blocks zeros behind its end and is aligned.
VARIMESH_SIMD_CLONES void solve_band(std::size_t block_columns, std::size_t blocks, const double* l,
                                     const double* inverse_diagonal, double* x) {
  const std::size_t rows = (blocks + 1) * block;
  for (std::size_t j = 0; j < block_columns; ++j) {
    const double* panel = l + j * block * rows;
    double* target = x + j * block;
    // x1 <- L11^-1 x1, then x2 <- x2 - L21 x1.
    double solved[block];
    Pack remaining = load_aligned(target);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < block; ++k) {
      solved[k] = remaining[k] * inverse_diagonal[j * block + k];
      remaining -= load_aligned(panel + k * rows) * solved[k];
    }
    for (std::size_t k = 0; k < block; ++k) target[k] = solved[k];
    for (std::size_t i = block; i < rows; i += block) {
      Pack sum = load_aligned(target + i);
      for (std::size_t k = 0; k < block; ++k) sum -= load_aligned(panel + k * rows + i) * solved[k];
      store_aligned(target + i, sum);
    }
  }
  for (std::size_t j = block_columns; j-- > 0;) {
    const double* panel = l + j * block * rows;
    double* target = x + j * block;
    // x1 <- L11^-T (x1 - L21' x2).
    Pack product[block] = {};
    for (std::size_t i = block; i < rows; i += block) {
      const Pack value = load_aligned(target + i);
      for (std::size_t k = 0; k < block; ++k) product[k] += load_aligned(panel + k * rows + i) * value;
    }
    double solved[block];
#pragma GCC unroll 8
    for (std::size_t k = block; k-- > 0;) {
      double value = target[k] - sum_of(product[k]);
#pragma GCC unroll 8
      for (std::size_t m = block; m-- > k + 1;) value -= panel[k * rows + m] * solved[m];
      target[k] = solved[k] = value * inverse_diagonal[j * block + k];
    }
  }
}

/// The same for eight right-hand sides, interleaved by rows, of which the block rows before `first` are zero.
VARIMESH_SIMD_CLONES void solve_band_interleaved(std::size_t block_columns, std::size_t first, std::size_t blocks,
                                                 const double* l, const double* inverse_diagonal, double* x) {
  const std::size_t rows = (blocks + 1) * block;
  for (std::size_t j = first; j < block_columns; ++j) {
    const double* panel = l + j * block * rows;
    double* target = x + j * block * pack_size;
    Pack solved[block];
#pragma GCC unroll 8
    for (std::size_t k = 0; k < block; ++k) {
      Pack value = load_aligned(target + k * pack_size);
#pragma GCC unroll 8
      for (std::size_t m = 0; m < k; ++m) value -= solved[m] * panel[m * rows + k];
      solved[k] = value * inverse_diagonal[j * block + k];
      store_aligned(target + k * pack_size, solved[k]);
    }
    for (std::size_t i = block; i < rows; ++i) {
      Pack sum = load_aligned(target + i * pack_size);
      for (std::size_t k = 0; k < block; ++k) sum -= solved[k] * panel[k * rows + i];
      store_aligned(target + i * pack_size, sum);
    }
  }
  for (std::size_t j = block_columns; j-- > 0;) {
    const double* panel = l + j * block * rows;
    double* target = x + j * block * pack_size;
    Pack solved[block];
    for (std::size_t k = 0; k < block; ++k) solved[k] = load_aligned(target + k * pack_size);
    for (std::size_t i = block; i < rows; ++i) {
      const Pack value = load_aligned(target + i * pack_size);
      for (std::size_t k = 0; k < block; ++k) solved[k] -= value * panel[k * rows + i];
    }
#pragma GCC unroll 8
    for (std::size_t k = block; k-- > 0;) {
#pragma GCC unroll 8
      for (std::size_t m = k + 1; m < block; ++m) solved[k] -= solved[m] * panel[k * rows + m];
      solved[k] *= inverse_diagonal[j * block + k];
      store_aligned(target + k * pack_size, solved[k]);
    }
  }
}

/// The thread's own aligned scratch space, at least that long; contents are left over.
double* scratch(std::size_t size) {
  thread_local Vector buffer;
  const auto wanted = static_cast<Eigen::Index>(size + pack_size);
  if (buffer.size() < wanted) buffer.resize(wanted);
  return align(buffer.data());
}

class BandFactor final : public CholeskyFactor {
 public:
  explicit BandFactor(const BandPlan& plan)
      : plan_(plan),
        storage_((plan.columns() + plan.blocks * block) * plan.rows() + pack_size),
        inverse_diagonal_(plan.columns()),
        values_(align(storage_.data())) {}

  bool factorize(const double* values) override {
    std::fill(storage_.begin(), storage_.end(), 0.0);
    for (std::size_t k = 0; k < plan_.slot.size(); ++k) values_[plan_.slot[k]] = values[k];
    for (std::size_t j = plan_.size; j < plan_.columns(); ++j) values_[j * plan_.rows() + j % block] = 1;
    return factorize_band(plan_.block_columns, plan_.blocks, values_, inverse_diagonal_.data());
  }

  void solve(double* x) const override {
    const std::size_t padded_size = plan_.columns() + plan_.blocks * block;
    double* padded = scratch(padded_size);
    std::copy(x, x + plan_.size, padded);
    std::fill(padded + plan_.size, padded + padded_size, 0.0);
    solve_band(plan_.block_columns, plan_.blocks, values_, inverse_diagonal_.data(), padded);
    std::copy(padded, padded + plan_.size, x);
  }

  void solve_many(Eigen::Ref<Matrix> x) const override {
    const auto padded_rows = static_cast<Eigen::Index>(plan_.columns() + plan_.blocks * block);
    const auto rows = static_cast<Eigen::Index>(plan_.size);
    using Interleaved = Eigen::Matrix<double, Eigen::Dynamic, pack_size, Eigen::RowMajor>;
    Eigen::Map<Interleaved> padded(scratch(static_cast<std::size_t>(padded_rows) * pack_size), padded_rows, pack_size);
    for (Eigen::Index c = 0; c < x.cols(); c += pack_size) {
      throw_if_interrupted();
      const Eigen::Index cols = std::min<Eigen::Index>(pack_size, x.cols() - c);
      padded.setZero();
      padded.topLeftCorner(rows, cols) = x.middleCols(c, cols);
      Eigen::Index first = 0;
      while (first < rows && (padded.row(first).array() == 0).all()) ++first;
      solve_band_interleaved(plan_.block_columns, static_cast<std::size_t>(first) / block, plan_.blocks, values_,
                             inverse_diagonal_.data(), padded.data());
      x.middleCols(c, cols) = padded.topLeftCorner(rows, cols);
    }
  }

  double log_determinant() const override {
    double sum = 0;
    for (std::size_t j = 0; j < plan_.size; ++j) sum -= 2 * std::log(inverse_diagonal_[j]);
    return sum;
  }

 private:
  const BandPlan& plan_;
  std::vector<double> storage_, inverse_diagonal_;
  double* values_;  ///< the first cache line of storage_
};

class BandCholesky final : public SparseCholesky {
 public:
  explicit BandCholesky(const LowerPattern& pattern) {
    std::size_t half_bandwidth = 0;
    for (Index j = 0; j < pattern.size(); ++j) {
      const Index last = pattern.row[pattern.start[j + 1] - 1];
      half_bandwidth = std::max(half_bandwidth, static_cast<std::size_t>(last - j));
    }
    plan_.size = static_cast<std::size_t>(pattern.size());
    plan_.block_columns = (plan_.size + block - 1) / block;
    // The last column of a block reaches furthest: to row (block - 1) + half_bandwidth of its block column.
    plan_.blocks = (half_bandwidth + block - 1) / block;
    plan_.slot.reserve(pattern.row.size());
    for (Index j = 0; j < pattern.size(); ++j) {
      const Index block_start = j - j % static_cast<Index>(block);
      for (Index k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
        plan_.slot.push_back(static_cast<std::size_t>(j) * plan_.rows() +
                             static_cast<std::size_t>(pattern.row[k] - block_start));
    }
  }
  std::unique_ptr<CholeskyFactor> create_factor() const override { return std::make_unique<BandFactor>(plan_); }
  CholeskyKernel kernel() const override { return CholeskyKernel::banded; }
  double factor_entries() const override { return static_cast<double>(plan_.columns() * plan_.rows()); }

 private:
  BandPlan plan_;
};

}  // namespace

std::unique_ptr<SparseCholesky> create_band_cholesky(const LowerPattern& pattern) {
  return std::make_unique<BandCholesky>(pattern);
}

}  // namespace varimesh::linalg
