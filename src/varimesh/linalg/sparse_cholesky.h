#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "varimesh/linalg/lower_pattern.h"
#include "varimesh/types.h"

namespace varimesh::linalg {

/// The kernels behind the seam. Which one is fastest depends on size and fill-in; see choose_elimination.
enum class CholeskyKernel { tridiagonal, banded, supernodal };
std::string_view name(CholeskyKernel kernel);

/// A kernel and the order of elimination that suits it.
struct Elimination {
  CholeskyKernel kernel;
  Ordering order;
};

/// The fastest of the three for this graph, by a cost model fitted to measurements (docs/benchmarks.md).
Elimination choose_elimination(const Graph& graph);

/// The numeric factor A = L L' of one matrix; refilled by factorize without allocating. Solves are safe from several
/// threads.
class CholeskyFactor {
 public:
  virtual ~CholeskyFactor() = default;

  /// Factorises the matrix with these values on the pattern; false if it is not (numerically) positive definite.
  virtual bool factorize(const double* values) = 0;
  /// x <- A^-1 x.
  virtual void solve(double* x) const = 0;
  /// X <- A^-1 X for all columns together.
  virtual void solve_many(Eigen::Ref<Matrix> x) const = 0;
  virtual double log_determinant() const = 0;
};

/// Symbolic analysis of one pattern: done once, shared by all threads, each of which creates its own numeric factors.
/// Rows and columns are eliminated as numbered, so number them by choose_elimination first.
class SparseCholesky {
 public:
  virtual ~SparseCholesky() = default;
  virtual std::unique_ptr<CholeskyFactor> create_factor() const = 0;
  virtual CholeskyKernel kernel() const = 0;
  /// Entries stored in L, including the kernel's padding.
  virtual double factor_entries() const = 0;
};

std::unique_ptr<SparseCholesky> create_cholesky(CholeskyKernel kernel, const LowerPattern& pattern);

}  // namespace varimesh::linalg
