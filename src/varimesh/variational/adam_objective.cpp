#include "varimesh/variational/adam_objective.h"

#include <cmath>
#include <limits>

#include "varimesh/inverse/gaussian_mixture_prior.h"
#include "varimesh/linalg/finite.h"
#include "varimesh/log_sum_exp.h"
#include "varimesh/stopwatch.h"
#include "varimesh/variational/mixture.h"

namespace varimesh::variational {

Vector ThriftyEvaluator::values(const Matrix& kappa) {
  if (is_slow()) return evaluator_.values(kappa);
  Vector values(kappa.cols());
  // A single column is evaluated on this thread.
  for (Eigen::Index s = 0; s < kappa.cols(); ++s) values[s] = evaluator_.values(kappa.col(s))[0];
  return values;
}

Vector ThriftyEvaluator::values_and_gradients(const Matrix& kappa, Matrix& gradients) {
  if (is_slow()) return evaluator_.values_and_gradients(kappa, gradients);
  const Stopwatch watch;
  Vector values(kappa.cols());
  gradients.resize(kappa.rows(), kappa.cols());
  for (Eigen::Index s = 0; s < kappa.cols(); ++s) {
    values[s] = evaluator_.values_and_gradients(kappa.col(s), gradient_)[0];
    gradients.col(s) = gradient_;
  }
  constexpr double worth_threads = 1e-3;  // seconds; to start a thread takes some 1e-5
  times_slow_ = watch.seconds() > worth_threads ? times_slow_ + 1 : 0;
  return values;
}

AdamObjective::AdamObjective(Evaluator& evaluator) : posterior_(evaluator.posterior()), model_(evaluator) {
  if (const inverse::GaussianPrior* prior = posterior_.gaussian_prior()) {
    priors_ = {prior};
    log_weights_ = Vector::Zero(1);
  } else if (const auto* several = dynamic_cast<const inverse::GaussianMixturePrior*>(&posterior_.prior())) {
    for (const auto& component : several->components()) priors_.push_back(component.get());
    log_weights_ = several->weights().array().log();
  }
}

void AdamObjective::evaluate(const Family& q, const Matrix& z) {
  const Matrix kappa = q.transform(z);
  value_ = model_.values(kappa);
  add_divergence(q, z, kappa, false);
}

bool AdamObjective::evaluate_with_gradient(const Family& q, const Matrix& z) {
  const Matrix kappa = q.transform(z);
  value_ = model_.values_and_gradients(kappa, slope_);
  add_divergence(q, z, kappa, true);
  good_ = 0;
  for (Eigen::Index s = 0; s < z.cols(); ++s) {
    if (std::isfinite(value_[s]) && slope_.col(s).allFinite()) {
      ++good_;
    } else {
      value_[s] = -std::numeric_limits<double>::infinity();
      slope_.col(s).setZero();
    }
  }
  if (good_ == 0) return false;
  slope_ /= good_;
  gradient_ = q.pull_back(z, slope_);
  if (divergence_gradient_.size() > 0) gradient_ -= divergence_gradient_;
  return linalg::all_finite(gradient_);
}

/// The draws of one component of q.
struct AdamObjective::Group {
  const GaussianFamily& q;
  Index number, count;  ///< which, of how many
  Eigen::Index first;   ///< its first column
  Matrix z, kappa;
};

void AdamObjective::add_divergence(const Family& q, const Matrix& z, const Matrix& kappa, bool with_gradient) {
  const auto* normal = dynamic_cast<const GaussianFamily*>(&q);
  const auto* mixture = dynamic_cast<const Mixture*>(&q);
  control_.setZero(z.cols());
  divergence_gradient_.resize(0);
  if (priors_.empty() || (!normal && !mixture)) {
    add_log_ratios(q, z, kappa, with_gradient);
    return;
  }
  // ELBO = 1/J sum_j E_j[log p(y | kappa) + log prior - log q_j - (log q - log q_j)] for J components
  const Index components = q.num_components();
  const Eigen::Index size = z.cols() / components;
  if (share_.cols() != components) share_ = log_weights_.array().exp().matrix().replicate(1, components);
  for (Index j = 0; j < components; ++j) {
    const Group group{normal ? *normal : mixture->component(j), j, components, j * size, z.middleCols(j * size, size),
                      kappa.middleCols(j * size, size)};
    subtract_divergences(group, with_gradient);
    if (!mixture) continue;
    value_.segment(group.first, size) -= q.log_densities(group.kappa) - group.q.log_densities(group.kappa);
    if (with_gradient)
      slope_.middleCols(group.first, size) -=
          q.log_density_gradients(group.kappa) - group.q.log_density_gradients(group.kappa);
  }
}

/// E_j[log prior - log q_j] = -sum_k c_k KL(q_j || p_k) + E_j[log prior - sum_k c_k log p_k], for a prior of
/// components p_k with weights w_k and any constants c_k of sum 1. For one component the second term is zero. For
/// several it has little noise if c_k is the share of the draws that p_k accounts for: that of recent steps. Of sum_k
/// c_k log p_k - log q_j the mean is minus the first sum, which makes a control variate.
void AdamObjective::subtract_divergences(const Group& group, bool with_gradient) {
  const Eigen::Index size = group.z.cols(), parts = log_weights_.size();
  const Vector share = share_.col(group.number);
  auto value = value_.segment(group.first, size);
  auto control = control_.segment(group.first, size);
  control = 0.5 * group.z.colwise().squaredNorm().transpose();
  control.array() -= group.q.gaussian().log_density_of_white(0);
  Matrix log_parts(parts, size);  // log w_k p_k
  Vector gradient;
  for (Eigen::Index k = 0; k < parts; ++k) {
    const inverse::GaussianPrior& prior = *priors_[static_cast<std::size_t>(k)];
    const double divergence = with_gradient ? group.q.kl_divergence(prior, gradient) : group.q.kl_divergence(prior);
    if (with_gradient && group.count * parts == 1) {
      divergence_gradient_.swap(gradient);
    } else if (with_gradient) {
      if (divergence_gradient_.size() == 0) divergence_gradient_.setZero(group.count * gradient.size());
      divergence_gradient_.segment(group.number * gradient.size(), gradient.size()) +=
          share[k] / group.count * gradient;
    }
    const Vector log_density = prior.log_densities(group.kappa);
    value.array() -= share[k] * divergence;
    control.array() += share[k] * (log_density.array() + divergence);
    log_parts.row(k) = (log_density.array() + log_weights_[k]).transpose();
  }
  if (parts == 1) return;
  const Vector log_prior = log_sum_exp(log_parts);
  value += log_prior - (log_parts.colwise() - log_weights_).transpose() * share;
  if (!with_gradient) return;
  // r_k = w_k p_k / sum_l w_l p_l
  const Matrix responsibility = (log_parts.rowwise() - log_prior.transpose()).array().exp();
  for (Eigen::Index k = 0; k < parts; ++k) {
    // grad log p_k = -Q_k (kappa - m_k)
    const gaussian::Gaussian& part = priors_[static_cast<std::size_t>(k)]->gaussian();
    const Vector weight = responsibility.row(k).array() - share[k];
    slope_.middleCols(group.first, size) -=
        part.precision_times(group.kappa.colwise() - part.mean()) * weight.asDiagonal();
  }
  constexpr double memory = 0.9;
  const Vector now = responsibility.rowwise().mean();
  if (now.allFinite()) share_.col(group.number) += (1 - memory) * (now - share);
}

/// E[log prior - log q], for any prior.
void AdamObjective::add_log_ratios(const Family& q, const Matrix& z, const Matrix& kappa, bool with_gradient) {
  if (const auto* normal = dynamic_cast<const GaussianFamily*>(&q)) {
    // From z, without rounding:  log q = constant - |z|^2 / 2,  grad log q = -R^-T z
    value_ += 0.5 * z.colwise().squaredNorm().transpose();
    value_.array() -= normal->gaussian().log_density_of_white(0);
    Matrix white = z;
    if (with_gradient) {
      normal->gaussian().solve_root_transposed(white);
      slope_ += white;
    }
  } else {
    value_ -= q.log_densities(kappa);
    if (with_gradient) slope_ -= q.log_density_gradients(kappa);
  }
  Vector gradient;
  for (Eigen::Index s = 0; s < kappa.cols(); ++s) {
    if (with_gradient) {
      value_[s] += posterior_.prior().log_density_and_gradient(kappa.col(s), gradient);
      slope_.col(s) += gradient;
    } else {
      value_[s] += posterior_.prior().log_density(kappa.col(s));
    }
  }
}

}  // namespace varimesh::variational
