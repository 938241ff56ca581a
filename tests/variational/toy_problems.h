#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>

#include "variational/linear_problem.h"
#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/inverse/posterior.h"

namespace varimesh::variational::test {

/// A log-likelihood given by a function that returns the value and writes the gradient.
class BlackBox final : public inverse::LogLikelihood {
 public:
  using Function = std::function<double(const Vector& kappa, Vector& gradient)>;
  BlackBox(Index size, Function function) : size_(size), function_(std::move(function)) {}

  Index num_parameters() const override { return size_; }
  double value(const Vector& kappa) const override {
    Vector gradient(size_);
    return function_(kappa, gradient);
  }
  double value_and_gradient(const Vector& kappa, Vector& gradient) const override {
    gradient.resize(size_);
    return function_(kappa, gradient);
  }

 private:
  Index size_;
  Function function_;
};

/// log N(x; mean, covariance), in dense algebra.
inline double normal_log_density(const Vector& x, const Vector& mean, const Matrix& covariance) {
  const Eigen::LLT<Matrix> llt(covariance);
  const Matrix factor = llt.matrixL();
  const Vector white = llt.matrixL().solve(x - mean);
  return -0.5 * white.squaredNorm() - factor.diagonal().array().log().sum() -
         0.5 * static_cast<double>(x.size()) * std::log(2 * std::numbers::pi);
}

/// y ~ N(A kappa, sigma^2 I) with a normal prior: everything about its posterior is known.
struct LinearGaussian {
  std::shared_ptr<const inverse::Posterior> posterior;
  Matrix a;
  Vector y;
  double sigma = 1;
  Vector prior_mean;
  Matrix prior_covariance;
  Matrix precision, covariance;  ///< of the posterior
  Vector mean;                   ///< of the posterior
  double log_evidence = 0;       ///< log N(y; A m, A K A' + sigma^2 I)

  /// The ELBO of q = N(mean, covariance).
  double elbo(const Vector& q_mean, const Matrix& q_covariance) const {
    // E[log N(y; A kappa, sigma^2)] + E[log prior] + entropy
    const double n = static_cast<double>(q_mean.size());
    const Matrix noise = sigma * sigma * Matrix::Identity(y.size(), y.size());
    const double likelihood =
        normal_log_density(y, a * q_mean, noise) - 0.5 * (a * q_covariance * a.transpose()).trace() / (sigma * sigma);
    const double prior = normal_log_density(q_mean, prior_mean, prior_covariance) -
                         0.5 * (prior_covariance.inverse() * q_covariance).trace();
    const double entropy = -normal_log_density(q_mean, q_mean, q_covariance) + 0.5 * n;
    return likelihood + prior + entropy;
  }
};

inline LinearGaussian linear_gaussian(const std::shared_ptr<const inverse::GaussianPrior>& prior, const Matrix& a,
                                      const Vector& y, double sigma) {
  const Index n = prior->size();
  LinearGaussian result;
  result.a = a;
  result.y = y;
  result.sigma = sigma;
  const auto likelihood = std::make_shared<inverse::GaussianLikelihood>(
      std::make_shared<varimesh::test::LinearModel>(a),
      inverse::observe_means(y, Vector::Ones(y.size()), Vector::Constant(y.size(), sigma)));
  result.posterior = std::make_shared<inverse::Posterior>(likelihood, prior);
  result.prior_mean = prior->gaussian().mean();
  result.prior_covariance = prior->gaussian().covariance_times(Matrix::Identity(n, n));
  const Matrix prior_precision = result.prior_covariance.inverse();
  result.precision = prior_precision + a.transpose() * a / (sigma * sigma);
  result.covariance = result.precision.inverse();
  result.mean = result.covariance * (prior_precision * result.prior_mean + a.transpose() * y / (sigma * sigma));
  result.log_evidence = normal_log_density(
      y, a * result.prior_mean,
      a * result.prior_covariance * a.transpose() + sigma * sigma * Matrix::Identity(y.size(), y.size()));
  return result;
}

}  // namespace varimesh::variational::test
