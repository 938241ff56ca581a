#pragma once

#include <cstdint>
#include <string>

#include "varimesh/variational/evaluator.h"
#include "varimesh/variational/mean_field.h"

namespace varimesh::variational {

/// A covariance matrix of the unknowns, if one was found; else the message says why not.
struct LinearResponse {
  Matrix covariance;
  bool ok = false;
  std::string message;
};

inline constexpr Index max_linear_response_size = 2000;  ///< of which the Hessian takes 128 MB

/// Correlations, and better variances, from a mean-field fit: how its means respond to a tilt of the posterior
/// (Giordano, Broderick and Jordan 2018),
///
///   Cov = [ (-d2 L / d theta2)^-1 ]_mean,mean,  theta = (mean, log sigma),  L the ELBO.
///
/// q should be converged: at any other q this means nothing. The ELBO is that by `samples` antithetic draws, rounded up
/// to pairs; 4 n gradients of it are needed for n unknowns. Throws InputError for more than 2000 unknowns, or a q of
/// another size than the posterior.
LinearResponse linear_response(Evaluator& evaluator, const MeanField& q, Index samples, std::uint64_t seed);

}  // namespace varimesh::variational
