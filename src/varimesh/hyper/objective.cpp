#include "varimesh/hyper/objective.h"

#include <cmath>
#include <limits>

#include "varimesh/cancellation.h"
#include "varimesh/error.h"
#include "varimesh/variational/low_rank.h"
#include "varimesh/variational/transfer.h"

namespace varimesh::hyper {
namespace {

constexpr double step = 1e-3;  // of differences in t, of closed forms
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// What the data say in a neighbour's fit, with the prior at hand.
std::shared_ptr<const variational::GaussianFamily> carry(const FittedPoint& neighbour, const inverse::Posterior& here,
                                                         int threads) {
  const auto* low_rank = dynamic_cast<const variational::LowRank*>(neighbour.q.get());
  if (!low_rank) return neighbour.q;
  inverse::SparseMatrix same(here.size(), here.size());
  same.setIdentity();
  const inverse::GaussianPrior& prior = *here.gaussian_prior();
  return variational::transfer(low_rank->gaussian(), same, {here.shared_prior(), &prior.gaussian()}, prior, threads);
}

}  // namespace

FittedPoint Objective::fit(const Vector& t, const FittedPoint* neighbour) {
  throw_if_interrupted();
  FittedPoint result{t, hyper_.values(t), minus_infinity, Vector::Zero(t.size()), {}, nullptr, nullptr};
  ++fits_;
  try {
    const inverse::Posterior posterior = hyper_.posterior(result.psi);
    variational::FitOptions options = options_;
    if (neighbour && neighbour->q) options.start = carry(*neighbour, posterior, options.threads);
    variational::FitResult fitted = variational::fit(posterior, options, observer_);
    counts_ += fitted.counts;
    if (fitted.status == result::FitStatus::interrupted) throw Interrupted();
    if (!fitted.q || !std::isfinite(fitted.elbo.value)) return result;
    std::shared_ptr<const variational::Family> q = std::move(fitted.q);
    result.q = std::dynamic_pointer_cast<const variational::GaussianFamily>(q);
    result.prior = std::dynamic_pointer_cast<const inverse::GaussianPrior>(posterior.shared_prior());
    result.elbo = fitted.elbo;
    result.log_posterior = fitted.elbo.value + hyper_.log_prior(t);
    result.gradient = gradient_at(result, posterior.gaussian_likelihood()->observations());
  } catch (const InputError&) {
    // no such prior in double precision: as improbable as can be
    result.q = nullptr;
    result.log_posterior = minus_infinity;
  }
  return result;
}

Vector Objective::gradient_at(const FittedPoint& point, const inverse::Observations& observations) const {
  Vector gradient = -point.t;
  const double divergence = point.q->kl_divergence(*point.prior);
  // E_q[log p(y | kappa)] without its constant; all weights change by one factor
  const double misfit = point.elbo.value + divergence - observations.constant;
  for (Index j = 0; j < hyper_.size(); ++j) {
    const Hyperparameter& parameter = hyper_.parameters[static_cast<std::size_t>(j)];
    const auto shifted = [&](double sign) {
      Vector psi = point.psi;
      psi[j] = parameter.prior.value(point.t[j] + sign * step);
      return psi;
    };
    const auto difference = [&](const auto& value) { return (value(shifted(1)) - value(shifted(-1))) / (2 * step); };
    const gaussian::Gaussian& prior = point.prior->gaussian();
    switch (parameter.role) {
      case Role::mean:  // sum Q (mean_q - mean)
        gradient[j] +=
            parameter.prior.derivative(point.t[j]) * point.prior->precision_times(point.q->mean() - prior.mean()).sum();
        break;
      case Role::sd:  // tr(Q Sigma_q) + (mean_q - mean)'Q (mean_q - mean) - n, for KL is half of it and of log det
        gradient[j] += parameter.prior.derivative(point.t[j]) / point.psi[j] *
                       (2 * divergence - prior.log_determinant() + point.q->gaussian().log_determinant());
        break;
      case Role::shape:
        gradient[j] -= difference([&](const Vector& psi) { return point.q->kl_divergence(*hyper_.prior(psi)); });
        break;
      case Role::noise:
        gradient[j] += difference([&](const Vector& psi) {
          const inverse::Observations other = hyper_.observations(psi);
          return other.constant + other.weight[0] / observations.weight[0] * misfit;
        });
    }
  }
  return gradient;
}

}  // namespace varimesh::hyper
