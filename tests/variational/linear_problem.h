#pragma once

#include <Eigen/Cholesky>
#include <memory>

#include "varimesh/inverse/posterior.h"

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

   private:
    const Matrix& a_;
    Vector prediction_;
  };

  Matrix a_;
};

/// A linear problem with its exact posterior in dense algebra.
struct LinearProblem {
  std::shared_ptr<const inverse::Posterior> posterior;
  Vector mean;
  Matrix precision;

  LinearProblem(std::shared_ptr<const inverse::GaussianPrior> prior, const Matrix& a, double sigma) {
    Random random(11);
    const Index n = prior->size();
    const Vector y = a * prior->sample(random) + sigma * random.normal_vector(static_cast<Index>(a.rows()));
    const auto data = inverse::observe_means(y, Vector::Ones(y.size()), Vector::Constant(y.size(), sigma));
    const Matrix prior_precision = prior->gaussian().precision_times(Matrix::Identity(n, n));
    precision = prior_precision + a.transpose() * a / (sigma * sigma);
    mean = precision.llt().solve(prior_precision * prior->gaussian().mean() + a.transpose() * y / (sigma * sigma));
    posterior = std::make_shared<inverse::Posterior>(
        std::make_shared<inverse::GaussianLikelihood>(std::make_shared<LinearModel>(a), data), std::move(prior));
  }
};

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
