#pragma once

#include "varimesh/inverse/posterior.h"
#include "varimesh/result/counts.h"

namespace varimesh::mcmc {

/// A point of the posterior and what is known there.
struct Position {
  Vector kappa;
  double log_likelihood = 0;
  double log_posterior = 0;     ///< up to a constant; minus infinity where the model fails
  Vector gradient = Vector(0);  ///< of the log posterior; empty if the kernel needs none
};

/// The posterior as a chain sees it, with counts of the work.
class Target {
 public:
  /// Counts go on from those given.
  explicit Target(const inverse::Posterior& posterior, const result::Counts& counts = {})
      : posterior_(posterior), counts_(counts) {}

  const inverse::Posterior& posterior() const { return posterior_; }
  const result::Counts& counts() const { return counts_; }

  /// Fills in what is known at position.kappa. Where the model fails, the log posterior is minus infinity and the
  /// gradient zero. Throws InputError if a model returns a gradient of the wrong size.
  void evaluate(Position& position);
  void evaluate_with_gradient(Position& position);

 private:
  const inverse::Posterior& posterior_;
  result::Counts counts_;
  Vector prior_gradient_;
};

}  // namespace varimesh::mcmc
