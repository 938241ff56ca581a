#include "varimesh/variational/linear_response.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "varimesh/error.h"
#include "varimesh/linalg/dense.h"
#include "varimesh/variational/elbo.h"

namespace varimesh::variational {
namespace {

/// The gradient of the sampled ELBO by (mean, log sigma). False if the model fails at a draw.
bool elbo_gradient(Evaluator& evaluator, const MeanField& q, const Matrix& z, Vector& gradient) {
  const inverse::Posterior& posterior = evaluator.posterior();
  const Matrix kappa = q.transform(z);
  Matrix slope;
  if (!evaluator.values_and_gradients(kappa, slope).allFinite()) return false;
  const auto samples = static_cast<double>(z.cols());
  if (const inverse::GaussianPrior* prior = posterior.gaussian_prior()) {
    // d/d theta { mean_s log p(y | kappa_s) - KL(q || prior) }
    Vector divergence_gradient;
    q.kl_divergence(*prior, divergence_gradient);
    gradient = q.pull_back(z, slope) / samples - divergence_gradient;
  } else {
    // d/d theta { mean_s [log p(y | kappa_s) + log prior] + sum_i log sigma_i }
    Vector prior_gradient;
    for (Eigen::Index s = 0; s < z.cols(); ++s) {
      posterior.prior().log_density_and_gradient(kappa.col(s), prior_gradient);
      slope.col(s) += prior_gradient;
    }
    gradient = q.pull_back(z, slope) / samples;
    gradient.tail(q.size()).array() += 1;
  }
  return gradient.allFinite();
}

/// theta_j moved by `step` units: of sigma for a mean, of one for log sigma.
MeanField moved(const MeanField& q, Index j, double step) {
  const Index n = q.size();
  Vector mean = q.gaussian().mean(), sigma = q.gaussian().sigma();
  if (j < n)
    mean[j] += step * sigma[j];
  else
    sigma[j - n] *= std::exp(step);
  return MeanField(gaussian::DiagonalGaussian(std::move(mean), std::move(sigma)));
}

}  // namespace

LinearResponse linear_response(Evaluator& evaluator, const MeanField& q, Index samples, std::uint64_t seed) {
  const Index n = q.size();
  if (n != evaluator.posterior().size())
    throw InputError(fmt::format("the posterior has {} unknowns, but q has {}", evaluator.posterior().size(), n));
  if (n > max_linear_response_size)
    throw InputError(fmt::format("linear response is for at most {} unknowns, found {}", max_linear_response_size, n));
  if (samples < 1) throw InputError(fmt::format("linear response needs at least 1 sample, found {}", samples));

  Random random(seed);
  const Matrix z = antithetic_normals(n, samples + samples % 2, random);
  // In these units sigma is 1 and the ELBO's derivatives are of order one. Central differences are then wrong by about
  // h^2 / 6, and by a model's rounding (1e-12, say) over h.
  constexpr double h = 1e-3;
  Vector unit(2 * n);
  unit << q.gaussian().sigma(), Vector::Ones(n);
  Matrix hessian(2 * n, 2 * n);  // minus the second derivatives
  Vector above, below;
  for (Index j = 0; j < 2 * n; ++j) {
    if (!elbo_gradient(evaluator, moved(q, j, h), z, above) || !elbo_gradient(evaluator, moved(q, j, -h), z, below))
      return {.covariance = {}, .message = "no linear response: the model fails at a draw of q"};
    hessian.col(j) = (below - above).cwiseProduct(unit) / (2 * h);
  }
  hessian = (0.5 * (hessian + hessian.transpose())).eval();
  if (!linalg::cholesky(hessian))
    return {
        .covariance = {},
        .message = "no linear response: the ELBO is not concave at q, which is no maximum, or there are too few draws"};
  // With H = L L', the block of H^-1 is X'X for X = L^-1 [I 0]'.
  Matrix x = Matrix::Zero(2 * n, n);
  x.topRows(n).diagonal() = q.gaussian().sigma();
  linalg::solve_triangular(hessian, linalg::Transpose::no, x);
  return {.covariance = linalg::transposed_product(x, x), .ok = true, .message = {}};
}

}  // namespace varimesh::variational
