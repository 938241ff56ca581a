#include "varimesh/linalg/supernodal_cholesky.h"

#include <cmath>
#include <new>

#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/cholmod.h"
#include "varimesh/linalg/supernode_rows.h"
#include "varimesh/linalg/transpose.h"

namespace varimesh::linalg {
namespace {

// The caller has numbered the matrix in elimination order: nothing is left to permute.
constexpr int as_numbered = CHOLMOD_NATURAL;

class SupernodalFactor final : public CholeskyFactor {
 public:
  SupernodalFactor(const LowerPattern& pattern, cholmod_factor* symbolic)
      : pattern_(pattern), factor_(cholmod_copy_factor(symbolic, common_.get()), CholmodFree{&common_}) {
    if (!factor_) throw std::bad_alloc();
  }

  bool factorize(const double* values) override {
    const SerialOpenMp serial;
    cholmod_sparse matrix = cholmod_view(pattern_, values);
    cholmod_factorize(&matrix, factor_.get(), common_.get());
    if (common_->status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (common_->status != CHOLMOD_OK || factor_->minor != factor_->n) return false;
    // LAPACK's dpotrf lets NaN and infinity pass; every one of them reaches a diagonal.
    bool positive = true;
    for_each_diagonal([&](double value) { positive &= value > 0 && value < HUGE_VAL; });
    return positive;
  }

  void solve(double* x) const override {
    thread_local std::vector<double> scratch;
    scratch.resize(factor_->maxesize);
    for_each_supernode([&](const Supernode& s) { solve_forward(s, x, 1, 0, scratch.data()); });
    for (std::size_t s = factor_->nsuper; s-- > 0;) solve_backward(supernode(s), x, 1, 0, scratch.data());
  }

  void solve_many(Eigen::Ref<Matrix> x) const override {
    // By rows: what belongs to an unknown lies together then.
    constexpr Eigen::Index width = 32;
    for (Eigen::Index first = 0; first < x.cols(); first += width)
      solve_block(x.middleCols(first, std::min(width, x.cols() - first)));
  }

  double log_determinant() const override {
    double sum = 0;
    for_each_diagonal([&](double value) { sum += 2 * std::log(value); });
    return sum;
  }

 private:
  Supernode supernode(std::size_t s) const {
    const auto* super = static_cast<const int*>(factor_->super);
    const auto* pi = static_cast<const int*>(factor_->pi);
    const auto* px = static_cast<const int*>(factor_->px);
    return {super[s], super[s + 1] - super[s], pi[s + 1] - pi[s], static_cast<const int*>(factor_->s) + pi[s],
            static_cast<const double*>(factor_->x) + px[s]};
  }

  template <class Visit>
  void for_each_supernode(const Visit& visit) const {
    for (std::size_t s = 0; s < factor_->nsuper; ++s) visit(supernode(s));
  }

  template <class Visit>
  void for_each_diagonal(const Visit& visit) const {
    for_each_supernode([&](const Supernode& s) {
      for (int k = 0; k < s.columns; ++k) visit(s.values[static_cast<std::ptrdiff_t>(k) * (s.rows + 1)]);
    });
  }

  // X <- L^-T L^-1 X for some columns, a supernode at a time.
  void solve_block(Eigen::Ref<Matrix> x) const {
    thread_local Matrix rows;
    thread_local std::vector<double> scratch;
    const int few = static_cast<int>(x.cols());
    rows.resize(few, x.rows());
    scratch.resize(factor_->maxesize * static_cast<std::size_t>(few));
    columns_to_rows(x, rows);
    for_each_supernode([&](const Supernode& s) { solve_forward_rows(s, rows.data(), few, scratch.data()); });
    for (std::size_t s = factor_->nsuper; s-- > 0;) solve_backward_rows(supernode(s), rows.data(), few, scratch.data());
    rows_to_columns(rows, x);
  }

  const LowerPattern& pattern_;
  CholmodCommon common_{as_numbered, false};
  CholmodFactor factor_;
};

class SupernodalCholesky final : public SparseCholesky {
 public:
  explicit SupernodalCholesky(LowerPattern pattern)
      : pattern_(std::move(pattern)), symbolic_(cholmod_symbolic(pattern_, common_)) {
    use_one_blas_thread();
  }

  std::unique_ptr<CholeskyFactor> create_factor() const override {
    return std::make_unique<SupernodalFactor>(pattern_, symbolic_.get());
  }
  CholeskyKernel kernel() const override { return CholeskyKernel::supernodal; }
  double factor_entries() const override { return static_cast<double>(symbolic_->xsize); }

 private:
  LowerPattern pattern_;
  CholmodCommon common_{as_numbered, false};
  CholmodFactor symbolic_;
};

}  // namespace

std::unique_ptr<SparseCholesky> create_supernodal_cholesky(const LowerPattern& pattern) {
  return std::make_unique<SupernodalCholesky>(pattern);
}

}  // namespace varimesh::linalg
