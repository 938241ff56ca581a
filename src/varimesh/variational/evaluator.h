#pragma once

#include "varimesh/inverse/posterior.h"
#include "varimesh/result/counts.h"
#include "varimesh/variational/curvature.h"

namespace varimesh::variational {

/// The log-likelihood at many kappa, on several threads, with counts of the work. Where a model fails (a value or a
/// gradient that is not finite), the value is minus infinity and the gradient zero. Throws InputError if a model
/// returns a gradient or Jacobian of the wrong size.
class Evaluator {
 public:
  /// Throws InputError for fewer threads than one.
  Evaluator(const inverse::Posterior& posterior, int threads);

  const inverse::Posterior& posterior() const { return posterior_; }
  int threads() const { return threads_; }
  const result::Counts& counts() const { return counts_; }

  /// log p(y | kappa_s) for every column.
  Vector values(const Matrix& kappa);
  Vector values_and_gradients(const Matrix& kappa, Matrix& gradients);

  /// Values and gradients at every column, with the Gauss-Newton curvature averaged over the columns.
  struct Linearized {
    Vector values;
    Matrix gradients;
    Curvature curvature;  ///< H = 1/S sum_s J_s' A_s'A_s J_s, A'A that of the noise: Gamma^-1 if it is normal
  };
  /// Only for a posterior with a forward model. `max_samples` and `negligible` are the curvature's.
  Linearized linearize(const Matrix& kappa, Index max_samples, double negligible,
                       noise::Bend bend = noise::Bend::observed);
  /// Work that was done elsewhere for the same end.
  void add_counts(const result::Counts& counts) { counts_ += counts; }

 private:
  /// A test matrix for sketches, wider than the last one if that was too narrow.
  void widen_test_matrix(Index width);

  const inverse::Posterior& posterior_;
  int threads_;
  result::Counts counts_;
  std::unique_ptr<const TestMatrix> test_matrix_;  ///< null before the first sketch
  Index rank_ = 0;                                 ///< of the last curvature, as far as it is noticeable
};

}  // namespace varimesh::variational
