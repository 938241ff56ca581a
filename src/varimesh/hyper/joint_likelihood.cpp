#include "varimesh/hyper/joint_likelihood.h"

#include <cmath>
#include <limits>

#include "varimesh/error.h"
#include "varimesh/inverse/independent_prior.h"

namespace varimesh::hyper {
namespace {

/// Of differences in t: with central ones the error is of the order of its square.
constexpr double difference = 1e-4;

/// R w.
Vector rooted(const inverse::GaussianPrior& prior, const Vector& w) {
  Matrix x = w;
  prior.gaussian().multiply_root(x);
  return x;
}

}  // namespace

Vector JointLikelihood::field_and_values(const Vector& x) const {
  const Vector psi = hyper_.values(x.tail(hyper_.size()));
  const auto prior = hyper_.prior(psi);
  Vector result(x.size());
  result << prior->gaussian().mean() + rooted(*prior, x.head(unknowns_)), psi;
  return result;
}

double JointLikelihood::value(const Vector& x) const {
  try {
    const Vector all = field_and_values(x);
    return inverse::log_likelihood(hyper_.observations(all.tail(hyper_.size())),
                                   hyper_.model->predict(all.head(unknowns_)));
  } catch (const InputError&) {
    return -std::numeric_limits<double>::infinity();  // no prior or noise in double precision
  }
}

double JointLikelihood::value_and_gradient(const Vector& x, Vector& gradient) const {
  gradient.setConstant(x.size(), std::numeric_limits<double>::quiet_NaN());
  try {
    const Vector w = x.head(unknowns_), t = x.tail(hyper_.size());
    const Vector psi = hyper_.values(t);
    const auto prior = hyper_.prior(psi);
    const inverse::Observations observations = hyper_.observations(psi);
    const Vector deviation = rooted(*prior, w), kappa = prior->gaussian().mean() + deviation;
    const auto linearization = hyper_.model->linearize(kappa);
    const Vector& prediction = linearization->prediction();
    const double value = inverse::log_likelihood(observations, prediction);
    if (!std::isfinite(value)) return value;
    // dL/dkappa = J' dL/dG, dL/dw = R' dL/dkappa
    const Vector by_kappa = linearization->jacobian_transposed(inverse::log_likelihood_slope(observations, prediction));
    Matrix by_w = by_kappa;
    prior->gaussian().multiply_root_transposed(by_w);
    gradient.head(unknowns_) = by_w;
    for (Index j = 0; j < hyper_.size(); ++j) {
      const Hyperparameter& parameter = hyper_.parameters[static_cast<std::size_t>(j)];
      const auto shifted = [&](double sign) {
        Vector other = psi;
        other[j] = parameter.prior.value(t[j] + sign * difference);
        return other;
      };
      double& result = gradient[unknowns_ + j];
      switch (parameter.role) {
        case Role::mean:
          result = parameter.prior.derivative(t[j]) * by_kappa.sum();
          break;
        case Role::sd:  // kappa - mean is proportional to it
          result = parameter.prior.derivative(t[j]) / psi[j] * by_kappa.dot(deviation);
          break;
        case Role::noise:
          result = (inverse::log_likelihood(hyper_.observations(shifted(1)), prediction) -
                    inverse::log_likelihood(hyper_.observations(shifted(-1)), prediction)) /
                   (2 * difference);
          break;
        case Role::shape:
          result = by_kappa.dot(rooted(*hyper_.prior(shifted(1)), w) - rooted(*hyper_.prior(shifted(-1)), w)) /
                   (2 * difference);
      }
    }
    return value;
  } catch (const InputError&) {
    return -std::numeric_limits<double>::infinity();
  }
}

inverse::Posterior joint_posterior(const HyperModel& hyper, Index unknowns) {
  const Index size = unknowns + hyper.size();
  return {std::make_shared<JointLikelihood>(hyper, unknowns),
          std::make_shared<inverse::IndependentPrior>(Vector::Zero(size), Vector::Ones(size))};
}

}  // namespace varimesh::hyper
