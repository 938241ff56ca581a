#pragma once

#include <memory>

#include "varimesh/variational/sparse_signs.h"
#include "varimesh/variational/spectrum.h"

namespace varimesh::variational {

/// A curvature N = R'H R relative to the prior, seen through a fixed random test matrix: Y = N Omega. It is linear in
/// N, so that averages over draws and iterations are averages of sketches, and nothing is truncated twice.
class CurvatureSketch {
 public:
  /// Of N = 0.
  explicit CurvatureSketch(std::shared_ptr<const SparseSigns> omega);
  /// Of the N with this Y.
  CurvatureSketch(std::shared_ptr<const SparseSigns> omega, Matrix images)
      : omega_(std::move(omega)), images_(std::move(images)) {}

  const SparseSigns& omega() const { return *omega_; }
  const std::shared_ptr<const SparseSigns>& shared_omega() const { return omega_; }

  /// N += weight W W'.
  void add_columns(const Matrix& w, double weight, int threads);
  /// N += weight times U diag(values) U'.
  void add_spectrum(const Spectrum& spectrum, double weight, int threads);
  /// N <- own N + others N_other, seen through the same test matrix.
  void combine(double own, const CurvatureSketch& other, double others);

  /// The eigenvalues that matter (Nystroem's method), without those that are at most `most_dropped` and cost at most
  /// `negligible` nats together.
  Spectrum spectrum(double negligible, int threads) const;
  static constexpr double most_dropped = 0.05;

  /// Whether a spectrum is as good as complete: the test matrix had columns to spare.
  bool is_wide_enough_for(const Spectrum& spectrum) const;

 private:
  bool is_square() const { return omega_->columns() >= omega_->rows(); }
  /// The last columns of Omega are not used to find eigenvalues, but to estimate what is left out, unless it can see
  /// all.
  static constexpr Index probes = 8;
  Index basis() const { return is_square() ? omega_->columns() : std::max<Index>(1, omega_->columns() - probes); }

  std::shared_ptr<const SparseSigns> omega_;
  Matrix images_;  ///< Y
};

}  // namespace varimesh::variational
