#pragma once

#include <functional>

#include "varimesh/diagnostics/compare.h"
#include "varimesh/result/draws.h"
#include "varimesh/types.h"

namespace varimesh::diagnostics {

/// u(kappa); not finite where the model fails. Called from many threads at once.
using Solution = std::function<Vector(const Vector&)>;

/// Whether draws are independent, or come from chains.
enum class Dependence { independent, chains };

/// The mean of the finite values, draws x chains, with its Monte Carlo standard error; NaN if there are none.
Estimate mean_of_finite(const Matrix& values, Dependence dependence);

/// How far draws are from a known truth, in the Euclidean norm. Errors are Monte Carlo standard errors.
struct ErrorNorms {
  Estimate mean_kappa;         ///< | 1/S sum_s kappa_s - kappa_true |
  Estimate expected_solution;  ///< 1/S sum_s | u(kappa_s) - u(kappa_true) |, over draws at which the model works
  Index draws = 0;             ///< S
  Index failures = 0;          ///< draws at which u is not finite
};

/// From independent draws in columns. Throws InputError for fewer than two draws, for sizes that differ, and if u is
/// not finite at the truth. If it is at no draw, the solution's error is NaN.
ErrorNorms error_norms(const Matrix& draws, const Vector& kappa_true, const Solution& u, int threads);

/// From so many draws of each chain, evenly spaced, with standard errors that honour their autocorrelation. The error
/// of the mean is taken over the same draws.
ErrorNorms error_norms(const result::Draws& draws, Index draws_per_chain, const Vector& kappa_true, const Solution& u,
                       int threads);

}  // namespace varimesh::diagnostics
