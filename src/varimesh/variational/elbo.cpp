#include "varimesh/variational/elbo.h"

#include <algorithm>
#include <limits>

#include "varimesh/cancellation.h"
#include "varimesh/variational/controlled_mean.h"

namespace varimesh::variational {
namespace {

/// log prior for every column.
Vector prior_log_densities(const inverse::Prior& prior, const Matrix& kappa) {
  Vector result(kappa.cols());
  for (Eigen::Index s = 0; s < kappa.cols(); ++s) {
    throw_if_interrupted();
    result[s] = prior.log_density(kappa.col(s));
  }
  return result;
}

}  // namespace

Vector pair_means(const Vector& values) {
  return Vector::NullaryExpr(values.size() / 2,
                             [&](Eigen::Index p) { return (values[2 * p] + values[2 * p + 1]) / 2; });
}

Matrix antithetic_normals(Index size, Index count, Random& random) {
  Matrix z(size, count);
  for (Index s = 0; s < count; s += 2) {
    z.col(s) = random.normal_vector(size);
    z.col(s + 1) = -z.col(s);
  }
  return z;
}

ElboEstimate estimate_elbo(Evaluator& evaluator, const Family& q, Index samples, Random& random) {
  // In blocks, because the draws of a large problem need not exist all at once.
  constexpr Index pairs_per_block = 64;
  const Index components = q.num_components();
  const Index pairs = std::max<Index>(4, (samples + 2 * components - 1) / (2 * components));
  const Index count = 2 * pairs * components;
  Vector likelihood(count), log_ratio(count);
  for (Index done = 0; done < pairs; done += pairs_per_block) {
    const Index size = 2 * components * std::min(pairs_per_block, pairs - done);
    const Matrix kappa = q.transform(antithetic_normals(q.size(), size, random));
    likelihood.segment(2 * components * done, size) = evaluator.values(kappa);
    log_ratio.segment(2 * components * done, size) =
        prior_log_densities(evaluator.posterior().prior(), kappa) - q.log_densities(kappa);
  }
  ElboEstimate result{.samples = count};
  if (!likelihood.allFinite()) {
    result.value = -std::numeric_limits<double>::infinity();
    result.standard_error = std::numeric_limits<double>::infinity();
    return result;
  }
  // E[log prior - log q] = -KL is known for normal distributions, so that c = log prior - log q + KL is a control
  // variate of mean zero; where q is the posterior, all terms are equal.
  const auto* normal = dynamic_cast<const GaussianFamily*>(&q);
  const inverse::GaussianPrior* prior = evaluator.posterior().gaussian_prior();
  const bool is_known = normal && prior;
  const double divergence = is_known ? normal->kl_divergence(*prior) : 0;
  const Vector values = pair_means(likelihood), ratios = pair_means(log_ratio);
  ControlledMean elbo;
  for (Eigen::Index p = 0; p < values.size(); ++p)
    elbo.add(values[p] + ratios[p], is_known ? ratios[p] + divergence : 0);
  result.value = elbo.mean();
  result.standard_error = elbo.standard_error();
  return result;
}

}  // namespace varimesh::variational
