#include "varimesh/linalg/supernodal_cholesky.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "varimesh/cancellation.h"
#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/cholmod.h"
#include "varimesh/linalg/divided_blas.h"
#include "varimesh/linalg/supernode_rows.h"
#include "varimesh/linalg/supernodes.h"
#include "varimesh/linalg/transpose.h"

namespace varimesh::linalg {
namespace {

/// What is known before there are values.
class Symbolic {
 public:
  explicit Symbolic(LowerPattern pattern)
      : pattern_(std::move(pattern)),
        supernodes_(analyse(pattern_)),
        owner_(static_cast<std::size_t>(pattern_.size())) {
    place_.push_back(0);
    for (Index s = 0; s < num_supernodes(); ++s) {
      const Index columns = supernodes_.columns(s);
      const auto rows = supernodes_.rows(s).size();
      std::fill_n(&owner_[supernodes_.first[s]], columns, s);
      place_.push_back(place_.back() + static_cast<std::ptrdiff_t>(rows) * columns);
      largest_separator_ = std::max(largest_separator_, rows - static_cast<std::size_t>(columns));
    }
    for (Index s = 0; s < num_supernodes(); ++s) {
      // It updates the owners of its rows, one after the other, with all rows from theirs on.
      const auto rows = supernodes_.rows(s);
      for (auto k = static_cast<std::size_t>(supernodes_.columns(s)); k < rows.size();) {
        const std::size_t begin = k;
        const Index end = supernodes_.first[owner_[rows[k]] + 1];
        while (k < rows.size() && rows[k] < end) ++k;
        largest_update_ = std::max(largest_update_, (rows.size() - begin) * (k - begin));
      }
    }
  }

  const LowerPattern& pattern() const { return pattern_; }
  Index num_supernodes() const { return supernodes_.size(); }
  /// The supernode that a column belongs to.
  Index owner(Index column) const { return owner_[column]; }
  std::size_t num_entries() const { return static_cast<std::size_t>(place_.back()); }
  /// Numbers in the largest update of one supernode by another, and rows below the diagonal block of any.
  std::size_t largest_update() const { return largest_update_; }
  std::size_t largest_separator() const { return largest_separator_; }

  Supernode supernode(Index s, const double* values) const {
    const auto rows = supernodes_.rows(s);
    return {supernodes_.first[s], supernodes_.columns(s), static_cast<int>(rows.size()), rows.data(),
            values + place(s)};
  }
  /// Where the values of a supernode begin.
  std::ptrdiff_t place(Index s) const { return place_[s]; }

 private:
  static Supernodes analyse(const LowerPattern& pattern) {
    // The caller has numbered the matrix in elimination order: nothing is left to permute.
    CholmodCommon common(CHOLMOD_NATURAL, false);
    const CholmodFactor analysis = cholmod_analysis(pattern, common);
    return find_supernodes(pattern, {static_cast<const int*>(analysis->ColCount), analysis->n}, Amalgamation::relaxed);
  }

  LowerPattern pattern_;
  Supernodes supernodes_;
  std::vector<Index> owner_;
  std::vector<std::ptrdiff_t> place_;
  std::size_t largest_update_ = 0, largest_separator_ = 0;
};

/// The left-looking factorisation of Ng and Peyton (1993): a supernode is updated by all before it that reach into its
/// columns, then factorised as a dense matrix.
class SupernodalFactor final : public CholeskyFactor {
 public:
  explicit SupernodalFactor(const Symbolic& symbolic)
      : symbolic_(symbolic),
        values_(std::make_unique_for_overwrite<double[]>(symbolic.num_entries())),
        update_(symbolic.largest_update()),
        place_(static_cast<std::size_t>(symbolic.pattern().size())),
        waiting_(static_cast<std::size_t>(symbolic.num_supernodes())),
        next_(waiting_.size()),
        used_(waiting_.size()) {}

  bool factorize(const double* values) override {
    const OneBlasThread serial;
    std::ranges::fill(waiting_, -1);
    for (Index k = 0; k < symbolic_.num_supernodes(); ++k) {
      throw_if_interrupted();
      const Supernode s = supernode(k);
      for (Index i = 0; i < s.rows; ++i) place_[s.row[i]] = i;
      double* l = values_.get() + symbolic_.place(k);
      fill(s, values, l);
      for (Index d = waiting_[k]; d >= 0;) {
        const Index following = next_[d];
        subtract_update(supernode(d), d, s, l);
        d = following;
      }
      // L11 L11' = A11, L21 = A21 L11^-T
      if (!divided_blas.cholesky(s.columns, l, s.rows)) return false;
      if (s.below() > 0) divided_blas.solve_right("T", s.below(), s.columns, l, s.rows, l + s.columns, s.rows);
      // LAPACK's dpotrf lets NaN and infinity pass; every one of them reaches a diagonal.
      for (Index j = 0; j < s.columns; ++j) {
        const double pivot = l[static_cast<std::ptrdiff_t>(j) * (s.rows + 1)];
        if (!(pivot > 0 && pivot < HUGE_VAL)) return false;
      }
      wait_for_next(s, k, s.columns);
    }
    return true;
  }

  void solve(double* x) const override {
    const OneBlasThread serial;
    thread_local std::vector<double> scratch;
    scratch.resize(symbolic_.largest_separator());
    for_each_supernode(1, [&](const Supernode& s) { solve_forward(s, x, 1, 0, scratch.data()); });
    for_each_supernode_backwards(1, [&](const Supernode& s) { solve_backward(s, x, 1, 0, scratch.data()); });
  }

  void solve_many(Eigen::Ref<Matrix> x) const override {
    const OneBlasThread serial;
    // By rows: what belongs to an unknown lies together then.
    constexpr Eigen::Index width = 32;
    for (Eigen::Index first = 0; first < x.cols(); first += width)
      solve_block(x.middleCols(first, std::min(width, x.cols() - first)));
  }

  double log_determinant() const override {
    double sum = 0;
    for (Index k = 0; k < symbolic_.num_supernodes(); ++k) {
      const Supernode s = supernode(k);
      for (Index j = 0; j < s.columns; ++j)
        sum += 2 * std::log(s.values[static_cast<std::ptrdiff_t>(j) * (s.rows + 1)]);
    }
    return sum;
  }

 private:
  Supernode supernode(Index k) const { return symbolic_.supernode(k, values_.get()); }

  /// The matrix's own entries.
  void fill(const Supernode& s, const double* values, double* l) const {
    const LowerPattern& pattern = symbolic_.pattern();
    std::fill(l, l + static_cast<std::ptrdiff_t>(s.rows) * s.columns, 0.0);
    for (Index j = 0; j < s.columns; ++j) {
      double* column = l + static_cast<std::ptrdiff_t>(j) * s.rows;
      for (Index e = pattern.start[s.first + j]; e < pattern.start[s.first + j + 1]; ++e)
        column[place_[pattern.row[e]]] = values[e];
    }
  }

  /// L <- L - L_d L_d' in the columns of a supernode, for the rows of d that are not used up yet.
  void subtract_update(const Supernode& d, Index number, const Supernode& s, double* l) {
    const Index first = used_[number], end = s.first + s.columns;
    Index last = first;
    while (last < d.rows && d.row[last] < end) ++last;
    const int rows = d.rows - first, columns = last - first;
    const double* from = d.values + first;
    double* c = update_.data();
    divided_blas.syrk("N", columns, d.columns, 1, from, d.rows, 0, c, rows);
    if (rows > columns)
      divided_blas.gemm("N", "T", rows - columns, columns, d.columns, 1, from + columns, d.rows, from, d.rows, 0,
                        c + columns, rows);
    for (Index j = 0; j < columns; ++j) {
      double* target = l + static_cast<std::ptrdiff_t>(place_[d.row[first + j]]) * s.rows;
      const double* source = c + static_cast<std::ptrdiff_t>(j) * rows;
      for (Index i = j; i < rows; ++i) target[place_[d.row[first + i]]] -= source[i];
    }
    wait_for_next(d, number, last);
  }

  /// Puts a supernode among those that will update the owner of its first row from `used` on.
  void wait_for_next(const Supernode& d, Index number, Index used) {
    used_[number] = used;
    if (used == d.rows) return;
    Index& waiting = waiting_[symbolic_.owner(d.row[used])];
    next_[number] = waiting;
    waiting = number;
  }

  /// For solves with so many columns, in the order of elimination; large ones listen before they begin.
  template <class Visit>
  void for_each_supernode(int cols, const Visit& visit) const {
    for (Index k = 0; k < symbolic_.num_supernodes(); ++k) visit_listening(supernode(k), cols, visit);
  }
  template <class Visit>
  void for_each_supernode_backwards(int cols, const Visit& visit) const {
    for (Index k = symbolic_.num_supernodes(); k-- > 0;) visit_listening(supernode(k), cols, visit);
  }
  template <class Visit>
  static void visit_listening(const Supernode& s, int cols, const Visit& visit) {
    if (is_large(s, cols)) throw_if_interrupted();
    visit(s);
  }

  // X <- L^-T L^-1 X for some columns, a supernode at a time.
  void solve_block(const Eigen::Ref<Matrix>& x) const {
    thread_local Matrix rows;
    thread_local std::vector<double> scratch;
    const int few = static_cast<int>(x.cols());
    rows.resize(few, x.rows());
    scratch.resize(symbolic_.largest_separator() * static_cast<std::size_t>(few));
    columns_to_rows(x, rows);
    for_each_supernode(few, [&](const Supernode& s) { solve_forward_rows(s, rows.data(), few, scratch.data()); });
    for_each_supernode_backwards(few,
                                 [&](const Supernode& s) { solve_backward_rows(s, rows.data(), few, scratch.data()); });
    rows_to_columns(rows, x);
  }

  const Symbolic& symbolic_;
  std::unique_ptr<double[]> values_;
  std::vector<double> update_;
  std::vector<Index> place_;    ///< of a row in the supernode that is being factorised
  std::vector<Index> waiting_;  ///< the first of those that will update a supernode, -1 if none
  std::vector<Index> next_;     ///< the one that waits after a supernode
  std::vector<Index> used_;     ///< rows of a supernode that no later one needs
};

class SupernodalCholesky final : public SparseCholesky {
 public:
  explicit SupernodalCholesky(LowerPattern pattern) : symbolic_(std::move(pattern)) {}

  std::unique_ptr<CholeskyFactor> create_factor() const override {
    return std::make_unique<SupernodalFactor>(symbolic_);
  }
  CholeskyKernel kernel() const override { return CholeskyKernel::supernodal; }
  double factor_entries() const override { return static_cast<double>(symbolic_.num_entries()); }

 private:
  Symbolic symbolic_;
};

}  // namespace

std::unique_ptr<SparseCholesky> create_supernodal_cholesky(const LowerPattern& pattern) {
  return std::make_unique<SupernodalCholesky>(pattern);
}

}  // namespace varimesh::linalg
