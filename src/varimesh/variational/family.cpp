#include "varimesh/variational/family.h"

namespace varimesh::variational {

Matrix GaussianFamily::transform(const Matrix& z) const {
  Matrix kappa = z;
  gaussian().multiply_root(kappa);
  kappa.colwise() += gaussian().mean();
  return kappa;
}

Matrix GaussianFamily::log_density_gradients(const Matrix& kappa) const {
  return -gaussian().precision_times(kappa.colwise() - gaussian().mean());
}

namespace {

/// KL = 1/2 [ tr(Q_p Sigma) + |mu - m|^2_Q_p - n + log det K - log det Sigma ]
double combine(const gaussian::Gaussian& q, const gaussian::Gaussian& prior, double trace, double mean_term) {
  return 0.5 * (trace + mean_term - q.size() + prior.log_determinant() - q.log_determinant());
}

}  // namespace

double GaussianFamily::kl_divergence(const inverse::GaussianPrior& prior) const {
  const Vector offset = gaussian().mean() - prior.gaussian().mean();
  return combine(gaussian(), prior.gaussian(), trace_term(prior, nullptr), offset.dot(prior.precision_times(offset)));
}

double GaussianFamily::kl_divergence(const inverse::GaussianPrior& prior, Vector& gradient) const {
  const Vector offset = gaussian().mean() - prior.gaussian().mean();
  const Vector mean_gradient = prior.precision_times(offset);
  const double mean_term = offset.dot(mean_gradient);
  const double trace = trace_term(prior, &gradient);
  gradient.head(size()) = mean_gradient;
  return combine(gaussian(), prior.gaussian(), trace, mean_term);
}

Matrix precision_root(const inverse::GaussianPrior& prior) {
  Matrix root = Matrix::Identity(prior.size(), prior.size());
  prior.gaussian().solve_root_transposed(root);
  return root;
}

std::shared_ptr<const gaussian::Gaussian> shared_gaussian(std::shared_ptr<const Family> q) {
  const auto* normal = dynamic_cast<const GaussianFamily*>(q.get());
  if (!normal) return nullptr;
  return {std::move(q), &normal->gaussian()};
}

}  // namespace varimesh::variational
