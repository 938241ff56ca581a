#include "varimesh/linalg/supernodal_cholesky.h"

#include <cholmod.h>

#include <cmath>
#include <new>

#include "varimesh/linalg/blas.h"
#include "varimesh/linalg/cholmod_failure.h"
#include "varimesh/linalg/supernode.h"

namespace varimesh::linalg {
namespace {

/// CHOLMOD's settings and workspace; not for use by two threads at once.
class Common {
 public:
  Common() {
    cholmod_start(&common_);
    common_.print = 0;
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_NATURAL;
    common_.postorder = 0;  // the caller has numbered the matrix in elimination order
  }
  ~Common() { cholmod_finish(&common_); }
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;
  cholmod_common* get() { return &common_; }

 private:
  cholmod_common common_;
};

cholmod_sparse matrix_view(const LowerPattern& pattern, const double* values) {
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<std::size_t>(pattern.size());
  view.nzmax = pattern.row.size();
  view.p = const_cast<Index*>(pattern.start.data());
  view.i = const_cast<Index*>(pattern.row.data());
  view.x = const_cast<double*>(values);
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = values != nullptr ? CHOLMOD_REAL : CHOLMOD_PATTERN;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

class SupernodalFactor final : public CholeskyFactor {
 public:
  SupernodalFactor(const LowerPattern& pattern, cholmod_factor* symbolic)
      : pattern_(pattern), factor_(cholmod_copy_factor(symbolic, common_.get())) {
    if (factor_ == nullptr) throw std::bad_alloc();
  }
  ~SupernodalFactor() override { cholmod_free_factor(&factor_, common_.get()); }
  SupernodalFactor(const SupernodalFactor&) = delete;
  SupernodalFactor& operator=(const SupernodalFactor&) = delete;

  bool factorize(const double* values) override {
    const SerialOpenMp serial;
    cholmod_sparse matrix = matrix_view(pattern_, values);
    cholmod_factorize(&matrix, factor_, common_.get());
    if (common_.get()->status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (common_.get()->status != CHOLMOD_OK || factor_->minor != factor_->n) return false;
    // LAPACK's dpotrf lets NaN and infinity pass; every one of them reaches a diagonal.
    bool positive = true;
    for_each_diagonal([&](double value) { positive &= value > 0 && value < HUGE_VAL; });
    return positive;
  }

  void solve(double* x) const override { solve_columns(x, 1, static_cast<int>(factor_->n)); }

  void solve_many(Eigen::Ref<Matrix> x) const override {
    solve_columns(x.data(), static_cast<int>(x.cols()), static_cast<int>(x.outerStride()));
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

  // X <- L^-T L^-1 X, a supernode at a time.
  void solve_columns(double* x, int cols, int stride) const {
    thread_local std::vector<double> scratch;
    scratch.resize(factor_->maxesize * static_cast<std::size_t>(cols));
    for_each_supernode([&](const Supernode& s) { solve_forward(s, x, cols, stride, scratch.data()); });
    for (std::size_t s = factor_->nsuper; s-- > 0;) solve_backward(supernode(s), x, cols, stride, scratch.data());
  }

  const LowerPattern& pattern_;
  Common common_;
  cholmod_factor* factor_;
};

class SupernodalCholesky final : public SparseCholesky {
 public:
  explicit SupernodalCholesky(LowerPattern pattern) : pattern_(std::move(pattern)) {
    use_one_blas_thread();
    cholmod_sparse matrix = matrix_view(pattern_, nullptr);
    symbolic_ = cholmod_analyze(&matrix, common_.get());
    if (symbolic_ == nullptr) throw_cholmod_failure(common_.get()->status);
  }
  ~SupernodalCholesky() override { cholmod_free_factor(&symbolic_, common_.get()); }
  SupernodalCholesky(const SupernodalCholesky&) = delete;
  SupernodalCholesky& operator=(const SupernodalCholesky&) = delete;

  std::unique_ptr<CholeskyFactor> create_factor() const override {
    return std::make_unique<SupernodalFactor>(pattern_, symbolic_);
  }
  CholeskyKernel kernel() const override { return CholeskyKernel::supernodal; }
  double factor_entries() const override { return static_cast<double>(symbolic_->xsize); }

 private:
  LowerPattern pattern_;
  Common common_;
  cholmod_factor* symbolic_ = nullptr;
};

}  // namespace

std::unique_ptr<SparseCholesky> create_supernodal_cholesky(const LowerPattern& pattern) {
  return std::make_unique<SupernodalCholesky>(pattern);
}

}  // namespace varimesh::linalg
