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

  /// The same with the Gauss-Newton curvature, averaged over the columns: H = 1/S sum_s J_s' Gamma^-1 J_s. Only for a
  /// posterior with a Gaussian likelihood.
  Vector values_and_curvature(const Matrix& kappa, Matrix& gradients, Curvature& curvature);

 private:
  const inverse::Posterior& posterior_;
  int threads_;
  result::Counts counts_;
};

}  // namespace varimesh::variational
