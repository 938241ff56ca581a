#pragma once

#include <limits>
#include <memory>

#include "varimesh/variational/elbo.h"
#include "varimesh/variational/lbfgs.h"

namespace varimesh::test {

struct ExactGradientOptions {
  Index draws, max_iterations;
  int threads = 1;
};

/// The long run that fits are compared with: exact gradients of the ELBO at many fixed draws, by BFGS, the mean in
/// coordinates whitened by the prior, from a start until nothing is gained any more.
inline std::unique_ptr<variational::Family> run_exact_gradients(const inverse::Posterior& posterior,
                                                                const variational::Family& start,
                                                                const ExactGradientOptions& options) {
  const inverse::GaussianPrior& prior = *posterior.gaussian_prior();
  variational::Evaluator evaluator(posterior, options.threads);
  Random random(7);
  const Matrix z = variational::antithetic_normals(start.size(), options.draws, random);
  auto q = start.clone();
  auto& normal = dynamic_cast<variational::GaussianFamily&>(*q);
  const auto unwhiten = [&](Vector x) {
    prior.gaussian().multiply_root(x.head(start.size()));
    return x;
  };
  const auto objective = [&](const Vector& x, Vector& gradient) {
    if (!normal.set_parameters(unwhiten(x))) return -std::numeric_limits<double>::infinity();
    Matrix gradients;
    const double likelihood = evaluator.values_and_gradients(normal.transform(z), gradients).mean();
    Vector kl_gradient;
    const double kl = normal.kl_divergence(prior, kl_gradient);
    gradient = normal.pull_back(z, gradients) / options.draws - kl_gradient;
    prior.gaussian().multiply_root_transposed(gradient.head(start.size()));
    return likelihood - kl;
  };
  Vector x = q->parameters();
  prior.gaussian().solve_root(x.head(start.size()));
  const variational::LbfgsResult best = variational::maximize_lbfgs(
      objective, x, {.max_iterations = options.max_iterations, .memory = 30, .tolerance = 1e-5});
  normal.set_parameters(unwhiten(best.x));
  return q;
}

}  // namespace varimesh::test
