#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/inverse/posterior.h"
#include "varimesh/random.h"

namespace varimesh::test {

/// G(kappa) = A kappa: with a normal prior the posterior is normal, with precision Q_prior + A' Gamma^-1 A.
class LinearModel final : public inverse::ForwardModel {
 public:
  explicit LinearModel(Matrix a) : a_(std::move(a)) {}

  Index num_parameters() const override { return static_cast<Index>(a_.cols()); }
  Index num_predictions() const override { return static_cast<Index>(a_.rows()); }
  Vector predict(const Vector& kappa) const override { return a_ * kappa; }
  std::unique_ptr<inverse::Linearization> linearize(const Vector& kappa) const override {
    return std::make_unique<At>(a_, a_ * kappa);
  }

 private:
  class At final : public inverse::Linearization {
   public:
    At(const Matrix& a, Vector prediction) : a_(a), prediction_(std::move(prediction)) {}
    const Vector& prediction() const override { return prediction_; }
    Vector jacobian_transposed(const Vector& w) const override { return a_.transpose() * w; }
    Matrix jacobian_transposed_block(const Matrix& w) const override { return a_.transpose() * w; }
    Matrix jacobian_block(const Matrix& v) const override { return a_ * v; }
    Matrix jacobian() const override { return a_; }

   private:
    const Matrix& a_;
    Vector prediction_;
  };

  Matrix a_;
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
      std::make_shared<LinearModel>(a),
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

/// The same with data of a draw from the prior.
inline LinearGaussian linear_gaussian(const std::shared_ptr<const inverse::GaussianPrior>& prior, const Matrix& a,
                                      double sigma) {
  Random random(11);
  const Vector truth = prior->sample(random);
  return linear_gaussian(prior, a, a * truth + sigma * random.normal_vector(static_cast<Index>(a.rows())), sigma);
}

/// A matrix of smooth random rows, as sensors have.
inline Matrix smooth_rows(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  Matrix a(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const double centre = columns * random.uniform(), width = 1 + columns * 0.2 * random.uniform();
    for (Index j = 0; j < columns; ++j) a(i, j) = std::exp(-0.5 * std::pow((j - centre) / width, 2));
  }
  return a;
}

}  // namespace varimesh::test
