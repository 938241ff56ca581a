#include "varimesh/linalg/chordal_dense.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "varimesh/cancellation.h"
#include "varimesh/linalg/simd.h"

namespace varimesh::linalg {
namespace {

using Clique = CliqueTree::Clique;

constexpr int panel_packs = 2, width = panel_packs * pack_size;
constexpr int unrolled = 4;  // rows or columns of L at a time, for which sums fit into registers

/// A square matrix in panels of `width` columns, by rows within a panel: a panel stays in the nearest cache, and an
/// entry of L works on whole packs of a row.
class Panels {
 public:
  explicit Panels(Index size)
      : size_(size),
        storage_(std::make_unique_for_overwrite<double[]>(
            static_cast<std::size_t>(count()) * static_cast<std::size_t>(size) * width + pack_size)),
        data_(align(storage_.get())) {}

  Index size() const { return size_; }
  Index count() const { return (size_ + width - 1) / width; }
  /// Calls work(p) for each panel, and hears requests to end before.
  template <class Work>
  void for_each(const Work& work) const {
    for (Index p = 0; p < count(); ++p) {
      throw_if_interrupted();
      work(p);
    }
  }
  double* operator[](Index p) const { return data_ + static_cast<std::ptrdiff_t>(p) * size_ * width; }
  double& operator()(Index i, Index j) const { return (*this)[j / width][i * width + j % width]; }

 private:
  Index size_;
  std::unique_ptr<double[]> storage_;
  double* data_;
};

/// What a panel has of one row, in registers.
struct Sum {
  Pack part[panel_packs];

  [[gnu::always_inline]] void load(const double* row) {
    for (int p = 0; p < panel_packs; ++p) part[p] = load_aligned(row + p * pack_size);
  }
  [[gnu::always_inline]] void store(double* row) const {
    for (int p = 0; p < panel_packs; ++p) store_aligned(row + p * pack_size, part[p]);
  }
  [[gnu::always_inline]] void subtract(double factor, const Sum& other) {
    for (int p = 0; p < panel_packs; ++p) part[p] -= factor * other.part[p];
  }
  [[gnu::always_inline]] void scale(double factor) {
    for (Pack& pack : part) pack *= factor;
  }
};

[[gnu::always_inline]] inline double* row_of(double* x, Index i) { return x + static_cast<std::ptrdiff_t>(i) * width; }

/// A clique's block of L.
struct Block {
  Clique clique;
  const double* values;

  [[gnu::always_inline]] double operator()(Index i, Index j) const {
    return values[static_cast<std::ptrdiff_t>(j) * clique.rows + i];
  }
};

/// x_i <- x_i - sum_j L_ij x_j for `count` members i of a clique, from the given one on, and its own columns j below i;
/// then divided by L_ii if these are own columns as well.
template <int count, bool own>
[[gnu::always_inline]] inline void eliminate_rows(const Block& l, Index from, double* x) {
  const Clique& c = l.clique;
  const Index end = own ? from : c.columns;
  Sum sum[count], solved;
  for (int r = 0; r < count; ++r) sum[r].load(row_of(x, c.members[from + r]));
  for (Index j = 0; j < end; ++j) {
    solved.load(row_of(x, c.first + j));
    for (int r = 0; r < count; ++r) sum[r].subtract(l(from + r, j), solved);
  }
  if constexpr (own) {
    for (int r = 0; r < count; ++r) {
      for (int s = 0; s < r; ++s) sum[r].subtract(l(from + r, from + s), sum[s]);
      sum[r].scale(1 / l(from + r, from + r));
    }
  }
  for (int r = 0; r < count; ++r) sum[r].store(row_of(x, c.members[from + r]));
}

/// x_j <- (x_j - sum_i L_ij x_i) / L_jj for `count` of a clique's own columns j, the last one first, and all i above j.
template <int count>
[[gnu::always_inline]] inline void eliminate_columns(const Block& l, Index from, double* x) {
  const Clique& c = l.clique;
  Sum sum[count], solved;
  for (int r = 0; r < count; ++r) sum[r].load(row_of(x, c.first + from + r));
  for (Index i = from + count; i < c.rows; ++i) {
    solved.load(row_of(x, c.members[i]));
    for (int r = 0; r < count; ++r) sum[r].subtract(l(i, from + r), solved);
  }
  for (int r = count; r-- > 0;) {
    for (int s = r + 1; s < count; ++s) sum[r].subtract(l(from + s, from + r), sum[s]);
    sum[r].scale(1 / l(from + r, from + r));
  }
  for (int r = 0; r < count; ++r) sum[r].store(row_of(x, c.first + from + r));
}

/// The rows below `end` of X <- L^-1 X in one panel.
VARIMESH_SIMD_CLONES void solve_lower(const CliqueTree& tree, const double* factor, Index end, double* x) {
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const Clique c = tree.clique(k);
    if (c.first >= end) return;
    const Block l{c, factor + c.entries};
    Index i = 0;
    for (; i + unrolled <= c.columns; i += unrolled) eliminate_rows<unrolled, true>(l, i, x);
    for (; i < c.columns; ++i) eliminate_rows<1, true>(l, i, x);
    const auto rows = static_cast<Index>(std::ranges::lower_bound(c.members, end) - c.members.begin());
    for (; i + unrolled <= rows; i += unrolled) eliminate_rows<unrolled, false>(l, i, x);
    for (; i < rows; ++i) eliminate_rows<1, false>(l, i, x);
  }
}

/// The rows from `begin` on of X <- L^-T X in one panel.
VARIMESH_SIMD_CLONES void solve_upper(const CliqueTree& tree, const double* factor, Index begin, double* x) {
  for (Index k = tree.num_cliques(); k-- > 0;) {
    const Clique c = tree.clique(k);
    const Index least = std::max<Index>(0, begin - c.first);
    const Block l{c, factor + c.entries};
    Index j = c.columns;
    if (least >= j) return;
    for (; j - unrolled >= least; j -= unrolled) eliminate_columns<unrolled>(l, j - unrolled, x);
    for (; j > least; --j) eliminate_columns<1>(l, j - 1, x);
  }
}

enum class Mirror { transpose, copy_upper };

/// Transposes X, or copies its upper triangle to the lower.
void mirror(const Panels& x, Mirror what) {
  x.for_each([&](Index p) {
    for (Index i = p * width; i < x.size(); ++i) {
      // Entries (i, j) of this panel with j below i, against (j, i).
      double* lower = row_of(x[p], i);
      double* upper = x[i / width] + static_cast<std::ptrdiff_t>(p) * width * width + i % width;
      const Index columns = std::min<Index>(width, i - p * width);
      for (Index j = 0; j < columns; ++j) {
        if (what == Mirror::transpose)
          std::swap(lower[j], upper[j * width]);
        else
          lower[j] = upper[j * width];
      }
    }
  });
}

/// Takes a part of a row of A into another order.
VARIMESH_SIMD_CLONES void take(Index count, const double* row, const Index* order, double* to) {
  for (Index j = 0; j < count; ++j) to[j] = row[order[j]];
}

/// The upper triangle of B = L^-1 A L^-T.
Panels reduce(const CliqueTree& tree, const Vector& factor, const Matrix& a) {
  const Index size = tree.size();
  Panels x(size);
  const Index* order = tree.order().data();
  for (Index i = 0; i < size; ++i) {
    if (i % width == 0) throw_if_interrupted();
    const double* row = a.col(order[i]).data();  // A is symmetric
    for (Index p = 0; p < x.count(); ++p) {
      double* to = row_of(x[p], i);
      const Index first = p * width, columns = std::min<Index>(width, size - first);
      take(columns, row, order + first, to);
      std::fill(to + columns, to + width, 0.0);
    }
  }
  // L^-1 (L^-1 A)'
  x.for_each([&](Index p) { solve_lower(tree, factor.data(), size, x[p]); });
  mirror(x, Mirror::transpose);
  x.for_each([&](Index p) { solve_lower(tree, factor.data(), std::min(size, (p + 1) * width), x[p]); });
  return x;
}

/// Multiples of the entries of X on the pattern, with zeros above the diagonals of the cliques' blocks.
void gather(const CliqueTree& tree, const Panels& x, double multiple, Vector& values) {
  values.setZero(static_cast<Eigen::Index>(tree.num_entries()));
  for (Index k = 0; k < tree.num_cliques(); ++k) {
    const Clique c = tree.clique(k);
    for (Index j = 0; j < c.columns; ++j) {
      double* v = values.data() + c.entries + static_cast<std::ptrdiff_t>(j) * c.rows;
      for (Index i = j; i < c.rows; ++i) v[i] = multiple * x(c.members[i], c.first + j);
    }
  }
}

}  // namespace

double chordal_dense_trace(const CliqueTree& tree, const Vector& factor, const Matrix& a, Vector* half_gradient) {
  // tr(A Sigma) = tr B
  const Panels x = reduce(tree, factor, a);
  double trace = 0;
  for (Index i = 0; i < x.size(); ++i) trace += x(i, i);
  if (!half_gradient) return trace;
  // Sigma A L^-T = L^-T B, of which the lower triangle is enough
  mirror(x, Mirror::copy_upper);
  x.for_each([&](Index p) { solve_upper(tree, factor.data(), p * width, x[p]); });
  gather(tree, x, -1, *half_gradient);
  return trace;
}

Vector chordal_dense_congruence(const CliqueTree& tree, const Vector& factor, const Matrix& a) {
  // Sigma A Sigma = L^-T (L^-T B)', of which the lower triangle is enough
  const Panels x = reduce(tree, factor, a);
  mirror(x, Mirror::copy_upper);
  x.for_each([&](Index p) { solve_upper(tree, factor.data(), 0, x[p]); });
  mirror(x, Mirror::transpose);
  x.for_each([&](Index p) { solve_upper(tree, factor.data(), p * width, x[p]); });
  Vector result;
  gather(tree, x, 1, result);
  return result;
}

}  // namespace varimesh::linalg
