#include "varimesh/linalg/tridiagonal_cholesky.h"

#include <cmath>
#include <stdexcept>

namespace varimesh::linalg {
namespace {

class TridiagonalFactor final : public CholeskyFactor {
 public:
  explicit TridiagonalFactor(const std::vector<Index>& start)
      : start_(start), multiplier_(start.size() - 1), inverse_pivot_(start.size() - 1) {}

  // A = M D M' with unit bidiagonal M:  d_i = a_ii - a_(i,i-1)^2 / d_(i-1),  m_i = a_(i,i-1) / d_(i-1).
  bool factorize(const double* values) override {
    double below = 0, inverse = 0;
    bool positive = true;
    for (std::size_t i = 0; i < inverse_pivot_.size(); ++i) {
      const double multiplier = below * inverse;
      const double pivot = values[start_[i]] - below * multiplier;
      positive &= pivot > 0 && std::isfinite(pivot);
      inverse = 1 / pivot;
      multiplier_[i] = multiplier;
      inverse_pivot_[i] = inverse;
      below = start_[i + 1] - start_[i] == 2 ? values[start_[i] + 1] : 0;
    }
    return positive;
  }

  void solve(double* x) const override {
    const std::size_t n = inverse_pivot_.size();
    double carried = 0;
    for (std::size_t i = 0; i < n; ++i) x[i] = carried = x[i] - multiplier_[i] * carried;
    carried = 0;
    double multiplier = 0;
    for (std::size_t i = n; i-- > 0;) {
      x[i] = carried = x[i] * inverse_pivot_[i] - multiplier * carried;
      multiplier = multiplier_[i];
    }
  }

  void solve_many(Eigen::Ref<Matrix> x) const override {
    for (Eigen::Index c = 0; c < x.cols(); ++c) solve(x.col(c).data());
  }

  double log_determinant() const override {
    double sum = 0;
    for (const double inverse : inverse_pivot_) sum -= std::log(inverse);
    return sum;
  }

 private:
  const std::vector<Index>& start_;
  std::vector<double> multiplier_, inverse_pivot_;
};

class TridiagonalCholesky final : public SparseCholesky {
 public:
  explicit TridiagonalCholesky(const LowerPattern& pattern) : start_(pattern.start) {
    for (Index j = 0; j < pattern.size(); ++j) {
      for (Index k = start_[j]; k < start_[j + 1]; ++k) {
        if (pattern.row[k] > j + 1) throw std::invalid_argument("pattern is not tridiagonal");
      }
    }
  }
  std::unique_ptr<CholeskyFactor> create_factor() const override { return std::make_unique<TridiagonalFactor>(start_); }
  CholeskyKernel kernel() const override { return CholeskyKernel::tridiagonal; }
  double factor_entries() const override { return 2.0 * static_cast<double>(start_.size() - 1); }

 private:
  std::vector<Index> start_;
};

}  // namespace

std::unique_ptr<SparseCholesky> create_tridiagonal_cholesky(const LowerPattern& pattern) {
  return std::make_unique<TridiagonalCholesky>(pattern);
}

}  // namespace varimesh::linalg
