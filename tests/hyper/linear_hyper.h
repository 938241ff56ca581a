#pragma once

#include <cmath>
#include <memory>

#include "../variational/linear_problem.h"
#include "varimesh/hyper/hyper_model.h"
#include "varimesh/hyper/scaled_observations.h"
#include "varimesh/inverse/gaussian_process.h"

namespace varimesh::test {

/// Smooth averages of a Gaussian process on a line, measured with noise, with unknown length-scale, sd, noise and mean,
/// as many as wanted. Given these, everything is normal.
struct LinearHyper {
  hyper::HyperModel family;
  Matrix a;
  Vector y, truth;
  std::vector<Point> points;

  std::shared_ptr<const inverse::GaussianProcess> prior(const Vector& psi) const {
    const double sd = psi.size() > 1 ? psi[1] : 1, mean = psi.size() > 3 ? psi[3] : 0;
    inverse::Kernel kernel{.type = inverse::KernelType::matern32, .sigma = sd};
    kernel.length_scale.fill(psi[0]);
    return std::make_shared<inverse::GaussianProcess>(kernel, points, mean, 1e-6);
  }
  static double noise(const Vector& psi) { return psi.size() > 2 ? psi[2] : 0.1; }

  LinearGaussian at(const Vector& t) const {
    const Vector psi = family.values(t);
    return linear_gaussian(prior(psi), a, y, noise(psi));
  }
  /// log p(y | t) + log p(t)
  double log_posterior(const Vector& t) const { return at(t).log_evidence + family.log_prior(t); }
};

/// The first `count` of length-scale, sd, noise and mean are unknown.
inline std::shared_ptr<LinearHyper> linear_hyper(Index count, Index unknowns = 40, Index sensors = 25) {
  auto result = std::make_shared<LinearHyper>();
  for (Index i = 0; i < unknowns; ++i) result->points.emplace_back((i + 0.5) / unknowns, 0, 0);
  result->a = smooth_rows(sensors, unknowns, 3) / 4;
  using hyper::Hyperprior;
  using hyper::Role;
  const std::vector<hyper::Hyperparameter> all = {
      {"length_scale", Role::shape, Hyperprior::penalised_range(0.05, 0.05, 1)},
      {"sd", Role::sd, Hyperprior::penalised_sd(3, 0.05)},
      {"noise", Role::noise, Hyperprior::log_normal(0.1, 1)},
      {"mean", Role::mean, Hyperprior::normal(0, 1)}};
  result->family.parameters.assign(all.begin(), all.begin() + count);
  Vector psi(4);
  psi << 0.2, 1.2, 0.1, 0.5;
  Random random(5);
  result->truth = result->prior(psi.head(std::max<Index>(count, 2)))->sample(random);
  result->y = result->a * result->truth + 0.1 * random.normal_vector(sensors);
  result->family.model = std::make_shared<LinearModel>(result->a);
  // It does not own itself.
  const LinearHyper* self = result.get();
  result->family.prior = [self](const Vector& values) { return self->prior(values); };
  result->family.observations = [self](const Vector& values) {
    return hyper::scaled(inverse::observe_means(self->y, Vector::Ones(self->y.size()), Vector::Ones(self->y.size())),
                         LinearHyper::noise(values));
  };
  return result;
}

}  // namespace varimesh::test
